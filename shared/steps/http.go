package steps

import "time"

// http calls a URL from a delegate (BEHAVIOUR §15.7). Assertion and output
// variables may read the response, which only the delegate has.
var http = Step{
	Type: "Http", Mode: Task, DefaultTimeout: 10 * time.Minute,
	Defer:   []string{"httpResponseCode", "httpResponseBody", "httpMethod", "httpUrl"},
	DeferIn: []string{"assertion", "outputVariables"},
	Fields: append(ignored(),
		Field{Name: "url", Required: true},
		Field{Name: "method", Required: true, Enum: []string{"GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"}},
		Field{Name: "headers", Type: List, Fields: []Field{{Name: "key", Required: true}, {Name: "value"}, {Name: "description"}}},
		Field{Name: "requestBody"},
		Field{Name: "assertion"},
		variables("inputVariables", false),
		variables("outputVariables", true),
		Field{Name: "certificate", Unsupported: "a client certificate"},
		Field{Name: "certificateKey", Unsupported: "a client certificate"},
		selectors(),
	),
}
