// Package guard holds only tests, which fail when the house loses its shape: a
// broken ring, a banned dependency, a missing package comment, an oversized file,
// a word that does not belong here, or an outdated ARCHITECTURE.md.
package guard
