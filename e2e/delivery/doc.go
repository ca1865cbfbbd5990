// Package delivery holds only a test: whatever order what happens to a small run
// arrives in, once, twice or late, it ends the same. All orders are tried.
package delivery
