package undertest

import (
	"bytes"
	"fmt"
	"io"
)

// messages reads newline-separated messages and limits the size of each to about most
// bytes.
type messages struct {
	from io.Reader
	most int
	size int // of the current message
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
