// Command catalogue is the function behind the REST routes of what people keep.
package main

import (
	authorizer "github.com/slipway-cd/slipway/functions/authorizer/door"
	"github.com/slipway-cd/slipway/functions/catalogue/door"
	"github.com/slipway-cd/slipway/shared/aws/function"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/govern"
)

func main() {
	s := function.Environment()
	ports := s.Keeping()
	users := govern.New(ports.Store, ports.Clock)
	users.Account = s.Account
	routes := door.New(door.Config{Catalogue: entity.NewCatalogue(ports), Govern: users, Ports: ports})
	function.HTTP(function.Meter(ports).HTTP("catalogue", routes), authorizer.New(users).WithFirstAdmin(ports.Secrets, s.AdminSecret, ports.Clock).Middleware)
}
