package change

import (
	"regexp"
	"strings"
	"sync"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
)

var email = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[\pL\pN._%+-]+@[\pL\pN-]+(?:\.[\pL\pN-]+)+`)
})

// documented are the domains that stand for any other in documentation (RFC 2606),
// and this machine.
var documented = []string{"example.com", "example.org", "example.net", "localhost", "127.0.0.1"}

// maxAddresses bounds the addresses of a text that are compared.
const maxAddresses = 32

// addressesOf lists the hosts of URLs and the mail addresses that a text names.
func addressesOf(text string) []string {
	out := email().FindAllString(text, maxAddresses)
	for from := 0; len(out) < maxAddresses; {
		k := char.IndexFrom(text, "://", from)
		if k < 0 {
			break
		}

		end := k + len("://")
		for end < len(text) && (char.IsWord(text[end]) || strings.IndexByte(".-_", text[end]) >= 0) {
			end++
		}

		from = k + len("://")
		if host := strings.TrimRight(text[from:end], "."); host != "" {
			out = append(out, host)
		}
	}

	return out
}

// newAddress reports whether a text names an address that the approved one does not.
func newAddress(was, now string) bool {
	for _, address := range addressesOf(now) {
		if !strings.Contains(was, address) && !isDocumented(address) {
			return true
		}
	}
	return false
}

// isDocumented reports whether an address belongs to a domain that documentation uses.
func isDocumented(address string) bool {
	host := address[strings.LastIndexByte(address, '@')+1:]
	for _, d := range documented {
		if host == d || strings.HasSuffix(host, "."+d) {
			return true
		}
	}
	return false
}
