package main

import (
	"net"
	"net/netip"
	"strconv"
)

// pageURL returns the address of a service for a browser on this machine. A
// service that listens on all addresses is reached by the name localhost.
func pageURL(listening net.Addr) string {
	at := listening.String()
	if a, err := netip.ParseAddrPort(at); err == nil && a.Addr().Unmap().IsUnspecified() {
		at = net.JoinHostPort("localhost", strconv.Itoa(int(a.Port())))
	}
	return "http://" + at + "/"
}
