package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/localstack/embedded/platform"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// private is a platform for one run.
type private struct {
	platform *platform.Platform
	client   *client.Client
	target   target
	dir      string
	keep     bool
	say      func(dir string)
}

// private starts a platform in a folder of its own: the data folder when one was
// named, else a temporary one that goes with it unless keep. The secrets are those of
// the pipeline's scope.
func (a *app) private(ctx context.Context, keep, named bool, at core.Scope, secrets map[string][]byte) (*private, error) {
	p := &private{dir: a.flags.data, keep: keep || named, say: func(dir string) {
		if keep && !a.json() {
			fmt.Fprintf(a.err, "the data is kept in %s\n", dir)
		}
	}}
	if !named {
		var err error
		if p.dir, err = os.MkdirTemp("", "slipway-run-"); err != nil {
			return nil, fault.New(fault.Internal, "no temporary folder could be made: %w", err)
		}
	}
	log, err := a.logger("error")
	if err != nil {
		return nil, err
	}
	p.platform, err = platform.Start(ctx, platform.Config{
		Dir: p.dir, Addr: "127.0.0.1:0", Version: version(), Logger: log, Delegate: true, AllowAs: true,
	})
	if err != nil {
		return nil, errors.Join(notListening(err), p.clean())
	}
	for id, value := range secrets {
		if err := p.platform.Ports().Secrets.Put(ctx, core.SecretName(at, id), value); err != nil {
			return nil, errors.Join(fault.New(fault.KindOf(err), "--secret %s: %w", id, err), p.close(ctx))
		}
	}
	p.target = target{url: p.platform.URL(), from: "the private platform of this run", args: []string{"--data", p.dir}}
	p.client, err = client.New(p.platform.URL(), p.platform.AdminToken(), a.flags.as)
	if err != nil {
		return nil, errors.Join(err, p.close(ctx))
	}
	return p, nil
}

// notListening keeps a platform that cannot start here apart from one that cannot
// be reached.
func notListening(err error) error {
	if fault.Is(err, fault.Unavailable) {
		return fault.New(fault.Conflict, "%w", err)
	}
	return err
}

func (p *private) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeGrace)
	defer cancel()
	err := p.platform.Close(ctx)
	p.say(p.dir)
	return errors.Join(err, p.clean())
}

func (p *private) clean() error {
	if p.keep {
		return nil
	}
	return os.RemoveAll(p.dir)
}
