//go:build !race

package delivery

const raced = false
