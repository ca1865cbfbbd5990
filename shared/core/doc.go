// Package core holds the nouns of Slipway, their keys and access patterns, and
// the ports through which everything else reaches the world. It imports only
// the standard library and fault; one file is one noun or one port.
package core
