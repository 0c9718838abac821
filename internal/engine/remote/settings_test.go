package remote

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // a format of password files
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestParseAddress(t *testing.T) {
	for text, want := range map[string]string{
		"grpcs://cache.example.com":            "grpcs://cache.example.com:443",
		"grpc://cache.example.com":             "grpc://cache.example.com:80",
		"grpcs://cache.example.com:9092/a/b/":  "grpcs://cache.example.com:9092/a/b",
		"grpc://[::1]:9092":                    "grpc://[::1]:9092",
		"grpcs://cache.example.com/bad:443":    "grpcs://cache.example.com:443/bad:443",
		"https://cache.example.com":            "error: does not start with grpc",
		"cache.example.com:9092":               "error: does not start with grpc",
		"grpcs://":                             "error: names no host",
		"grpcs://:443":                         "error: names no host",
		"grpcs://u:geheim@cache.example":       "error: holds a user or a password",
		"grpcs://u:geheim@cache.example:port":  "error: cannot be read",
		"grpcs://cache.example:0":              "error: no valid port",
		"grpcs://cache.example:70000":          "error: no valid port",
		"grpcs://cache.example/a?b":            "error: a part after its instance",
		"grpcs://cache.example/team/blobs/x":   "error: the protocol reserves",
		"grpcs://cache.example/team%0aone":     "error: a space or a control character",
		"":                                     "error: does not start with grpc",
		"grpcs://cache.example/\x00":           "error: cannot be read",
		"grpc://cache.example.com:9092/x#frag": "error: a part after its instance",
	} {
		a, err := ParseAddress(text)
		got := a.String()
		if err != nil {
			got = "error: " + err.Error()
			if strings.Contains(got, "geheim") {
				t.Errorf("%q: the error shows a password", text)
			}
		}
		if why, fails := strings.CutPrefix(want, "error: "); fails != (err != nil) || !strings.Contains(got, why) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		if err == nil {
			if again, err := ParseAddress(a.String()); err != nil || again != a {
				t.Errorf("%q is not stable: %v %v", text, again, err)
			}
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	f.Add("grpcs://cache.example.com:9092/a/b")
	f.Add("grpc://[::1]:80")
	f.Add("grpc://::80")
	f.Add("grpc://h/a%23b")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAddress(text)
		if err != nil {
			return
		}
		if again, err := ParseAddress(a.String()); err != nil || again != a {
			t.Errorf("%q became %q, which is %+v, %v", text, a, again, err)
		}
	})
}

