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
)

// A tombstone says why a record or a blob is no longer there.
type tombstone struct {
	When   time.Time
	Why    string
	Detail string
}

// bury leaves a tombstone. It is an explanation only, so failing to write it
// is no error.
func (s *Store) bury(id [32]byte, t tombstone) {
	line := s.clock().UTC().Format(time.RFC3339) + " " + t.Why + " " + strings.ReplaceAll(t.Detail, "\n", " ") + "\n"
	_ = s.writeFile(s.entryPath(goneDir, id), []byte(line), 0)
}

// unbury removes the tombstone of something that is there again.
func (s *Store) unbury(id [32]byte) { os.Remove(s.entryPath(goneDir, id)) }

// grave reads a tombstone. A damaged one is none.
func (s *Store) grave(id [32]byte) (tombstone, bool) {
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
	case whySize, whyAge, whyExpired, whyCorrupt:
		return t, true
	}
	return tombstone{}, false
}

// String completes "the record was ...".
func (t tombstone) String() string {
	day := t.When.Format(time.DateOnly)
	if t.Why == whyCorrupt {
		return fmt.Sprintf("found corrupt and removed on %s: %s", day, t.Detail)
	}
	return fmt.Sprintf("evicted %s by %s", day, t.Why)
}
