package undertest

import (
	"fmt"
	"net/netip"
	"strings"
)

// whereElse says where the proxy's processes listen when that is not where
// they were told to; empty when it cannot be found out.
func (p *Proxy) whereElse(told address) string {
	var others []string
	for _, at := range listening(p.home) {
		if told.base != "http://"+at.String() {
			others = append(others, at.String())
		}
	}
	if len(others) == 0 || told.base == "" {
		return ""
	}
	return fmt.Sprintf("; it was told to listen at %s and listens at %s", strings.TrimPrefix(told.base, "http://"), strings.Join(others, " and "))
}

// keepsToLoopback refuses a proxy of which a process listens where other
// machines can reach it.
func (p *Proxy) keepsToLoopback() error {
	for _, at := range listening(p.home) {
		if !at.Addr().Unmap().IsLoopback() {
			return fmt.Errorf("it listens at %s and was told to keep to loopback: see to it that its configuration binds 127.0.0.1 only", at)
		}
	}
	return nil
}

// addressText reads an address as /proc/net/tcp has it: each four bytes of the
// address in the machine's order, in hexadecimal, then the port.
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
