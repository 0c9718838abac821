package subprocess

import (
	"strings"
	"sync"
)

// Tail keeps the end of what is written to it. It may be written to and read
// by several goroutines.
type Tail struct {
	limit int
	mu    sync.Mutex
	data  []byte
	cut   bool
}

// NewTail keeps the last limit bytes.
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

// String is what is kept, in whole lines where something was cut off, as valid
// UTF-8 and without line breaks at the end.
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

// Indented is String with every line moved to the right, for the end of a
// message; it says when there is nothing.
func (t *Tail) Indented() string {
	text := t.String()
	if text == "" {
		return "  (it printed nothing)"
	}
	return "  " + strings.ReplaceAll(text, "\n", "\n  ")
}
