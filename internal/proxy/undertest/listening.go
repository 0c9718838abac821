package undertest

import (
	"fmt"
	"net/netip"
	"strings"
)

// otherListeners describes where the proxy's processes listen if that differs from the
// given address, or returns "" if it is unknown.
func (p *Proxy) otherListeners(told address) string {
	var others []string
	for _, at := range listening(p.home) {
		if told.base != "http://"+at.String() {
			others = append(others, at.String())
		}
	}
	if len(others) == 0 || told.base == "" {
		return ""
	}
	return fmt.Sprintf("; it should listen at %s but listens at %s", strings.TrimPrefix(told.base, "http://"),
		strings.Join(others, " and "))
}

// checkListeners refuses a proxy with a process that listens where other machines can
// reach it.
func (p *Proxy) checkListeners() error {
	for _, at := range listening(p.home) {
		if !at.Addr().Unmap().IsLoopback() {
			return fmt.Errorf("it listens at %s but must listen only on loopback: configure it to bind only 127.0.0.1",
				at)
		}
	}
	return nil
}

// addressText parses an address of /proc/net/tcp: each four bytes of the address in
// the byte order of the machine, in hexadecimal, then the port.
func addressText(text string) (netip.AddrPort, bool) {
	host, port, ok := strings.Cut(text, ":")
	var n uint16
	if _, err := fmt.Sscanf(port, "%04X", &n); err != nil || !ok || len(host) != 8 && len(host) != 32 {
		return netip.AddrPort{}, false
	}

	raw := make([]byte, len(host)/2)
	if _, err := fmt.Sscanf(host, "%X", &raw); err != nil {
		return netip.AddrPort{}, false
	}

	for i := 0; i+4 <= len(raw); i += 4 {
		raw[i], raw[i+1], raw[i+2], raw[i+3] = raw[i+3], raw[i+2], raw[i+1], raw[i]
	}

	addr, ok := netip.AddrFromSlice(raw)
	return netip.AddrPortFrom(addr.Unmap(), n), ok
}
