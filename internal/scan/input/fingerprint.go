package input

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

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
