package cache

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// Reasons in a tombstone.
const (
	whySize    = "size"
	whyAge     = "age"
	whyExpired = "expired"
	whyCorrupt = "corrupt"
	// whyUnsigned is that of a record from elsewhere.
	whyUnsigned = "unsigned"
)

// A tombstone records why a record or a blob was removed from the store.
type tombstone struct {
	When   time.Time
	Why    string
	Detail string
}

// writeTombstone writes a tombstone. A tombstone only serves explanations, so a failure to
// write it is not an error.
func (s *Store) writeTombstone(id [32]byte, t tombstone) {
	line := s.clock().UTC().Format(time.RFC3339) + " " + t.Why + " " + strings.ReplaceAll(t.Detail, "\n", " ") + "\n"
	_ = s.writeFile(s.entryPath(goneDir, id), []byte(line), 0)
}

// removeTombstone removes the tombstone of an entry that has been stored again.
func (s *Store) removeTombstone(id [32]byte) { os.Remove(s.entryPath(goneDir, id)) }

// readTombstone reads a tombstone. It treats a damaged one as missing.
func (s *Store) readTombstone(id [32]byte) (tombstone, bool) {
	b, err := os.ReadFile(s.entryPath(goneDir, id))
	if err != nil {
		return tombstone{}, false
	}

	parts := strings.SplitN(strings.TrimSuffix(string(b), "\n"), " ", 3)
	if len(parts) != 3 {
		return tombstone{}, false
	}

	when, err := time.Parse(time.RFC3339, parts[0])
	if err != nil {
		return tombstone{}, false
	}

	t := tombstone{When: when, Why: parts[1], Detail: parts[2]}
	switch t.Why {
	case whySize, whyAge, whyExpired, whyCorrupt, whyUnsigned:
		return t, true
	}

	return tombstone{}, false
}

// String returns a phrase that completes "the record was ...".
func (t tombstone) String() string {
	day := t.When.Format(time.DateOnly)
	if t.Why == whyCorrupt {
		return fmt.Sprintf("found corrupt and removed on %s: %s", day, t.Detail)
	}
	if t.Why == whyUnsigned {
		return fmt.Sprintf("removed on %s: %s", day, t.Detail)
	}
	return fmt.Sprintf("evicted %s by %s", day, t.Why)
}
