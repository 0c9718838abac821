package signing

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// newKey writes a new private key and returns its path and the line of its public key.
func newKey(t testing.TB) (file, public string) {
	t.Helper()
	pub, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(pub)
	if err != nil {
		t.Fatal(err)
	}
	return file, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}

func noEnvironment(string) (string, bool) { return "", false }

func list(t testing.TB, lines ...string) *Allowed {
	t.Helper()
	file := filepath.Join(t.TempDir(), "allowed")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := ReadAllowed(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestVerify(t *testing.T) {
	file, public := newKey(t)
	_, other := newKey(t)
	key, err := OpenKey(t.Context(), file, noEnvironment)
	if err != nil {
		t.Fatal(err)
	}
	defer key.Close()
	message := []byte("a result")
	signature, err := key.Sign(message)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct{ line, want string }{
		{"ci " + public, ""},
		{"ci,*@example.com " + public + " a comment", ""},
		{"# a comment\n\n\"ci at home\" " + public, ""},
		{`ci namespaces="git,touchstone" ` + public, ""},
		{`ci namespaces="git,t*e" ` + public, ""},
		{`ci namespaces="git" ` + public, `may only sign for the namespaces git, not "touchstone"`},
		{`ci namespaces="*,!touchstone" ` + public, "may only sign for the namespaces"},
		{`ci valid-after="20261123",valid-before="20261124" ` + public, ""},
		{`ci valid-after="202611231201Z" ` + public, "is valid only after 2026-11-23 12:01:00"},
		{`ci VALID-BEFORE="20261123120000Z" ` + public, "was valid only before 2026-11-23 12:00:00"},
		{`ci cert-authority ` + public, "list the key itself"},
		{`ci namespaces="git" ` + public + "\nci " + public, ""}, // any line may allow it
		{"ci " + other, "allowed does not list"},
		{"", "allowed does not list"},
	} {
		signer, err := list(t, tt.line).Verify(message, signature, now)
		switch {
		case tt.want == "" && (err != nil || signer.Fingerprint != key.Fingerprint() || !strings.HasPrefix(signer.Name, "ci")):
			t.Errorf("%s: %+v, %v", tt.line, signer, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: %v, want %q", tt.line, err, tt.want)
		}
	}
	a := list(t, "ci "+public)
	if _, err := a.Verify([]byte("another result"), signature, now); err == nil || !strings.Contains(err.Error(), "does not match its content") {
		t.Errorf("another message: %v", err)
	}
	// No change of the signature is accepted. Characters of the armor may change without one.
	original, _ := pem.Decode(signature)
	for i := range signature {
		for _, changed := range [][]byte{signature[:i], slices.Concat(signature[:i], []byte{signature[i] ^ 1}, signature[i+1:])} {
			_, err := a.Verify(message, changed, now)
			if block, _ := pem.Decode(changed); err == nil && !bytes.Equal(block.Bytes, original.Bytes) {
				t.Errorf("byte %d of %d: accepted", i, len(changed))
			}
		}
	}
}

func TestReadAllowedRefuses(t *testing.T) {
	_, public := newKey(t)
	for line, want := range map[string]string{
		"ci":                                     "no name before the key",
		public:                                   "no key that can be read", // the type is taken for the name
		"ci ssh-ed25519 AAAA":                    "no key that can be read",
		"ci no-such-option " + public:            `unknown option "no-such-option"`,
		`ci valid-after="soon" ` + public:        "is not a time",
		`ci valid-before=20261350 ` + public:     "is not a time",
		`"ci ` + public:                          "no name before the key",
		strings.Repeat("c", 1001) + " " + public: "its name has 1001 bytes",
	} {
		file := filepath.Join(t.TempDir(), "allowed")
		if err := os.WriteFile(file, []byte("# one\n"+line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadAllowed(t.Context(), file); err == nil || !strings.Contains(err.Error(), file+":2: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

func TestEndlessFiles(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip(err)
	}
	if _, err := ReadAllowed(t.Context(), "/dev/zero"); err == nil || !strings.Contains(err.Error(), "is larger than") {
		t.Error(err)
	}
	if _, err := OpenKey(t.Context(), "file:/dev/zero", noEnvironment); err == nil || !strings.Contains(err.Error(), "is larger than") {
		t.Error(err)
	}
}

func FuzzParseEntry(f *testing.F) {
	_, public := newKey(f)
	f.Add("ci " + public)
	f.Add(`"ci" namespaces="git,!x",valid-after="20261123Z",cert-authority ` + public)
	f.Add(`ci valid-before=202611231200 ` + public + " comment")
	f.Fuzz(func(t *testing.T, line string) {
		if e, err := parseEntry(line); err == nil && (e.name == "" || len(e.key) == 0) {
			t.Errorf("%q: %+v", line, e)
		}
	})
}

func FuzzVerify(f *testing.F) {
	file, public := newKey(f)
	key, err := OpenKey(f.Context(), file, noEnvironment)
	if err != nil {
		f.Fatal(err)
	}
	message := []byte("a result")
	signature, err := key.Sign(message)
	if err != nil {
		f.Fatal(err)
	}
	a := list(f, "ci "+public)
	block, _ := pem.Decode(signature)
	f.Add(block.Bytes)
	f.Add(block.Bytes[:len(block.Bytes)-20])
	f.Fuzz(func(t *testing.T, wire []byte) {
		armored := pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: wire})
		if _, err := a.Verify([]byte("another result"), armored, time.Now()); err == nil {
			t.Errorf("%x was accepted for another message", wire)
		}
	})
}

// TestAByteOrderMarkIsNoPartOfAName reads a list that an editor has written with one.
func TestAByteOrderMarkIsNoPartOfAName(t *testing.T) {
	_, public := newKey(t)
	if a := list(t, "\ufeffalice "+public); a.entries[0].name != "alice" {
		t.Errorf("the name is %q", a.entries[0].name)
	}
}