func TestBadSettings(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	environ := map[string]string{"TOKEN": "geheim", "EMPTY": "", "LINES": "geheim\r\nx-other: 1"}
	for name, c := range map[string]struct {
		address string
		set     func(*Settings)
		want    string
	}{
		"a value instead of a reference": {"grpcs://h", func(s *Settings) { s.Bearer = "geheim" }, "the bearer token of the remote cache is not a reference"},
		"a variable that is not set":     {"grpcs://h", func(s *Settings) { s.Bearer = "env:NOT_SET" }, "NOT_SET is not set"},
		"a variable that is empty":       {"grpcs://h", func(s *Settings) { s.Bearer = "env:EMPTY" }, "EMPTY is not set"},
		"a file that is missing":         {"grpcs://h", func(s *Settings) { s.Bearer = "file:missing" }, "missing"},
		"no encryption":                  {"grpc://h", func(s *Settings) { s.Bearer = "env:TOKEN" }, "sent without encryption"},
		"no encryption, helper":          {"grpc://h", func(s *Settings) { s.CredentialHelper = "x" }, "sent without encryption"},
		"a header with lines":            {"grpcs://h", func(s *Settings) { s.Headers = map[string]string{"x-a": "env:LINES"} }, "cannot be sent"},
		"a name with a space":            {"grpcs://h", func(s *Settings) { s.Headers = map[string]string{"x a": "env:TOKEN"} }, "cannot be sent"},
		"a name of gRPC":                 {"grpcs://h", func(s *Settings) { s.Headers = map[string]string{"grpc-timeout": "env:TOKEN"} }, "cannot be sent"},
		"no certificates":                {"grpcs://h", func(s *Settings) { s.CertificateAuthority = file("ca", "nothing") }, "holds no certificate"},
		"certificates, no encryption":    {"grpc://h", func(s *Settings) { s.CertificateAuthority = file("ca", "nothing") }, "certificates need an encrypted connection"},
		"a certificate without a key":    {"grpcs://h", func(s *Settings) { s.ClientCertificate = "file:ca" }, "give both"},
		"a certificate that is none":     {"grpcs://h", func(s *Settings) { s.ClientCertificate, s.ClientKey = "file:ca", "env:TOKEN" }, "give a certificate and its key"},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := ParseAddress(c.address)
			if err != nil {
				t.Fatal(err)
			}
			file("ca", "nothing")
			s := Settings{Address: a, Root: dir, Lookup: func(name string) (string, bool) { v, ok := environ[name]; return v, ok }}
			c.set(&s)
			if _, err := newClient(t.Context(), &s); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "geheim") {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

// authority makes certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	dir  string
}

func (a *authority) make(name string, parent *authority) *authority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	c := &authority{t: a.t, key: key, dir: a.dir}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, BasicConstraintsValid: true,
	}
	if parent == nil {
		template.IsCA, template.KeyUsage = true, x509.KeyUsageCertSign
		parent = &authority{cert: template, key: key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent.cert, key.Public(), parent.key)
	if err != nil {
		a.t.Fatal(err)
	}
	if c.cert, err = x509.ParseCertificate(der); err != nil {
		a.t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	a.write(name+".pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	a.write(name+".key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
	return c
}

func (a *authority) write(name string, content []byte) {
	if err := os.WriteFile(filepath.Join(a.dir, name), content, 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// TestPassword has the setup of the documentation: encryption, and a password to write.
func TestPassword(t *testing.T) {
	a := &authority{t: t, dir: t.TempDir()}
	ca := a.make("ca", nil)
	a.make("server", ca)
	digest := sha1.Sum([]byte("geheim")) //nolint:gosec // as above
	a.write("htpasswd", fmt.Appendf(nil, "ci:{SHA}%s\n", base64.StdEncoding.EncodeToString(digest[:])))
	in := func(name string) string { return filepath.Join(a.dir, name) }
	s := bazelRemote(t, "--tls_cert_file", in("server.pem"), "--tls_key_file", in("server.key"), "--htpasswd_file", in("htpasswd"), "--allow_unauthenticated_reads")
	address := strings.Replace(s.Address, "grpc://", "grpcs://", 1)
	t.Setenv("LOGIN", "Basic "+base64.StdEncoding.EncodeToString([]byte("ci:geheim")))
	var secrets []string
	trusting := func(o *Options) { o.Root, o.CertificateAuthority = a.dir, "ca.pem" }
	writer := newSide(t, address, trusting, func(o *Options) {
		o.Headers = map[string]string{"Authorization": "env:LOGIN"}
		o.Hide = func(v string) { secrets = append(secrets, v) }
	})
	k := writer.make("one", 2<<20)
	writer.share(k)
	if len(secrets) != 1 || !strings.HasPrefix(secrets[0], "Basic ") {
		t.Errorf("hidden: %q", secrets)
	}

	reader := newSide(t, address, trusting)
	if found, why := reader.Lookup(k); !found {
		t.Fatalf("%s %q", why, reader.warnings())
	}
	if _, err := reader.content(k); err != nil {
		t.Error(err)
	}
	reader.Offer(reader.make("two", 100))
	if lost := reader.Close(context.Background()); lost != 1 {
		t.Error("uploaded without a password")
	}
	if w := reader.warnings(); len(w) != 1 || !strings.Contains(w[0], "uploading: it does not accept the credentials") {
		t.Errorf("%q", w)
	}

	stranger := newSide(t, address)
	if found, _ := stranger.Lookup(k); found {
		t.Error("trusts an unknown certificate")
	}
	if w := stranger.warnings(); len(w) != 1 || !strings.Contains(w[0], "certificate") {
		t.Errorf("%q", w)
	}
}

// TestClientCertificate has a server that asks for one.
func TestClientCertificate(t *testing.T) {
	a := &authority{t: t, dir: t.TempDir()}
	ca := a.make("ca", nil)
	a.make("server", ca)
	a.make("client", ca)
	in := func(name string) string { return filepath.Join(a.dir, name) }
	s := bazelRemote(t, "--tls_cert_file", in("server.pem"), "--tls_key_file", in("server.key"), "--tls_ca_file", in("ca.pem"))
	address := strings.Replace(s.Address, "grpc://", "grpcs://", 1)
	trusting := func(o *Options) { o.Root, o.CertificateAuthority = a.dir, "ca.pem" }
	known := newSide(t, address, trusting, func(o *Options) { o.ClientCertificate, o.ClientKey = "file:client.pem", "file:client.key" })
	k := known.make("one", 100)
	known.share(k)
	stranger := newSide(t, address, trusting)
	if found, _ := stranger.Lookup(k); found {
		t.Error("the server asks for no certificate")
	}
	if len(stranger.warnings()) != 1 {
		t.Errorf("%q", stranger.warnings())
	}
}

func TestCredentialHelper(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the helper is a shell script")
	}
	a := &authority{t: t, dir: t.TempDir()}
	digest := sha1.Sum([]byte("geheim")) //nolint:gosec // as above
	a.write("htpasswd", fmt.Appendf(nil, "ci:{SHA}%s\n", base64.StdEncoding.EncodeToString(digest[:])))
	s := bazelRemote(t, "--htpasswd_file", filepath.Join(a.dir, "htpasswd"))
	script := func(name, text string) string {
		a.write(name, []byte("#!/bin/sh\n"+text))
		if err := os.Chmod(filepath.Join(a.dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		return "./" + name
	}
	login := "Basic " + base64.StdEncoding.EncodeToString([]byte("ci:geheim"))
	good := script("good", `echo "$1 $(cat)" >>"$0.asked"; echo '{"headers": {"Authorization": ["`+login+`"]}, "expires": "2100-01-01T00:00:00Z"}'`)
	x := newSide(t, s.Address, func(o *Options) { o.Root, o.CredentialHelper = a.dir, good })
	x.share(x.make("one", 100), x.make("two", 100))
	asked, err := os.ReadFile(filepath.Join(a.dir, "good.asked"))
	want := fmt.Sprintf("get {\"uri\":\"https://%s\"}\n", strings.TrimPrefix(s.Address, "grpc://"))
	if err != nil || string(asked) != want {
		t.Errorf("asked %q, want %q once", asked, want)
	}
	for name, text := range map[string]string{
		"fails": "echo geheim; exit 1", "nonsense": "echo geheim", "none": `echo '{}'`, "invalid": `echo '{"headers": {"a b": ["geheim"]}}'`, "endless": "yes geheim",
	} {
		bad := newSide(t, s.Address, func(o *Options) { o.Root, o.CredentialHelper = a.dir, script(name, text) })
		if found, _ := bad.Lookup(keyOf("one")); found {
			t.Errorf("%s: found", name)
		}
		if w := bad.warnings(); len(w) != 1 || strings.Contains(w[0], "geheim") {
			t.Errorf("%s: %q", name, w)
		}
	}
}
