package check_test

import (
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/scanner"
)

// Secrets are found by their format, wherever they stand, and reports do not show them.
func TestEmbeddedSecret(t *testing.T) {
	const aws, github = "AKIAIOSFODNN7EXAMPLE", "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
	pem := "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n-----END OPENSSH PRIVATE KEY-----"
	runCases(t, "secret.embedded", nil, []checkCase{
		{"in a description", described("Uses the key " + aws + "."), "soft"},
		{"a token", described("Pulls with " + github + "."), "soft"},
		{"in a default", withSchema("Pulls.", `{"properties":{"x":{"default":"`+github+`"}}}`), "soft"},
		{"in an example", withSchema("Pulls.", `{"properties":{"x":{"examples":["Bearer `+github+`"]}}}`), "soft"},
		{"a private key", described("Signs with " + pem), "soft"},
		{"a password in an address", withSchema("Queries.", `{"properties":{"dsn":{"default":"postgres://app:s3cr3t-Pa55word@db.example/x"}}}`), "soft"},
		{"a signed token", described("Sends eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4ifQ.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"), "soft"},
		{"a placeholder", described("Needs ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx."), ""},
		{"the beginning of one", described("Tokens begin with ghp_ or AKIA."), ""},
		{"a longer word", described("Reads the file MAKIAIOSFODNN7EXAMPLE."), ""},
		{"the words for one", described("Connects to postgres://user:password@host/db."), ""},
		{"a header without a key", described("Reads files that begin with -----BEGIN PRIVATE KEY-----."), ""},
		{"a pattern", withSchema("Pulls.", `{"properties":{"x":{"pattern":"^ghp_[A-Za-z0-9]{36}$"}}}`), ""},
	})
	s, err := scanner.New(scanner.WithChecks("secret.embedded"))
	if err != nil {
		t.Fatal(err)
	}
	tool := described("Pulls with " + github + ".")
	f := s.ScanOne(tool, s.Registry(nil))
	if len(f.Signals) != 1 || strings.Contains(f.Signals[0].Evidence, "0123456789") || f.Severity != scanner.SeverityMedium {
		t.Errorf("%+v", f)
	}
}

func FuzzEmbeddedSecret(f *testing.F) {
	fuzzCheck(f, "secret.embedded", "AKIAIOSFODNN7EXAMPLE", "-----BEGIN PRIVATE KEY-----\nabc", "a://b:c@d", "eyJhbGciOi")
}
