package subprocess

import (
	"strings"
	"sync"
)

// Tail is a writer that keeps the end of what is written to it. It is safe for
// concurrent use.
type Tail struct {
	limit int
	mu    sync.Mutex
	data  []byte
	cut   bool
}

// NewTail returns a Tail that keeps the last limit bytes.
func NewTail(limit int) *Tail { return &Tail{limit: limit} }

func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	if over := len(t.data) - t.limit; over > 0 {
		t.data, t.cut = append([]byte(nil), t.data[over:]...), true
	}
	return len(p), nil
}

// String returns the kept text as valid UTF-8, without line breaks at the end.
// If the beginning was cut off, it starts with a whole line.
func (t *Tail) String() string {
	t.mu.Lock()
	text, cut := strings.ToValidUTF8(string(t.data), "\uFFFD"), t.cut
	t.mu.Unlock()
	if cut {
		if _, rest, found := strings.Cut(text, "\n"); found {
			text = rest
		}
	}
	return strings.TrimRight(text, "\n")
}

// Indented returns String with every line indented, for the end of a message,
// or a note if there is no text.
func (t *Tail) Indented() string {
	text := t.String()
	if text == "" {
		return "  (it printed nothing)"
	}
	return "  " + strings.ReplaceAll(text, "\n", "\n  ")
}
