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
	most  int       // bytes of a line
	rpc   bool      // only objects with the member "jsonrpc", and lists, pass
	r     *bufio.Reader
	ready []byte // the rest of the current line
	err   error
}

func newJSONLines(r io.ReadCloser, other io.Writer) *jsonLines {
	return &jsonLines{Closer: r, other: other, most: MaxMessage, r: bufio.NewReaderSize(r, 64<<10)}
}

// JSONRPCLines returns a reader of the lines of r that are messages of JSON-RPC, each of
// at most most bytes. Each other line goes to other, and so does an error that answers no
// request.
func JSONRPCLines(r io.ReadCloser, other io.Writer, most int) io.ReadCloser {
	j := newJSONLines(r, other)
	j.most, j.rpc = most, true
	return j
}

// isMessage reports whether a line is a message. A program may also print its log in
// JSON.
func (j *jsonLines) isMessage(line []byte) bool {
	if len(line) == 0 || line[0] != '{' && line[0] != '[' || !json.Valid(line) {
		return false
	}
	return !j.rpc || bytes.Contains(line, []byte(`"jsonrpc"`)) && !answersNothing(line)
}

// answersNothing reports whether a message is an error without an id. Some servers answer
// notifications with one. The library would close the connection.
func answersNothing(line []byte) bool {
	if !bytes.Contains(line, []byte(`"error"`)) {
		return false
	}

	var m struct {
		ID     any // nil for null, too
		Method string
		Error  json.RawMessage
	}
	return json.Unmarshal(line, &m) == nil && m.ID == nil && m.Method == "" && m.Error != nil
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

			if len(line) > j.most {
				j.err = fmt.Errorf("it sent a line of more than %d MiB", j.most>>20)
				return 0, j.err
			}
		}

		if text := bytes.TrimSpace(line); j.isMessage(text) {
			j.ready = append(text, '\n')
		} else if j.other != nil && len(text) > 0 {
			_, _ = j.other.Write(append(text, '\n')) // for people: a failure changes nothing
		}
	}

	n := copy(p, j.ready)
	j.ready = j.ready[n:]
	return n, nil
}
