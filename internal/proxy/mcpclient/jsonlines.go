package mcpclient

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// jsonLines is a reader of the lines of a server's output that are JSON. Many servers
// also print other lines, such as a greeting, on the stream of their answers. Clients
// usually ignore such lines, but the library would close the connection.
type jsonLines struct {
	io.Closer
	other io.Writer // receives the other lines; may be nil
	r     *bufio.Reader
	ready []byte // the rest of the current line
	err   error
}

func newJSONLines(r io.ReadCloser, other io.Writer) *jsonLines {
	return &jsonLines{Closer: r, other: other, r: bufio.NewReaderSize(r, 64<<10)}
}

func (j *jsonLines) Read(p []byte) (int, error) {
	for len(j.ready) == 0 {
		if j.err != nil {
			return 0, j.err
		}

		var line []byte
		for {
			piece, err := j.r.ReadSlice('\n')
			line = append(line, piece...)
			if err != bufio.ErrBufferFull {
				j.err = err
				break
			}

			if len(line) > MaxMessage {
				j.err = fmt.Errorf("it sent a line of more than %d MiB", MaxMessage>>20)
				return 0, j.err
			}
		}

		if text := bytes.TrimSpace(line); len(text) > 0 && (text[0] == '{' || text[0] == '[') && json.Valid(text) {
			j.ready = append(text, '\n')
		} else if j.other != nil && len(text) > 0 {
			_, _ = j.other.Write(append(text, '\n')) // for people: a failure changes nothing
		}
	}

	n := copy(p, j.ready)
	j.ready = j.ready[n:]
	return n, nil
}
