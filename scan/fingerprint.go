package scan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// fingerprint hashes texts so that no two different lists collide by the
// place of a border.
func fingerprint(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
