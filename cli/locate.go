package cli

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/fault"
)

// serverFile is what a platform leaves in its data folder to be found by.
type serverFile struct {
	URL            string `json:"url"`
	AdminTokenFile string `json:"admin_token_file"`
	PID            int    `json:"pid"`
}

// readServerFile reads DIR/server.json; ok is false when there is none.
func readServerFile(dir string) (serverFile, bool, error) {
	var s serverFile
	body, err := os.ReadFile(filepath.Join(dir, "server.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err != nil {
		return s, false, fault.New(fault.Invalid, "the data folder cannot be read: %w", err)
	}
	if err := json.Unmarshal(body, &s); err != nil {
		return s, false, fault.New(fault.Invalid, "%s is damaged (%w); a platform writes it anew when it starts", filepath.Join(dir, "server.json"), err)
	}
	return s, true, nil
}

// target is a platform that was found, not yet called.
type target struct {
	url   string
	token string
	from  string   // where the address comes from, for errors
	args  []string // what names the same platform on another command line
}

// locate finds the platform to speak to and a user's token for it.
func (a *app) locate() (target, error) {
	t, err := a.server()
	if err == nil && t.token == "" {
		t.token, err = a.userToken(t.url)
	}
	return t, err
}

// server finds where the platform is: --server, SLIPWAY_SERVER, DATA/server.json,
// login. A token comes with the last two.
func (a *app) server() (target, error) {
	if a.flags.server != "" {
		return target{url: a.flags.server, from: "--server", args: []string{"--server", a.flags.server}}, nil
	}
	if s := os.Getenv("SLIPWAY_SERVER"); s != "" {
		return target{url: s, from: "SLIPWAY_SERVER"}, nil
	}
	here, found, err := readServerFile(a.flags.data)
	if err != nil {
		return target{}, err
	}
	if found {
		t := target{url: here.URL, from: filepath.Join(a.flags.data, "server.json")}
		if a.flags.data != defaultData {
			t.args = []string{"--data", a.flags.data}
		}
		t.token, err = a.tokenOr(func() (string, error) { return readToken(here.AdminTokenFile) })
		return t, err
	}
	c, path, err := readConfig()
	if err != nil {
		return target{}, err
	}
	if c.Server != "" {
		t := target{url: c.Server, from: path}
		t.token, err = a.tokenOr(func() (string, error) { return c.Token, nil })
		return t, err
	}
	return target{}, fault.New(fault.Unavailable, "no platform is known: there is no --server, no SLIPWAY_SERVER, no %s and no login in %s\n"+
		"start one here: slipway up\nor name one: --server URL --token-file FILE", filepath.Join(a.flags.data, "server.json"), path)
}

// userToken finds a token for a server that was named: flags, SLIPWAY_TOKEN, the
// data folder or the login when they are of this very server.
func (a *app) userToken(server string) (string, error) {
	return a.tokenOr(func() (string, error) {
		if t := os.Getenv("SLIPWAY_TOKEN"); t != "" {
			return t, nil
		}
		here, found, err := readServerFile(a.flags.data)
		if err != nil {
			return "", err
		}
		if found && sameServer(here.URL, server) {
			return readToken(here.AdminTokenFile)
		}
		c, path, err := readConfig()
		if err != nil {
			return "", err
		}
		if sameServer(c.Server, server) {
			return c.Token, nil
		}
		return "", fault.New(fault.Unauthenticated, "there is no token for %s: no --token, --token-file or SLIPWAY_TOKEN, and neither %s nor %s is of it",
			server, filepath.Join(a.flags.data, "server.json"), path)
	})
}

// tokenOr is the token given by a flag, else what otherwise finds.
func (a *app) tokenOr(otherwise func() (string, error)) (string, error) {
	switch {
	case a.flags.token != "":
		return a.flags.token, nil
	case a.flags.tokenFile != "":
		return readToken(a.flags.tokenFile)
	default:
		return otherwise()
	}
}

func readToken(path string) (string, error) {
	body, err := os.ReadFile(path)
	if err != nil {
		return "", fault.New(fault.Invalid, "the token cannot be read: %w", err)
	}
	return strings.TrimSpace(string(body)), nil
}

// sameServer compares two addresses; every spelling of this machine is the same.
func sameServer(x, y string) bool {
	origin := func(s string) string {
		u, err := url.Parse(s)
		if err != nil || u.Host == "" {
			return ""
		}
		host := u.Hostname()
		if host == "localhost" || host == "::1" {
			host = "127.0.0.1"
		}
		return u.Scheme + "://" + host + ":" + u.Port()
	}
	return origin(x) != "" && origin(x) == origin(y)
}

// connect returns a client for the platform that locate finds.
func (a *app) connect() (*client.Client, target, error) {
	t, err := a.locate()
	if err != nil {
		return nil, t, err
	}
	c, err := client.New(t.url, t.token, a.flags.as)
	return c, t, err
}

// reached adds to an error that no platform answered where its address came from.
func (t target) reached(err error) error {
	if !fault.Is(err, fault.Unavailable) {
		return err
	}
	return fault.New(fault.Unavailable, "%w (the address is from %s)\nstart one here: slipway up\nor name another: --server URL --token-file FILE", err, t.from)
}
