package selection

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// Login says how a server is logged in to. It holds references to secrets and
// never a secret: ${env:NAME}, ${file:PATH} and ${request:NAME} stand for an
// environment variable, the content of a file, and a header of a request to the
// service. Text around them is kept, as in "Bearer ${env:TOKEN}".
type Login struct {
	// Headers are sent to the URL of the server.
	Headers map[string]string `json:"headers,omitempty"`
	// Env are further variables of the environment of a program.
	Env map[string]string `json:"env,omitempty"`
	// OAuth obtains a token for the header Authorization.
	OAuth *OAuth `json:"oauth,omitempty"`
}

// OAuth are client credentials (RFC 6749, section 4.4).
type OAuth struct {
	TokenURL     string `json:"token_url"`
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"` // a reference
	Scope        string `json:"scope,omitempty"`
}

// Empty reports whether no login is needed.
func (l Login) Empty() bool { return len(l.Headers) == 0 && len(l.Env) == 0 && l.OAuth == nil }

var (
	reference  = lazyregexp.New(`\$\{([^{}]*)\}`)
	envName    = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
	headerName = lazyregexp.New("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
	// whole matches a value that is a reference without braces.
	whole = lazyregexp.New(`^(env|file|request):.+$`)
)

// Reference brings a value into its stored form, ${kind:name} with text around it.
// env:NAME, file:PATH, request:NAME and ${NAME} are short for such a value. A value
// without a reference could be a secret and is refused.
func Reference(value string) (string, error) {
	if whole().MatchString(value) {
		value = "${" + value + "}"
	}

	var bad error
	found := false
	value = reference().ReplaceAllStringFunc(value, func(text string) string {
		kind, name, ok := strings.Cut(text[2:len(text)-1], ":")
		if !ok {
			kind, name = "env", kind
		}

		found = true
		switch {
		case kind == "env" && envName().MatchString(name), kind == "file" && name != "",
			kind == "request" && headerName().MatchString(name):
			return "${" + kind + ":" + name + "}"
		}

		bad = fmt.Errorf("%q is no reference: write ${env:NAME}, ${file:PATH} or ${request:NAME}", text)
		return text
	})
	if bad == nil && !found {
		bad = errors.New("it is written out, and would be stored: give it by reference, as env:NAME or file:PATH")
	}

	return value, bad
}

// Resolve replaces the references of a value. lookup returns the secret of one.
func Resolve(value string, lookup func(kind, name string) (string, error)) (string, error) {
	var bad error
	value = reference().ReplaceAllStringFunc(value, func(text string) string {
		kind, name, _ := strings.Cut(text[2:len(text)-1], ":")
		secret, err := lookup(kind, name)
		if err != nil && bad == nil {
			bad = err
		}
		return secret
	})
	return value, bad
}

func (s *Server) checkLogin() error {
	l := &s.Login
	if len(l.Headers) > maxListed || len(l.Env) > maxListed {
		return fmt.Errorf("it has more than %d headers or variables", maxListed)
	}

	switch {
	case s.Transport == Stdio && (len(l.Headers) > 0 || l.OAuth != nil):
		return errors.New("a program has no headers and no OAuth: give its variables with env")
	case s.Transport != Stdio && len(l.Env) > 0:
		return errors.New("a server at a URL has no environment: give it headers")
	}

	for _, group := range []struct {
		what   string
		values map[string]string
		name   *regexp.Regexp
	}{{"header", l.Headers, headerName()}, {"variable", l.Env, envName()}} {
		for _, name := range slices.Sorted(maps.Keys(group.values)) {
			if !group.name.MatchString(name) {
				return fmt.Errorf("%q is no name of a %s", name, group.what)
			}

			value, err := Reference(group.values[name])
			if err != nil {
				return fmt.Errorf("%s %s: %w", group.what, name, err)
			}

			group.values[name] = value
		}
	}

	if l.OAuth == nil {
		return nil
	}

	if err := checkURL(s.Name, l.OAuth.TokenURL); err != nil {
		return fmt.Errorf("the token URL of OAuth: %w", err)
	}

	if l.OAuth.ClientID == "" {
		return errors.New("OAuth has no client id: give it")
	}

	secret, err := Reference(l.OAuth.ClientSecret)
	l.OAuth.ClientSecret = secret
	if err != nil {
		return fmt.Errorf("the client secret of OAuth: %w", err)
	}

	return nil
}

// SameAddress reports whether two servers are one: their URLs differ in the case of
// the host, a default port, a fragment, or the name of this machine.
func SameAddress(a, b string) bool { return addressKey(a) == addressKey(b) }
