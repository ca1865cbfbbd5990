// Command authorizer is the function that API Gateway asks before every other.
package main

import (
	"github.com/slipway-cd/slipway/functions/authorizer/door"
	"github.com/slipway-cd/slipway/shared/aws/function"
	"github.com/slipway-cd/slipway/shared/govern"
)

func main() {
	s := function.Environment()
	ports := s.Identity()
	function.Authorizer(door.New(govern.New(ports.Store, ports.Clock)).WithFirstAdmin(ports.Secrets, s.AdminSecret, ports.Clock).Principal)
}
