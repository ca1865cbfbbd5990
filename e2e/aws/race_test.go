//go:build race

package aws

const raced = true
