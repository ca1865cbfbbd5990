package cli

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slipway-cd/slipway/shared/fault"
)

// config is what `slipway login` stores.
type config struct {
	Server string `json:"server"`
	Token  string `json:"token"`
}

// baseFolder is an XDG base folder: the variable's value, else below the home.
func baseFolder(variable, below string) (string, error) {
	if dir := os.Getenv(variable); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fault.New(fault.Invalid, "neither %s nor the home folder is known: %w", variable, err)
	}
	return filepath.Join(home, below), nil
}

func configPath() (string, error) {
	dir, err := baseFolder("XDG_CONFIG_HOME", ".config")
	return filepath.Join(dir, "slipway", "config.json"), err
}

// readConfig reads what is stored, the zero config when nothing is.
func readConfig() (config, string, error) {
	var c config
	path, err := configPath()
	if err != nil {
		return c, path, nil // without a home nothing is stored
	}
	body, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, path, nil
	}
	if err == nil {
		err = json.Unmarshal(body, &c)
	}
	if err != nil {
		return c, path, fault.New(fault.Invalid, "the stored login cannot be read: %w; log in again", err)
	}
	return c, path, nil
}

// write stores the login, for its owner's eyes only.
func (c config) write() (string, error) {
	path, err := configPath()
	if err != nil {
		return "", err
	}
	body, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return path, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return path, fault.New(fault.Invalid, "the login cannot be stored: %w", err)
	}
	tmp := path + ".new"
	if err := os.WriteFile(tmp, append(body, '\n'), 0o600); err != nil {
		return path, fault.New(fault.Invalid, "the login cannot be stored: %w", err)
	}
	return path, os.Rename(tmp, path)
}
