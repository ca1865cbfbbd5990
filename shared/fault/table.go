package fault

// Class is what a kind is called by each protocol a door speaks.
type Class struct {
	HTTP    int    // HTTP status code
	Code    string // Harness's REST error code
	ASL     string // error name in a state machine
	Failure string // Harness failure type (BEHAVIOUR §8.2), engine spelling
}

// table is indexed by Kind; a test holds it complete.
var table = [kinds]Class{
	Internal:        {500, "UNKNOWN_ERROR", "Slipway.Internal", "UNKNOWN_FAILURE"},
	Invalid:         {400, "INVALID_REQUEST", "Slipway.Invalid", "UNKNOWN_FAILURE"},
	Unsupported:     {400, "UNSUPPORTED_OPERATION_EXCEPTION", "Slipway.Unsupported", "UNKNOWN_FAILURE"},
	Unauthenticated: {401, "INVALID_TOKEN", "Slipway.Unauthenticated", "AUTHENTICATION_FAILURE"},
	Forbidden:       {403, "ACCESS_DENIED", "Slipway.Forbidden", "AUTHORIZATION_FAILURE"},
	NotFound:        {404, "RESOURCE_NOT_FOUND_EXCEPTION", "Slipway.NotFound", "UNKNOWN_FAILURE"},
	AlreadyExists:   {409, "DUPLICATE_FIELD", "Slipway.AlreadyExists", "UNKNOWN_FAILURE"},
	Conflict:        {409, "ENTITY_CONFLICT", "Slipway.Conflict", "UNKNOWN_FAILURE"},
	Gone:            {410, "ENTITY_GONE", "Slipway.Gone", "UNKNOWN_FAILURE"},
	TooLarge:        {413, "REQUEST_TOO_LARGE", "Slipway.TooLarge", "UNKNOWN_FAILURE"},
	Throttled:       {429, "TOO_MANY_REQUESTS", "Slipway.Throttled", "CONNECTIVITY_FAILURE"},
	Unavailable:     {503, "SERVICE_UNAVAILABLE", "Slipway.Unavailable", "CONNECTIVITY_FAILURE"},
	Timeout:         {504, "TIMEOUT", "Slipway.Timeout", "TIMEOUT_FAILURE"},
	Canceled:        {499, "CANCELED", "Slipway.Canceled", "UNKNOWN_FAILURE"},
}

// ClassOf returns how err is called by HTTP, ASL and failure strategies.
func ClassOf(err error) Class { return table[KindOf(err)] }

// OfHTTP reads the table backwards for clients: the kind that an HTTP status of
// an answer stands for. Any 5xx but 500 means that the server, or something in
// front of it, may answer later.
func OfHTTP(status int) Kind {
	switch {
	case status == 422:
		return Invalid
	case status > 500 && status < 600:
		return Unavailable
	case status == 409: // of the two, the one that promises less
		return Conflict
	}
	for k, c := range table {
		if c.HTTP == status {
			return Kind(k)
		}
	}
	return Internal
}
