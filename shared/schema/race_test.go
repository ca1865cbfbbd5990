//go:build race

package schema_test

// raced says that the race detector is on: compiling the largest schemas then
// takes minutes, and nothing in it runs at the same time as anything else.
const raced = true
