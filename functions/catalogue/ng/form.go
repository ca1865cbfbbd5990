package ng

import (
	"errors"
	"io"
	"net/http"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/fault"
)

// form is a body of multipart/form-data: fields, and at most one file.
type form struct {
	fields map[string]string
	file   []byte // nil for none
}

// maxFields bounds the parts of a form beside its file.
const maxFields = 50

// readForm reads a form whose file has at most limit bytes. The part of the file is
// called as file says.
func readForm(c *request.Call, file string, limit int64) (form, error) {
	const room = 1 << 20 // for the other parts
	if c.ContentLength > limit+room {
		return form{}, tooLong(limit)
	}
	c.Body = http.MaxBytesReader(nil, c.Body, limit+room)
	r, err := c.MultipartReader()
	if err != nil {
		return form{}, fault.New(fault.Invalid, "the body is no form: send multipart/form-data")
	}
	f := form{fields: map[string]string{}}
	for range maxFields {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			return f, nil
		}
		if err != nil {
			return f, unreadable(err, limit)
		}
		text, err := io.ReadAll(io.LimitReader(part, limit+room))
		switch {
		case err != nil:
			return f, unreadable(err, limit)
		case part.FormName() != file:
			f.fields[part.FormName()] = string(text)
		case int64(len(text)) > limit:
			return f, tooLong(limit)
		default:
			f.file = append([]byte{}, text...)
		}
	}
	return f, fault.New(fault.TooLarge, "the form has more than %d parts", maxFields)
}

func unreadable(err error, limit int64) error {
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return tooLong(limit)
	}
	return fault.New(fault.Invalid, "the form cannot be read: %s", err)
}

func tooLong(limit int64) error {
	return fault.New(fault.TooLarge, "the file is too long: it may have %d bytes", limit)
}
