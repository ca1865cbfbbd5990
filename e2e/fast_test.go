//go:build !slow

package e2e

// rounds of 250 claim races; the slow suite runs four.
const rounds = 1
