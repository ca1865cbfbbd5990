// Package asl reads and steps the part of the Amazon States Language (JSONPath)
// that Slipway's state machines use, to the letter of the specification and of
// Step Functions, and refuses the rest with a position. It is pure: time, tokens
// and randomness are given by the caller.
package asl
