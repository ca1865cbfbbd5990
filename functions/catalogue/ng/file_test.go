package ng_test

import (
	"bytes"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/functions/apitest"
	"github.com/slipway-cd/slipway/shared/core"
)

// upload is a form with a file's content.
func upload(t *testing.T, content []byte) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for k, v := range map[string]string{"identifier": "f", "name": "f.bin", "type": "FILE", "parentIdentifier": "Root"} {
		if err := w.WriteField(k, v); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("content", "f.bin")
	if err == nil {
		_, err = part.Write(content)
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}

func TestFileContents(t *testing.T) {
	f := apitest.Start(t)
	for name, tc := range map[string]struct {
		content []byte
		status  int
	}{
		"text":        {[]byte("a: ä\r\n\tb\n"), 200},
		"nothing":     {[]byte{}, 200},
		"binary":      {[]byte{0, 0xff, 0xfe, '\n', 0x80}, 200},
		"pieces":      {[]byte(strings.Repeat("ü", 300<<10)), 200},
		"the longest": {bytes.Repeat([]byte{0xff}, 2<<20), 200},
		"a byte more": {bytes.Repeat([]byte{0xff}, 2<<20+1), 413},
		"controls":    {make([]byte, core.MaxEntitySent/6), 200},
		"one more":    {make([]byte, core.MaxEntitySent/6+1), 413},
		"far more":    {make([]byte, 4<<20), 413},
	} {
		body, contentType := upload(t, tc.content)
		r := f.Do(apitest.Request{Method: "POST", Path: "/ng/api/file-store", Body: body, User: "admin", Header: map[string]string{"Content-Type": contentType}})
		if r.Status != tc.status {
			t.Fatalf("%s: %d %s", name, r.Status, r.Body)
		}
		if tc.status != 200 {
			continue
		}
		r = f.Do(apitest.Request{Method: "GET", Path: "/ng/api/file-store/files/f/download", User: "admin"})
		if r.Status != 200 || !bytes.Equal(r.Body, tc.content) || r.Header.Get("Content-Type") != "application/octet-stream" {
			t.Errorf("%s: %d, %d bytes of %d, %s", name, r.Status, len(r.Body), len(tc.content), r.Header.Get("Content-Type"))
		}
		f.Do(apitest.Request{Method: "DELETE", Path: "/ng/api/file-store/f", User: "admin"}).Into(t, 200, nil)
	}
}
