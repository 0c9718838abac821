package undertest

import (
	"bytes"
	"fmt"
	"io"
)

// messages reads messages, one a line, each of at most so many bytes and what
// one read adds.
type messages struct {
	from io.Reader
	most int
	size int // of the message at hand
}

func (m *messages) Read(b []byte) (int, error) {
	n, err := m.from.Read(b)
	if end := bytes.LastIndexByte(b[:n], '\n'); end >= 0 {
		m.size = n - end - 1
	} else if m.size += n; m.size > m.most {
		return 0, fmt.Errorf("it sent a message of more than %d MiB", m.most>>20)
	}
	return n, err
}
