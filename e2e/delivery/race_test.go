//go:build race

package delivery

const raced = true
