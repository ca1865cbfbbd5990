// Package blob is the embedded Blobs port: a file for each key under one folder.
// Files are named by the hash of their key, so that keys that differ in case
// only, or of which one is the other's folder, stay apart on every file system.
package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"

	"github.com/slipway-cd/slipway/shared/fault"
)

const (
	maxKey = 1024 // bytes, core.Blobs
	tmp    = "tmp"
)

// Blobs implements core.Blobs.
type Blobs struct{ root *os.Root }

// Open uses the folder dir, making it (mode 0700) when it is absent. Only one
// process may use it at a time.
func Open(dir string) (*Blobs, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, unavailable("opening", dir, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unavailable("opening", dir, err)
	}
	// What a crash has left half-written goes.
	if err := errors.Join(root.RemoveAll(tmp), root.Mkdir(tmp, 0o700)); err != nil {
		return nil, errors.Join(unavailable("opening", dir, err), root.Close())
	}
	return &Blobs{root: root}, nil
}

// Close lets go of the folder.
func (b *Blobs) Close() error { return b.root.Close() }

// Get returns the bytes of a key.
func (b *Blobs) Get(ctx context.Context, key string) ([]byte, error) {
	_, name, err := locate(ctx, key)
	if err != nil {
		return nil, err
	}
	data, err := b.root.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "no blob %q", key)
	}
	if err != nil {
		return nil, unavailable("reading", key, err)
	}
	return data, nil
}

// Put writes the bytes aside, syncs them and moves them into place, so that a
// reader or a crash finds the old ones or the new ones whole.
func (b *Blobs) Put(ctx context.Context, key string, data []byte) error {
	folder, name, err := locate(ctx, key)
	if err != nil {
		return err
	}
	switch err := b.root.Mkdir(folder, 0o700); {
	case err == nil:
		b.sync(".")
	case !errors.Is(err, fs.ErrExist):
		return unavailable("writing", key, err)
	}
	part := tmp + "/" + rand.Text()
	if err := b.write(part, data); err != nil {
		_ = b.root.Remove(part)
		return unavailable("writing", key, err)
	}
	if err := b.root.Rename(part, name); err != nil {
		_ = b.root.Remove(part)
		return unavailable("writing", key, err)
	}
	b.sync(folder)
	return nil
}

// Delete removes a key.
func (b *Blobs) Delete(ctx context.Context, key string) error {
	folder, name, err := locate(ctx, key)
	if err != nil {
		return err
	}
	err = b.root.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unavailable("deleting", key, err)
	}
	b.sync(folder)
	return nil
}

func (b *Blobs) write(name string, data []byte) error {
	f, err := b.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// sync makes the names in a folder durable. Not every system can; there the file
// system does it in its own time.
func (b *Blobs) sync(folder string) {
	if d, err := b.root.Open(folder); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// locate checks a key and returns where its file is.
func locate(ctx context.Context, key string) (folder, name string, err error) {
	switch {
	case ctx.Err() != nil:
		return "", "", fault.New(fault.Canceled, "blob: %w", ctx.Err())
	case len(key) > maxKey:
		return "", "", fault.New(fault.TooLarge, "a blob's key of %d bytes: at most %d are allowed", len(key), maxKey)
	case !fs.ValidPath(key) || key == ".":
		return "", "", fault.New(fault.Invalid, "blob %q: a key is a path of names parted by /, without . and ..", key)
	}
	sum := sha256.Sum256([]byte(key))
	hash := hex.EncodeToString(sum[:])
	return hash[:2], hash[:2] + "/" + hash[2:], nil
}

func unavailable(what, key string, err error) error {
	return fault.New(fault.Unavailable, "%s blob %q: %w", what, key, err)
}
