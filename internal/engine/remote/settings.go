package remote

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
)

// Settings say how to connect. Secrets stand in them by reference: env:NAME for an environment
// variable, or file:PATH.
type Settings struct {
	Address Address
	// What is what messages call the server, and Off how to do without it. They are those of a
	// remote cache if they are empty.
	What, Off string
	// Headers maps names to references. Bearer is the reference of a token for the header
	// authorization.
	Headers map[string]string
	Bearer  string
	// CertificateAuthority is the path of the certificates that the server's must follow from. It is
	// empty for those of the system.
	CertificateAuthority string
	// ClientCertificate and ClientKey are references of the certificate that this side shows.
	ClientCertificate, ClientKey string
	// CredentialHelper is a program that answers with headers, as Bazel's.
	CredentialHelper string

	Root   string                      // of relative paths
	Lookup func(string) (string, bool) // of environment variables
	Hide   func(string)                // is told every secret; may be nil
	Agent  string                      // name and version of the program
	Limits Limits
}

func (s *Settings) what() string { return cmp.Or(s.What, "remote cache") }

func (s *Settings) off() string {
	return cmp.Or(s.Off, "turn the remote cache off with TOUCHSTONE_REMOTE_MODE=off")
}

// value returns what a reference refers to.
func (s *Settings) value(ctx context.Context, what, ref string) (string, error) {
	kind, from, _ := strings.Cut(ref, ":")
	var v string
	switch kind {
	case "env":
		var ok bool
		if v, ok = s.Lookup(from); !ok || v == "" {
			return "", fmt.Errorf("%s of the %s: the environment variable %s is not set; set it, or %s", what, s.what(),
				from, s.off())
		}
	case "file":
		b, err := readlimit.File(ctx, s.path(from), readlimit.MaxSecret)
		if err != nil {
			return "", fmt.Errorf("%s of the %s: %w; create the file, or %s", what, s.what(), err, s.off())
		}

		v = string(readlimit.WithoutMark(b))
	default:
		// The text could be the secret itself.
		return "", fmt.Errorf("%s of the %s is not a reference; write env:NAME or file:PATH, never the value", what,
			s.what())
	}

	v = strings.TrimSpace(v)
	if s.Hide != nil {
		s.Hide(v)
	}

	return v, nil
}

func (s *Settings) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.Root, filepath.FromSlash(name))
}

// headers returns what is sent with each request.
func (s *Settings) headers(ctx context.Context) (map[string]string, error) {
	sent := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		v, err := s.value(ctx, "the header "+name, s.Headers[name])
		if err != nil {
			return nil, err
		}

		if !validHeader(name, v) {
			return nil, fmt.Errorf("the header %q of the %s cannot be sent: its name or its value has a character "+
				"that headers cannot have", name, s.what())
		}

		sent[strings.ToLower(name)] = v
	}

	if s.Bearer != "" {
		v, err := s.value(ctx, "the bearer token", s.Bearer)
		if err != nil {
			return nil, err
		}

		if !validHeader("authorization", v) {
			return nil, fmt.Errorf("the bearer token of the %s has a character that headers cannot have; check what "+
				"its reference refers to", s.what())
		}

		sent["authorization"] = "Bearer " + v
	}

	return sent, nil
}

// validHeader reports whether gRPC can send a header.
func validHeader(name, value string) bool {
	name = strings.ToLower(name)
	if name == "" || strings.HasPrefix(name, "grpc-") || strings.HasPrefix(name, ":") ||
		strings.HasSuffix(name, "-bin") {
		return false
	}
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.' {
			return false
		}
	}
	return !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' })
}

// dialOptions returns the options of a connection. It reads all secrets.
func (s *Settings) dialOptions(ctx context.Context) ([]grpc.DialOption, error) {
	options := []grpc.DialOption{
		grpc.WithUserAgent(s.Agent),
		grpc.WithDisableServiceConfig(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage)),
	}
	sent, err := s.headers(ctx)
	if err != nil {
		return nil, err
	}

	if secret := len(sent) > 0 || s.CredentialHelper != ""; secret && !s.Address.Secure && !s.Address.local() {
		return nil, fmt.Errorf("the %s %s: its credentials would be sent without encryption; use grpcs://", s.what(),
			s.Address)
	}

	if len(sent) > 0 {
		options = append(options, grpc.WithPerRPCCredentials(fixedHeaders(sent)))
	}

	if !s.Address.Secure {
		if s.ClientCertificate != "" || s.ClientKey != "" || s.CertificateAuthority != "" {
			return nil, fmt.Errorf("the %s %s: certificates need an encrypted connection; use grpcs://", s.what(),
				s.Address)
		}

		return append(options, grpc.WithTransportCredentials(insecure.NewCredentials())), nil
	}

	config, err := s.tls(ctx)
	if err != nil {
		return nil, err
	}

	return append(options, grpc.WithTransportCredentials(credentials.NewTLS(config))), nil
}

func (s *Settings) tls(ctx context.Context) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.CertificateAuthority != "" {
		b, err := readlimit.File(ctx, s.path(s.CertificateAuthority), maxCertificates)
		if err != nil {
			return nil, fmt.Errorf("the certificate authority of the %s: %w; name a file of certificates in PEM",
				s.what(), err)
		}

		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(b) {
			return nil, fmt.Errorf("the certificate authority of the %s: %s holds no certificate; name a file of "+
				"certificates in PEM", s.what(), s.CertificateAuthority)
		}
	}

	if (s.ClientCertificate == "") != (s.ClientKey == "") {
		return nil, fmt.Errorf("the %s has a client certificate without its key, or a key without its certificate; "+
			"give both", s.what())
	}

	if s.ClientCertificate != "" {
		certificate, err := s.value(ctx, "the client certificate", s.ClientCertificate)
		if err != nil {
			return nil, err
		}

		key, err := s.value(ctx, "the key of the client certificate", s.ClientKey)
		if err != nil {
			return nil, err
		}

		pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
		if err != nil {
			return nil, fmt.Errorf("the client certificate of the %s: %w; give a certificate and its key, in PEM",
				s.what(), err)
		}

		config.Certificates = []tls.Certificate{pair}
	}

	return config, nil
}

const maxCertificates = 4 << 20

// fixedHeaders are headers that are the same for all requests.
type fixedHeaders map[string]string

func (h fixedHeaders) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return h, nil
}

// RequireTransportSecurity returns false because dialOptions has checked it: a server on this machine
// needs no encryption.
func (h fixedHeaders) RequireTransportSecurity() bool { return false }
