package runner

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"
)

// blockedError is the refusal to send a request somewhere.
type blockedError struct{ where string }

func (e *blockedError) Error() string {
	return e.where + " is a link-local or cloud metadata address; the delegate sends no requests there unless it is configured to"
}

// metadata is where clouds give out a machine's credentials, apart from the
// link-local ranges: AWS (IPv6), Alibaba, Oracle, Azure.
var metadata = []netip.Addr{
	netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("100.100.100.200"),
	netip.MustParseAddr("192.0.0.192"), netip.MustParseAddr("168.63.129.16"),
}

// nat64 is the prefix behind which an IPv4 address may stand.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// blocked reports whether requests to the address are refused (DESIGN §7).
func blocked(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if nat64.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	return a.IsLinkLocalUnicast() || a.IsLinkLocalMulticast() || slices.Contains(metadata, a)
}

// guardedDialer refuses by the address that is dialed, after names were resolved
// and redirects followed.
func guardedDialer() *net.Dialer {
	return &net.Dialer{
		Timeout: 30 * time.Second, KeepAlive: 30 * time.Second,
		Control: func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err == nil && blocked(to.Addr()) {
				return &blockedError{to.Addr().String()}
			}
			return nil
		},
	}
}

// hostGuard refuses by the address in the URL, for a proxy dials in our place.
type hostGuard struct{ next http.RoundTripper }

func (g hostGuard) RoundTrip(req *http.Request) (*http.Response, error) {
	host := strings.ToLower(strings.TrimSuffix(req.URL.Hostname(), "."))
	a, err := netip.ParseAddr(host)
	if host == "metadata.google.internal" || err == nil && blocked(a) {
		return nil, &blockedError{host}
	}
	return g.next.RoundTrip(req)
}
