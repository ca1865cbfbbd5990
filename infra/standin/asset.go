package standin

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// asset is a file or folder that the template takes from CDK's bucket.
type asset struct {
	Source struct {
		Path      string `json:"path"`
		Packaging string `json:"packaging"` // file or zip
	} `json:"source"`
	Destinations map[string]struct {
		Bucket string `json:"bucketName"`
		Key    string `json:"objectKey"`
	} `json:"destinations"`
}

// assembly is what CDK has synthesised.
type assembly struct {
	name     string // of the stack
	template []byte
	assets   []asset
}

// read finds the one stack in a folder.
func read(dir string) (assembly, error) {
	found, err := filepath.Glob(filepath.Join(dir, "*.template.json"))
	if err != nil || len(found) != 1 {
		return assembly{}, fmt.Errorf("there is not one stack in %s but %d: infra/localstack prepare makes it", dir, len(found))
	}
	a := assembly{name: strings.TrimSuffix(filepath.Base(found[0]), ".template.json")}
	if a.template, err = os.ReadFile(found[0]); err != nil {
		return a, err
	}
	body, err := fs.ReadFile(os.DirFS(dir), a.name+".assets.json")
	if err != nil {
		return a, err
	}
	var manifest struct {
		Files map[string]asset `json:"files"`
	}
	if err := json.Unmarshal(body, &manifest); err != nil {
		return a, err
	}
	for _, f := range manifest.Files {
		if strings.HasSuffix(f.Source.Path, ".template.json") {
			continue
		}
		f.Source.Path = filepath.Join(dir, f.Source.Path)
		a.assets = append(a.assets, f)
	}
	return a, nil
}

// content is an asset as it is uploaded. Nothing is compressed: it does not travel.
func (a asset) content() ([]byte, error) {
	if a.Source.Packaging != "zip" {
		return os.ReadFile(a.Source.Path)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	root := os.DirFS(a.Source.Path)
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(root, p)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: p, Method: zip.Store}
		h.SetMode(0o755)
		f, err := w.CreateHeader(h)
		if err != nil {
			return err
		}
		_, err = f.Write(body)
		return err
	})
	if err == nil {
		err = w.Close()
	}
	return out.Bytes(), err
}
