package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/model"
)

// secrets are the values of references while a server is used. They are removed
// from every text that comes back.
type secrets struct{ keys []model.Key }

func newSecrets() *secrets { return &secrets{} }

// lookupSecret returns the secret that a reference stands for.
type lookupSecret func(kind, name string) (string, error)

// lookup finds secrets, and notes them.
func (s *secrets) lookup(ctx context.Context) lookupSecret {
	return func(kind, name string) (string, error) {
		secret, err := secretOf(ctx, kind, name)
		if err == nil {
			s.keys = append(s.keys, model.NewKey(secret))
		}
		return secret, err
	}
}

// resolveAny resolves the references of a text that may have none.
func resolveAny(text string, lookup lookupSecret) (string, error) {
	referring, err := selection.Reference(text)
	if err != nil || !strings.Contains(text, "${") {
		return text, nil
	}
	return selection.Resolve(referring, lookup)
}

func (s *secrets) text(text string) string {
	for _, k := range s.keys {
		text = k.Remove(text)
	}
	return text
}

func (s *secrets) json(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return raw
	}
	for _, k := range s.keys {
		raw = k.RemoveJSON(raw)
	}
	return raw
}

// hide removes the secrets from the text of an error. The error of a context stays
// as it is, because callers ask for it.
func (s *secrets) hide(err error) error {
	kept := []error{ErrNoConsent, context.Canceled, context.DeadlineExceeded}
	if err == nil || len(s.keys) == 0 || slices.ContainsFunc(kept, func(k error) bool { return errors.Is(err, k) }) {
		return err
	}
	return errors.New(s.text(err.Error()))
}

type requestSecretsKey struct{}

// WithRequestSecrets returns a context in which ${request:NAME} has the value of
// that name.
func WithRequestSecrets(ctx context.Context, values map[string]string) context.Context {
	if len(values) == 0 {
		return ctx
	}
	return context.WithValue(ctx, requestSecretsKey{}, values)
}

// RequestSecrets returns the values of ${request:NAME} in a context.
func RequestSecrets(ctx context.Context) map[string]string {
	values, _ := ctx.Value(requestSecretsKey{}).(map[string]string)
	return values
}

// login resolves the references of a server's login.
func (l Live) login(ctx context.Context, s selection.Server, found *secrets) (headers, env map[string]string,
	err error) {
	lookup := found.lookup(ctx)
	resolve := func(values map[string]string) (map[string]string, error) {
		resolved := map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			text, err := selection.Resolve(values[name], lookup)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}

			resolved[name] = text
		}

		return resolved, nil
	}
	if headers, err = resolve(s.Login.Headers); err != nil {
		return nil, nil, err
	}

	if env, err = resolve(s.Login.Env); err != nil || s.Login.OAuth == nil {
		return headers, env, err
	}

	token, err := l.token(ctx, *s.Login.OAuth, lookup)
	if err != nil {
		return nil, nil, fmt.Errorf("its token of OAuth: %w", err)
	}

	found.keys = append(found.keys, model.NewKey(token))
	headers["Authorization"] = "Bearer " + token
	return headers, env, nil
}

func secretOf(ctx context.Context, kind, name string) (string, error) {
	switch kind {
	case "env":
		if v := os.Getenv(name); v != "" {
			return v, nil
		}

		return "", fmt.Errorf("the environment variable %s is not set: set it", name)
	case "file":
		text, err := readlimit.File(ctx, name, readlimit.MaxSecret)
		if err != nil {
			return "", err
		}

		return model.NewKey(string(readlimit.WithoutMark(text))).Reveal(), nil
	}

	if v := RequestSecrets(ctx)[http.CanonicalHeaderKey(name)]; v != "" {
		return v, nil
	}

	return "", fmt.Errorf("the request has no header %s%s: send it", RequestSecretPrefix, name)
}

// RequestSecretPrefix begins the headers of a request to the service that hold the
// values of ${request:NAME}.
const RequestSecretPrefix = "X-MCP-Secret-"

// token obtains a token with client credentials. The connection is restricted like
// those to servers, and no redirect is followed, because it has the secret.
func (l Live) token(ctx context.Context, o selection.OAuth, lookup lookupSecret) (string, error) {
	secret, err := selection.Resolve(o.ClientSecret, lookup)
	if err != nil {
		return "", err
	}

	transport := http.DefaultTransport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	if l.Dial != nil {
		transport.DialContext, transport.Proxy = l.Dial, nil
	}

	client := &http.Client{Transport: transport, Timeout: DefaultTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	config := clientcredentials.Config{ClientID: o.ClientID, ClientSecret: secret, TokenURL: o.TokenURL}
	if o.Scope != "" {
		config.Scopes = []string{o.Scope}
	}

	token, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, client))
	if err != nil {
		return "", err
	}

	return token.AccessToken, nil
}
