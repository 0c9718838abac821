package remote

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// An Address is that of a server, and of an instance of it.
type Address struct {
	Secure   bool   // whether the connection is encrypted
	Host     string // a name or an IP address
	Port     int
	Instance string // a path without slashes at its ends, or empty
}

const addressForm = "write grpcs://HOST[:PORT][/INSTANCE], or grpc:// for a connection without encryption"

var hostName = lazyregexp.New(`^[A-Za-z0-9._-]+$`)

// ParseAddress parses grpc[s]://HOST[:PORT][/INSTANCE]. Without a port, it is 443 for grpcs and 80 for
// grpc.
func ParseAddress(text string) (Address, error) {
	fail := func(why string) (Address, error) {
		return Address{}, fmt.Errorf("the address of the remote server %s; %s", why, addressForm)
	}
	u, err := url.Parse(text)
	if err != nil {
		return fail("cannot be read") // the error would quote a password
	}

	a := Address{Secure: u.Scheme == "grpcs", Host: u.Hostname(), Port: 80, Instance: strings.Trim(u.Path, "/")}
	if a.Secure {
		a.Port = 443
	}

	switch {
	case u.User != nil:
		return fail("holds a user or a password, which would be shown in reports: give it as a header by reference")
	case u.Scheme != "grpc" && u.Scheme != "grpcs":
		return fail(fmt.Sprintf("%q does not start with grpc:// or grpcs://", text))
	case a.Host == "":
		return fail(fmt.Sprintf("%q names no host", text))
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return fail(fmt.Sprintf("%q has a part after its instance", text))
	case strings.ContainsFunc(a.Host+a.Instance, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return fail(fmt.Sprintf("%q has a space or a control character", text))
	case net.ParseIP(a.Host) == nil && !hostName().MatchString(a.Host):
		return fail(fmt.Sprintf("%q has a host that is neither a name nor an IP address", text))
	case strings.ContainsAny(a.Instance, "?#%"):
		return fail(fmt.Sprintf("%q has an instance with one of the characters ? # %%", text))
	}

	if p := u.Port(); p != "" {
		if a.Port, err = strconv.Atoi(p); err != nil || a.Port < 1 || a.Port > 65535 {
			return fail(fmt.Sprintf("%q has no valid port", text))
		}
	}

	// The protocol uses these words in the names of content.
	for _, part := range strings.Split(a.Instance, "/") {
		switch part {
		case "blobs", "uploads", "actions", "actionResults", "operations", "capabilities", "compressed-blobs":
			return fail(fmt.Sprintf("%q has an instance with the word %q, which the protocol reserves", text, part))
		}
	}

	return a, nil
}

// String returns the address in the form of ParseAddress.
func (a Address) String() string {
	scheme := "grpc"
	if a.Secure {
		scheme = "grpcs"
	}
	text := scheme + "://" + a.hostPort()
	if a.Instance != "" {
		text += "/" + a.Instance
	}
	return text
}

func (a Address) hostPort() string { return net.JoinHostPort(a.Host, strconv.Itoa(a.Port)) }

// local reports whether the server is on this machine, so that no network sees what is sent.
func (a Address) local() bool {
	ip := net.ParseIP(a.Host)
	return a.Host == "localhost" || ip != nil && ip.IsLoopback()
}
