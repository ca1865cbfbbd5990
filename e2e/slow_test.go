//go:build slow

package e2e

// rounds of 250 claim races.
const rounds = 4
