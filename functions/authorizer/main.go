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
	users := govern.New(ports.Store, ports.Clock)
	users.Account = s.Account
	function.Authorizer(door.New(users).WithFirstAdmin(ports.Secrets, s.AdminSecret, ports.Clock).Principal)
}
