// Package blob is the Blobs port on S3: objects under one prefix of a bucket. Its
// role needs s3:ListBucket besides, without which S3 says "denied" of what is absent.
package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/slipway-cd/slipway/shared/aws/call"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

const maxKey = 1024 // bytes: core.Blobs, and S3 with the prefix

// hashed begins, behind the prefix, the name of an object whose key is too long
// beside the prefix.
const hashed = "=sha256/"

var kinds = call.Kinds{"NoSuchKey": fault.NotFound, "NotFound": fault.NotFound, "NoSuchBucket": fault.Internal}

// Blobs implements core.Blobs.
type Blobs struct {
	bucket, prefix string
	client         func() *s3.Client
}

// New returns the objects of a bucket whose keys begin with prefix ("blobs/").
func New(cfg aws.Config, bucket, prefix string) *Blobs {
	return &Blobs{bucket: bucket, prefix: prefix, client: call.Lazy(cfg, func(c aws.Config) *s3.Client {
		return s3.NewFromConfig(c, func(o *s3.Options) {
			o.UsePathStyle = c.BaseEndpoint != nil // stand-ins have no host name for each bucket
		})
	})}
}

// Get implements core.Blobs.
func (b *Blobs) Get(ctx context.Context, key string) ([]byte, error) {
	name, err := b.name(key)
	if err != nil {
		return nil, err
	}
	core.Count(ctx, core.Use{core.BlobReads: 1})
	out, err := b.client().GetObject(ctx, &s3.GetObjectInput{Bucket: &b.bucket, Key: &name})
	if err != nil {
		return nil, call.Fault(ctx, "reading a blob", err, kinds)
	}
	defer func() { _ = out.Body.Close() }()
	data, err := io.ReadAll(out.Body)
	return data, call.Fault(ctx, "reading a blob", err, kinds)
}

// Put implements core.Blobs.
func (b *Blobs) Put(ctx context.Context, key string, data []byte) error {
	name, err := b.name(key)
	if err != nil {
		return err
	}
	core.Count(ctx, core.Use{core.BlobWrites: 1})
	_, err = b.client().PutObject(ctx, &s3.PutObjectInput{
		Bucket: &b.bucket, Key: &name, Body: bytes.NewReader(data), ContentLength: aws.Int64(int64(len(data))),
	})
	return call.Fault(ctx, "storing a blob", err, kinds)
}

// Delete implements core.Blobs.
func (b *Blobs) Delete(ctx context.Context, key string) error {
	name, err := b.name(key)
	if err != nil {
		return err
	}
	_, err = b.client().DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.bucket, Key: &name})
	if err = call.Fault(ctx, "deleting a blob", err, kinds); fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// name checks a key and returns S3's.
func (b *Blobs) name(key string) (string, error) {
	switch {
	case len(key) > maxKey:
		return "", fault.New(fault.TooLarge, "a blob's key of %d bytes: at most %d are allowed", len(key), maxKey)
	case !fs.ValidPath(key) || key == ".":
		return "", fault.New(fault.Invalid, "blob %q: a key is a path of names parted by /, without . and ..", key)
	case len(b.prefix)+len(key) > maxKey || strings.HasPrefix(key, hashed):
		sum := sha256.Sum256([]byte(key))
		return b.prefix + hashed + hex.EncodeToString(sum[:]), nil
	}
	return b.prefix + key, nil
}
