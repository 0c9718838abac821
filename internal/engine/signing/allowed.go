package signing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
)

// Allowed is a list of signers, in the format of the ALLOWED SIGNERS section of ssh-keygen's manual.
type Allowed struct {
	file    string
	entries []entry
}

// entry is one line of the list.
type entry struct {
	name          string // the principals
	key           []byte // wire format
	namespaces    []string
	after, before time.Time // zero: no limit
	authority     bool
}

// maxList is the size in bytes of the largest list.
const maxList = 4 << 20

// ReadAllowed reads a list of allowed signers. A line that cannot be read is an error.
func ReadAllowed(ctx context.Context, file string) (*Allowed, error) {
	b, err := readlimit.File(ctx, file, maxList)
	if err != nil {
		return nil, fmt.Errorf("the allowed signers: %w; write a line \"NAME KEYTYPE KEY\" for each signer, as for git",
			err)
	}

	a := &Allowed{file: file}
	number := 0
	for line := range strings.Lines(string(readlimit.WithoutMark(b))) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}

		e, err := parseEntry(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w; a line is NAME [OPTIONS] KEYTYPE KEY, see ALLOWED SIGNERS in the "+
				"manual of ssh-keygen", file, number, err)
		}

		a.entries = append(a.entries, e)
	}

	return a, nil
}

// maxName is the length in bytes of the longest name of a signer, which each record stores.
const maxName = 1000

func parseEntry(line string) (entry, error) {
	var e entry
	var rest string
	var ok bool
	if quoted, found := strings.CutPrefix(line, `"`); found {
		e.name, rest, ok = strings.Cut(quoted, `"`)
	} else if at := strings.IndexAny(line, " \t"); at > 0 {
		e.name, rest, ok = line[:at], line[at:], true
	}

	if !ok || e.name == "" {
		return e, errors.New("it has no name before the key")
	}

	if len(e.name) > maxName {
		return e, fmt.Errorf("its name has %d bytes, at most %d are possible", len(e.name), maxName)
	}

	key, _, options, _, err := ssh.ParseAuthorizedKey([]byte(rest))
	if err != nil {
		return e, errors.New("it has no key that can be read")
	}

	e.key = key.Marshal()
	for _, option := range options {
		name, value, _ := strings.Cut(option, "=")
		value = strings.Trim(value, `"`)
		switch strings.ToLower(name) {
		case "cert-authority":
			e.authority = true
		case "namespaces":
			e.namespaces = strings.Split(value, ",")
		case "valid-after":
			e.after, err = parseTime(value)
		case "valid-before":
			e.before, err = parseTime(value)
		default:
			err = fmt.Errorf("unknown option %q", name)
		}

		if err != nil {
			return e, err
		}
	}

	return e, nil
}

// parseTime parses YYYYMMDD, YYYYMMDDHHMM and YYYYMMDDHHMMSS: local time, or UTC if a Z follows.
func parseTime(s string) (time.Time, error) {
	digits, utc := strings.CutSuffix(s, "Z")
	in := time.Local
	if utc {
		in = time.UTC
	}

	for _, layout := range []string{"20060102", "200601021504", "20060102150405"} {
		if len(digits) == len(layout) {
			if t, err := time.ParseInLocation(layout, digits, in); err == nil {
				return t, nil
			}
		}
	}

	return time.Time{}, fmt.Errorf("%q is not a time such as 20261231 or 202612312359Z", s)
}

// refuses returns the reason why an entry does not allow its key to sign at a time, or "".
func (e *entry) refuses(now time.Time) string {
	switch {
	case e.authority:
		return "which is a certificate authority there; list the key itself"
	case e.namespaces != nil && !matches(e.namespaces, Namespace):
		return fmt.Sprintf("which may only sign for the namespaces %s, not %q", strings.Join(e.namespaces, ","),
			Namespace)
	case !e.after.IsZero() && now.Before(e.after):
		return "which is valid only after " + e.after.Format(time.DateTime)
	case !e.before.IsZero() && !now.Before(e.before):
		return "which was valid only before " + e.before.Format(time.DateTime)
	}

	return ""
}

// matches reports whether a list of patterns, where * and ? are wildcards and ! negates, allows a
// name.
func matches(patterns []string, name string) bool {
	found := false
	escape := strings.NewReplacer(`\`, `\\`, `[`, `\[`)
	for _, p := range patterns {
		p, not := strings.CutPrefix(strings.TrimSpace(p), "!")
		if ok, err := path.Match(escape.Replace(p), name); err == nil && ok {
			if not {
				return false
			}

			found = true
		}
	}

	return found
}

// A Signer is the holder of a key.
type Signer struct {
	Name        string // as the list has it
	Fingerprint string // such as "SHA256:..."
}

// Verify returns who signed a message. The error is a phrase that says why the armored signature
// is not accepted.
func (a *Allowed) Verify(message, armored []byte, now time.Time) (Signer, error) {
	if len(armored) == 0 {
		return Signer{}, errors.New("it is not signed")
	}

	s, err := sshsig.Unarmor(armored)
	if err != nil {
		return Signer{}, fmt.Errorf("its signature cannot be read: %w", err)
	}

	if s.Namespace != Namespace {
		return Signer{}, fmt.Errorf("it is signed for the namespace %q, not for %q", s.Namespace, Namespace)
	}

	wire, fingerprint := s.PublicKey.Marshal(), ssh.FingerprintSHA256(s.PublicKey)
	why := "a key that " + a.file + " does not list"
	for i := range a.entries {
		e := &a.entries[i]
		if !bytes.Equal(e.key, wire) {
			continue
		}

		if why = e.refuses(now); why != "" {
			continue
		}

		if err := sshsig.Verify(bytes.NewReader(message), s, s.PublicKey, s.HashAlgorithm, Namespace); err != nil {
			return Signer{}, fmt.Errorf("its signature by %s does not match its content", fingerprint)
		}

		return Signer{Name: e.name, Fingerprint: fingerprint}, nil
	}

	return Signer{}, fmt.Errorf("it is signed by %s, %s", fingerprint, why)
}
