package rest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// Guard decides which addresses the service may connect to. It is asked at the
// dialer, after names are resolved, so a name that resolves to another address
// at the second look gains nothing. Public addresses are allowed, all others
// only where Allow contains them.
type Guard struct {
	Allow []netip.Prefix
}

// Loopback are the addresses of this machine, for Guard.Allow.
var Loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// special are the ranges that netip calls global unicast and that are not
// public: RFC 6890 and the registries it started. Translation prefixes are
// listed since an IPv4 address of any kind is embedded in them.
var special = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32",
	"2002::/16",
	"fec0::/10", "::/96")

func prefixes(texts ...string) []netip.Prefix {
	var list []netip.Prefix
	for _, text := range texts {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}

// check refuses an address that the service may not connect to.
func (g Guard) check(address netip.Addr) error {
	address = address.Unmap().WithZone("")
	contains := func(p netip.Prefix) bool { return p.Contains(address) }
	if slices.ContainsFunc(g.Allow, contains) {
		return nil
	}
	if address.IsGlobalUnicast() && !address.IsPrivate() && !slices.ContainsFunc(special, contains) {
		return nil
	}
	return fmt.Errorf("the address %s is not public: start the service with --allow network=%s to allow it", address,
		netip.PrefixFrom(address, address.BitLen()))
}

// Dial connects to an address that the guard allows.
func (g Guard) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: 30 * time.Second, Control: func(_, resolved string, _ syscall.RawConn) error {
		a, err := netip.ParseAddrPort(resolved)
		if err != nil {
			return fmt.Errorf("the address %q cannot be judged: %w", resolved, err)
		}
		return g.check(a.Addr())
	}}
	return d.DialContext(ctx, network, address)
}

// Client is for requests to the providers of models. It follows no redirects and
// uses no proxies, which would connect in its place.
func (g Guard) Client() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext, t.Proxy = g.Dial, nil
	return &http.Client{Transport: t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}
