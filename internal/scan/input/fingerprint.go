package input

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/maphash"

	"github.com/touchstone-eval/touchstone/scanner"
)

// Fingerprint hashes a list of texts. Different lists have different hashes
// even if their concatenations are equal.
func Fingerprint(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Content returns a fingerprint of everything that a tool declares. Two
// definitions are equal exactly if their fingerprints are equal.
func Content(t *scanner.Tool) string {
	return Fingerprint(t.Server, t.Name, t.Description, string(t.InputSchema), string(t.OutputSchema),
		string(t.Annotations), t.Subject, t.Title, string(t.Extra))
}

// Same reports whether two tools declare the same.
func Same(a, b *scanner.Tool) bool {
	return a.Server == b.Server && a.Name == b.Name && a.Description == b.Description &&
		bytes.Equal(a.InputSchema, b.InputSchema) && bytes.Equal(a.OutputSchema, b.OutputSchema) &&
		bytes.Equal(a.Annotations, b.Annotations) && a.Subject == b.Subject && a.Title == b.Title &&
		bytes.Equal(a.Extra, b.Extra)
}

var seed = maphash.MakeSeed()

// Hash returns a hash of everything that a tool declares, which is another one in each run of the program. Tools that
// declare the same have the same hash, and others may have.
func Hash(t *scanner.Tool) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, s := range []string{t.Server, t.Name, t.Description, t.Subject, t.Title} {
		_, _ = h.WriteString(s) // never fails
	}
	for _, raw := range [][]byte{t.InputSchema, t.OutputSchema, t.Annotations, t.Extra} {
		_, _ = h.Write(raw) // never fails
	}
	return h.Sum64()
}
