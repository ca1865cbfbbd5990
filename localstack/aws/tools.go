package aws

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// The last open release needs Python 3.13; the one before runs on older ones.
const (
	newVersion = "4.14.0"
	oldVersion = "4.9.2"
	newPython  = 13 // of 3.x
	oldPython  = 10
	oldestJava = 17
)

// tools are what this machine has to bring.
type tools struct {
	python        string // path
	pythonVersion string // "3.11"
	version       string // of LocalStack that fits
	java          string // home of the JDK
}

func (t tools) jdk(name string) string { return filepath.Join(t.java, "bin", name) }

// requirements is the file with the Python packages of this release.
func (t tools) requirements() string { return "requirements-" + t.version + ".txt" }

// look finds the tools, or says of each one missing what it takes.
func look(ctx context.Context) (tools, error) {
	var t tools
	var lacks []error
	if err := t.lookPython(ctx); err != nil {
		lacks = append(lacks, err)
	}
	if _, err := exec.LookPath("npm"); err != nil {
		lacks = append(lacks, errors.New("npm: DynamoDB Local is taken from there (Debian: nodejs npm; https://nodejs.org)"))
	}
	if err := t.lookJava(ctx); err != nil {
		lacks = append(lacks, err)
	}
	if len(lacks) == 0 {
		return t, nil
	}
	var b strings.Builder
	for _, l := range lacks {
		fmt.Fprintf(&b, "\n  - %s", l)
	}
	return t, fmt.Errorf("for LocalStack without Docker this machine lacks:%s", b.String())
}

func (t *tools) lookPython(ctx context.Context) error {
	missing := fmt.Errorf("python3, 3.%d or newer, with venv (Debian: python3 python3-venv)", oldPython)
	for _, name := range []string{"python3.13", "python3"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		out, err := exec.CommandContext(ctx, path, "-c", "import sys, venv, ensurepip; print(sys.version_info[1])").CombinedOutput() //nolint:gosec // found above
		said := strings.TrimSpace(string(out))
		minor, notNumber := strconv.Atoi(said)
		switch {
		case err != nil || notNumber != nil: // for one a shim whose Python is not there
			missing = fmt.Errorf("%w; %s says: %s", missing, path, said)
		case minor < oldPython:
			missing = fmt.Errorf("%w; %s is 3.%d", missing, path, minor)
		default:
			t.python, t.pythonVersion, t.version = path, fmt.Sprintf("3.%d", minor), fitting(minor)
			return nil
		}
	}
	return missing
}

// fitting is the release of LocalStack for Python 3.minor.
func fitting(minor int) string {
	if minor >= newPython {
		return newVersion
	}
	return oldVersion
}

var (
	javaHome    = regexp.MustCompile(`(?m)^\s*java\.home = (.+?)\s*$`)
	javaVersion = regexp.MustCompile(`(?m)^\s*java\.specification\.version = ([0-9]+)\s*$`)
)

func (t *tools) lookJava(ctx context.Context) error {
	remedy := fmt.Sprintf("a JDK, %d or newer: DynamoDB Local is a Java program (Debian: openjdk-17-jdk-headless)", oldestJava)
	path, err := exec.LookPath("java")
	if err != nil {
		return errors.New(remedy)
	}
	out, err := exec.CommandContext(ctx, path, "-XshowSettings:properties", "-version").CombinedOutput() //nolint:gosec // found above
	home, version := javaHome.FindSubmatch(out), javaVersion.FindSubmatch(out)
	if err != nil || home == nil || version == nil {
		return fmt.Errorf("%s; %s says: %s", remedy, path, strings.TrimSpace(string(out)))
	}
	if n, err := strconv.Atoi(string(version[1])); err != nil || n < oldestJava {
		return fmt.Errorf("%s; %s is %s", remedy, path, version[1])
	}
	t.java = string(home[1])
	for _, name := range []string{"javac", "jar"} {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		if _, err := exec.LookPath(t.jdk(name)); err != nil {
			return fmt.Errorf("%s; %s has no %s", remedy, t.java, name)
		}
	}
	return nil
}
