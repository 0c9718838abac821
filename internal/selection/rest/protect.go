package rest

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/selection/page"
	"github.com/touchstone-eval/touchstone/internal/selection/runner"
)

// MinToken is the shortest token, in bytes.
const MinToken = 16

// Access says who may use the service.
type Access struct {
	// Token is what requests have to bear. Empty means that none is needed.
	Token string
	// Hosts are the names that requests may use for the service beside localhost
	// and, where Remote is set, IP addresses.
	Hosts []string
	// Remote says that the service listens beyond loopback.
	Remote bool
}

// Validate refuses access that is too open.
func (a Access) Validate() error {
	switch {
	case a.Remote && a.Token == "":
		return fmt.Errorf("a service that other machines can reach needs a token: give --token env:NAME or file:PATH")
	case a.Token != "" && len(a.Token) < MinToken:
		return fmt.Errorf("the token is shorter than %d bytes: choose a longer one", MinToken)
	}
	return nil
}

// IsLoopback reports whether a listener is reachable from this machine alone.
func IsLoopback(address net.Addr) bool {
	a, err := netip.ParseAddrPort(address.String())
	return err == nil && a.Addr().Unmap().IsLoopback()
}

// protect refuses requests that a page of another site made a browser send, and
// those without the token.
func (a Access) protect(next http.Handler) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "private, no-cache")
		switch {
		case !a.isOwn(r.Host):
			// A name of another site may resolve to this address (DNS rebinding).
			writeProblem(w, http.StatusMisdirectedRequest,
				"the host of the request is not a name of this service: use localhost, or start it with --allow "+
					"host=NAME")
		case crossOrigin.Check(r) != nil, crossSite(r):
			writeProblem(w, http.StatusForbidden, "the request comes from a page of another origin")
		case r.URL.Path != healthPath && !page.Serves(r.URL.Path) && !a.admits(r):
			h.Set("WWW-Authenticate", `Bearer realm="touchstone"`)
			writeProblem(w, http.StatusUnauthorized,
				"the request needs the service's token: send the header Authorization: Bearer TOKEN")
		default:
			inner := r.WithContext(runner.WithRequestSecrets(r.Context(), requestSecrets(r.Header)))
			next.ServeHTTP(w, inner)
			r.Pattern = inner.Pattern // for the measures
		}
	})
}

// crossSite reports whether a page of another site made a browser ask the API. A
// request that only reads may start a program or contact a server, so it is refused
// too. A link to the page itself is not.
func crossSite(r *http.Request) bool {
	from := r.Header.Get("Sec-Fetch-Site")
	return (from == "cross-site" || from == "same-site") && !page.Serves(r.URL.Path)
}

// isOwn reports whether a host is a name or an address of this service.
func (a Access) isOwn(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if address, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return a.Remote || address.Unmap().IsLoopback()
	}
	return host == "localhost" ||
		slices.ContainsFunc(a.Hosts, func(name string) bool { return strings.EqualFold(name, host) })
}

func (a Access) admits(r *http.Request) bool {
	if a.Token == "" {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	// The digests have one length, so the comparison tells nothing of the token's.
	want, got := sha256.Sum256([]byte(a.Token)), sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

// requestSecrets are the values of ${request:NAME}, from headers of the request.
func requestSecrets(h http.Header) map[string]string {
	values := map[string]string{}
	prefix := http.CanonicalHeaderKey(runner.RequestSecretPrefix)
	for name, list := range h {
		if rest, ok := strings.CutPrefix(name, prefix); ok && len(list) > 0 && rest != "" {
			values[http.CanonicalHeaderKey(rest)] = list[0]
		}
	}
	return values
}
