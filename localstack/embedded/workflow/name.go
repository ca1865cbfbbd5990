package workflow

import (
	"encoding/base64"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
)

// Keys of records: executions by machine and name, definitions by digest.
const (
	executionPrefix  = "x/"
	definitionPrefix = "d/"
)

func executionKey(machine, name string) string { return executionPrefix + machine + "/" + name }

// ARNs look like those of Step Functions.
const arnPrefix = "arn:aws:states:local:000000000000:"

func machineARN(machine string) string { return arnPrefix + "stateMachine:" + machine }

func executionARN(machine, name string) string {
	return arnPrefix + "execution:" + machine + ":" + name
}

// machineOf takes a machine's name from a name or an ARN.
func machineOf(target string) string {
	if i := strings.LastIndex(target, ":stateMachine:"); i >= 0 {
		target = target[i+len(":stateMachine:"):]
	}
	name, _, _ := strings.Cut(target, ":")
	return name
}

// functionOf takes a function's name from a name, with or without a qualifier,
// or an ARN.
func functionOf(target string) string {
	if i := strings.LastIndex(target, ":function:"); i >= 0 {
		target = target[i+len(":function:"):]
	}
	name, _, _ := strings.Cut(target, ":")
	return name
}

// validName reports whether s can name an execution.
func validName(s string) bool {
	if s == "" || len(s) > core.MaxExecutionName {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0
}

// A token is the execution's key, encoded so that nobody relies on it, and a
// secret that is compared with the saved token.

func newToken(key, secret string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(key)) + "." + secret
}

func keyOfToken(token string) (string, bool) {
	head, _, ok := strings.Cut(token, ".")
	if !ok || len(token) > core.MaxTokenBytes {
		return "", false
	}
	key, err := base64.RawURLEncoding.DecodeString(head)
	return string(key), err == nil
}
