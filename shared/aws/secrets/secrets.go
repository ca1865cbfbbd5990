// Package secrets is the Secrets port on Secrets Manager, under one prefix.
package secrets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/slipway-cd/slipway/shared/aws/call"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Bounds, those of core.Secrets and of Secrets Manager.
const (
	maxName  = 512
	maxValue = 64 << 10
)

// hashed begins, behind the prefix, the name of a secret whose own is too long
// beside the prefix.
const hashed = "=sha256/"

const (
	notFound = "ResourceNotFoundException"
	exists   = "ResourceExistsException"
	// deleted is what Secrets Manager says, among others, of a secret that is
	// scheduled for deletion.
	deleted = "InvalidRequestException"
)

var kinds = call.Kinds{
	notFound:                    fault.NotFound,
	exists:                      fault.Unavailable, // it has come and gone while we tried
	deleted:                     fault.Unavailable, // a deletion that is not through yet
	"InternalServiceError":      fault.Unavailable,
	"PreconditionNotMet":        fault.Internal,
	"LimitExceededException":    fault.Throttled,
	"InvalidParameterException": fault.Internal,
}

var nameRule = regexp.MustCompile(`^[A-Za-z0-9/_+=.@-]+$`)

// oneCall is what every call counts.
var oneCall = core.Use{core.SecretCalls: 1}

// Secrets implements core.Secrets.
type Secrets struct {
	prefix, key string
	client      func() *secretsmanager.Client
}

// New returns the secrets whose names begin with prefix ("slipway/"). key is the
// KMS key of new ones, "" for the account's own.
func New(cfg aws.Config, prefix, key string) *Secrets {
	return &Secrets{prefix: prefix, key: key, client: call.Lazy(cfg, func(c aws.Config) *secretsmanager.Client {
		return secretsmanager.NewFromConfig(c)
	})}
}

// Get implements core.Secrets.
func (s *Secrets) Get(ctx context.Context, name string) ([]byte, error) {
	id, err := s.id(name)
	if err != nil {
		return nil, err
	}
	core.Count(ctx, oneCall)
	out, err := s.client().GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &id})
	if code := call.Code(err); code == notFound || code == deleted {
		return nil, fault.New(fault.NotFound, "no secret %q: %w", name, err)
	}
	if err != nil {
		return nil, call.Fault(ctx, "reading a secret", err, kinds)
	}
	if out.SecretBinary == nil { // text
		return []byte(aws.ToString(out.SecretString)), nil
	}
	return out.SecretBinary, nil
}

// Put implements core.Secrets. One that is scheduled for deletion is restored.
func (s *Secrets) Put(ctx context.Context, name string, value []byte) error {
	id, err := s.id(name)
	switch {
	case err != nil:
		return err
	case len(value) == 0:
		return fault.New(fault.Invalid, "secret %q is empty", name)
	case len(value) > maxValue:
		return fault.New(fault.TooLarge, "secret %q has %d bytes: at most %d are allowed", name, len(value), maxValue)
	}
	err = s.update(ctx, id, value)
	switch call.Code(err) {
	case notFound:
		err = s.create(ctx, id, value)
		if call.Code(err) == exists { // another was faster
			err = s.update(ctx, id, value)
		}
	case deleted:
		if err = s.restore(ctx, id); err == nil {
			err = s.update(ctx, id, value)
		}
	}
	return call.Fault(ctx, "storing a secret", err, kinds)
}

func (s *Secrets) update(ctx context.Context, id string, value []byte) error {
	in := &secretsmanager.UpdateSecretInput{SecretId: &id}
	in.SecretString, in.SecretBinary = content(value)
	core.Count(ctx, oneCall)
	_, err := s.client().UpdateSecret(ctx, in)
	return err
}

// content keeps text as text, which people can read in AWS's console.
func content(value []byte) (text *string, data []byte) {
	if utf8.Valid(value) {
		return aws.String(string(value)), nil
	}
	return nil, value
}

func (s *Secrets) create(ctx context.Context, id string, value []byte) error {
	in := &secretsmanager.CreateSecretInput{Name: &id}
	in.SecretString, in.SecretBinary = content(value)
	if s.key != "" {
		in.KmsKeyId = &s.key
	}
	core.Count(ctx, oneCall)
	_, err := s.client().CreateSecret(ctx, in)
	return err
}

func (s *Secrets) restore(ctx context.Context, id string) error {
	core.Count(ctx, oneCall)
	_, err := s.client().RestoreSecret(ctx, &secretsmanager.RestoreSecretInput{SecretId: &id})
	return err
}

// Delete implements core.Secrets. There is no time of grace.
func (s *Secrets) Delete(ctx context.Context, name string) error {
	id, err := s.id(name)
	if err != nil {
		return err
	}
	err = s.remove(ctx, id)
	if call.Code(err) == deleted { // with grace, by hand
		if err = s.restore(ctx, id); err == nil {
			err = s.remove(ctx, id)
		}
	}
	if call.Code(err) == notFound {
		return nil
	}
	return call.Fault(ctx, "deleting a secret", err, kinds)
}

func (s *Secrets) remove(ctx context.Context, id string) error {
	core.Count(ctx, oneCall)
	_, err := s.client().DeleteSecret(ctx, &secretsmanager.DeleteSecretInput{SecretId: &id, ForceDeleteWithoutRecovery: aws.Bool(true)})
	return err
}

// id checks a name and returns Secrets Manager's.
func (s *Secrets) id(name string) (string, error) {
	switch {
	case !nameRule.MatchString(name):
		return "", fault.New(fault.Invalid, "secret %q: a name is of letters, digits and /_+=.@-", name)
	case len(name) > maxName:
		return "", fault.New(fault.TooLarge, "a secret's name of %d characters: at most %d are allowed", len(name), maxName)
	case len(s.prefix)+len(name) > maxName || strings.HasPrefix(name, hashed):
		sum := sha256.Sum256([]byte(name))
		return s.prefix + hashed + hex.EncodeToString(sum[:]), nil
	}
	return s.prefix + name, nil
}
