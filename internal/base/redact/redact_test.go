package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	for _, tt := range []struct {
		text    string
		secrets []string
		want    string
	}{
		{"x abcdefgh y", []string{"abcd", "abcdefgh"}, "x [secret] y"},
		{"x abcdefgh y abcd", []string{"abcdefgh", "abcd"}, "x [secret] y [secret]"},
		{"abcdefgh", []string{"abcde", "defgh"}, "[secret]"},
		{"abcdabcd", []string{"abcd"}, "[secret][secret]"},
		{"line one, then line two", []string{"line one\n  line two\n"}, "[secret], then [secret]"},
		{"a yes is no secret", []string{"yes", "", "\n"}, "a yes is no secret"},
		{"nothing", nil, "nothing"},
	} {
		s := &Set{}
		s.Add(tt.secrets...)
		if got := s.Text(tt.text); got != tt.want {
			t.Errorf("%q without %q = %q, want %q", tt.text, tt.secrets, got, tt.want)
		}
		if got := string(s.Bytes([]byte(tt.text))); got != tt.want {
			t.Errorf("the bytes of %q without %q = %q, want %q", tt.text, tt.secrets, got, tt.want)
		}
	}
}

// No encoding that programs use for output shows a secret, or most of it.
func TestEncodedForms(t *testing.T) {
	encodings := map[string]func(string) string{
		"raw":    func(v string) string { return v },
		"json":   func(v string) string { b, _ := json.Marshal(v); return string(b) },
		"go":     func(v string) string { return fmt.Sprintf("%q %+q", v, v) },
		"query":  url.QueryEscape,
		"path":   url.PathEscape,
		"lower":  func(v string) string { return strings.ToLower(url.PathEscape(v)) },
		"hex":    func(v string) string { return hex.EncodeToString([]byte(v)) },
		"HEX":    func(v string) string { return fmt.Sprintf("%X", v) },
		"base64": func(v string) string { return base64.StdEncoding.EncodeToString([]byte(v)) },
		"url64":  func(v string) string { return base64.RawURLEncoding.EncodeToString([]byte(v)) },
	}
	for _, secret := range []string{"hunter2hunter2", "p/ss+w?rd=\"<&>'", "pässwörd-日本😀", "line one\nline\ttwo \\ end"} {
		s := &Set{}
		s.Add(secret)
		for name, encode := range encodings {
			if name == "lower" && secret != strings.ToLower(secret) {
				continue
			}
			if got := s.Text("before " + encode(secret) + " after"); strings.ReplaceAll(got, Mark, "") != "before  after" &&
				strings.Trim(strings.ReplaceAll(got, Mark, ""), "befort a\"\\n") != "" {
				t.Errorf("%q as %s leaves %q", secret, name, got)
			}
		}
		// Inside a longer text that is encoded as a whole.
		for before := range 4 {
			text := strings.Repeat("x", before) + secret + "yy"
			for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
				if got := s.Text(e.EncodeToString([]byte(text))); !strings.Contains(got, Mark) || len(got) > len(Mark)+16 {
					t.Errorf("%q after %d bytes in base64 leaves %q", secret, before, got)
				}
			}
		}
	}
}

func TestANilSetRemovesNothing(t *testing.T) {
	var s *Set
	if s.Text("text") != "text" || string(s.Bytes([]byte("text"))) != "text" || !s.Empty() {
		t.Error("a nil set removed something")
	}
}

func FuzzText(f *testing.F) {
	f.Add("a secret here", "secret", "cret here")
	f.Fuzz(func(t *testing.T, text, one, two string) {
		s := &Set{}
		s.Add(one, two)
		if got, same := s.Text(text), string(s.Bytes([]byte(text))); got != same {
			t.Errorf("%q and %q", got, same)
		}
	})
}

// FuzzCopy compares a copy in parts with one in a piece.
func FuzzCopy(f *testing.F) {
	f.Add(0, 4)
	f.Add(copied-3, 1)
	f.Add(2*copied-2, 7)
	f.Add(copied+30, 2000)
	f.Fuzz(func(t *testing.T, at, times int) {
		var s Set
		s.Add("a-secret-value", "value and more\nof two lines")
		text := strings.Repeat("x", max(0, min(at, 3*copied))) + strings.Repeat("a-secret-value and more\nof two lines", max(0, min(times, 5000))) + "tail"
		var got bytes.Buffer
		if err := s.Copy(&got, strings.NewReader(text)); err != nil || got.String() != s.Text(text) {
			t.Errorf("%d, %d: %d bytes instead of %d, %v", at, times, got.Len(), len(s.Text(text)), err)
		}
	})
}

// A text that is one secret after the other has no place to cut.
func TestCopyOfNothingButSecrets(t *testing.T) {
	var s Set
	s.Add("aaaa")
	text := strings.Repeat("a", 3*copied)
	var got bytes.Buffer
	if err := s.Copy(&got, strings.NewReader(text)); err != nil || got.String() != s.Text(text) {
		t.Errorf("%d bytes instead of %d, %v", got.Len(), len(s.Text(text)), err)
	}
}
