// Package standin deploys the synthesised stack into LocalStack: the same
// template, without what LocalStack does not know.
package standin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Endpoint is what a template that was synthesised for a stand-in has in place of
// the stand-in's address, which is not known before it runs.
const Endpoint = "http://endpoint.invalid"

// unknown resource types, and what their absence means.
var unknown = map[string]string{
	"AWS::ApiGateway::Authorizer": "functions ask the authorizer's code themselves where none stands before them",
	"AWS::XRay::SamplingRule":     "nothing is traced",
	"AWS::CloudWatch::Dashboard":  "nobody looks",
}

// object is a JSON object.
type object = map[string]any

// Adapt returns a template as LocalStack takes it, at this endpoint.
func Adapt(template []byte, endpoint string) ([]byte, error) {
	var t object
	if err := json.Unmarshal(bytes.ReplaceAll(template, []byte(Endpoint), []byte(endpoint)), &t); err != nil {
		return nil, fmt.Errorf("the template: %w", err)
	}
	// They ask for CDK's bootstrap, which a stand-in has no use for.
	delete(t, "Rules")
	if p, _ := t["Parameters"].(object); p != nil {
		delete(p, "BootstrapVersion")
	}
	resources, _ := t["Resources"].(object)
	gone := map[string]bool{}
	for id, r := range resources {
		if _, ok := unknown[text(r, "Type")]; ok {
			gone[id] = true
		}
	}
	for id, r := range resources {
		properties, _ := r.(object)["Properties"].(object)
		switch {
		case text(r, "Type") == "AWS::ApiGateway::Method" && refers(properties["AuthorizerId"], gone):
			delete(properties, "AuthorizerId")
			properties["AuthorizationType"] = "NONE"
		case text(r, "Type") == "AWS::Lambda::Permission" && refers(properties["SourceArn"], gone):
			gone[id] = true
		}
	}
	for id := range gone {
		delete(resources, id)
	}
	for id, r := range resources {
		independent(r.(object), gone)
		if refers(r, gone) {
			return nil, fmt.Errorf("%s refers to what LocalStack does not know: one of %s", id, strings.Join(slices.Sorted(maps.Keys(gone)), ", "))
		}
	}
	return json.Marshal(t)
}

func text(r any, key string) string {
	o, _ := r.(object)
	s, _ := o[key].(string)
	return s
}

// independent takes what is gone out of a resource's DependsOn.
func independent(r object, gone map[string]bool) {
	list, ok := r["DependsOn"].([]any)
	if !ok {
		if id, _ := r["DependsOn"].(string); gone[id] {
			delete(r, "DependsOn")
		}
		return
	}
	r["DependsOn"] = slices.DeleteFunc(list, func(id any) bool { return gone[fmt.Sprint(id)] })
}

// refers reports whether a value has a Ref or Fn::GetAtt to one of the resources.
func refers(v any, ids map[string]bool) bool {
	switch v := v.(type) {
	case object:
		if ids[text(v, "Ref")] {
			return true
		}
		if at, _ := v["Fn::GetAtt"].([]any); len(at) > 0 && ids[fmt.Sprint(at[0])] {
			return true
		}
		for _, x := range v {
			if refers(x, ids) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(x any) bool { return refers(x, ids) })
	}
	return false
}
