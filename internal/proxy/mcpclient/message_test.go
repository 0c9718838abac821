package mcpclient

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// collect returns the messages that an observer sees when text arrives in
// pieces of size bytes.
func collect(text []byte, f framing, size int) []string {
	var seen []string
	o := &observed{ReadCloser: io.NopCloser(bytes.NewReader(text)), messages: messages{
		framing: f, budget: newBudget(), observe: func(m []byte) { seen = append(seen, string(m)) },
	}}
	buf := make([]byte, size)
	for {
		if _, err := o.Read(buf); err != nil {
			return seen
		}
	}
}

func TestMessages(t *testing.T) {
	page := `{"id":1,"result":{"tools":[{"name":"é"}]}}`
	events := "event: message\r\nid: 1\r\ndata: " + page[:8] + "\r\ndata: " + page[8:] + "\r\n\r\n: ping\n\ndata:" + page + "\n\n"
	for _, tt := range []struct {
		framing framing
		text    string
		want    int
	}{{perLine, page + "\n" + page, 2}, {perEvent, events, 2}, {whole, " [" + page + "]\n", 1}, {perEvent, "data: " + page, 1}} {
		for _, size := range []int{1, 7, 4096} {
			seen := collect([]byte(tt.text), tt.framing, size)
			if len(seen) != tt.want || strings.Count(strings.Join(seen, ""), "é") != tt.want {
				t.Errorf("framing %d, %d bytes at a time: %q, want %d messages", tt.framing, size, seen, tt.want)
			}
		}
	}
}

// endless is a stream of one byte that never ends.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestMessagesHaveALargestSize(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads hundreds of megabytes")
	}
	for name, from := range map[string]io.Reader{
		"a message": endless('x'),
		"in all":    endless('\n'),
	} {
		o := &observed{ReadCloser: io.NopCloser(from), messages: messages{framing: perLine, budget: newBudget()}}
		n, err := io.Copy(io.Discard, o)
		if err == nil || errors.Is(err, io.EOF) || n > MaxTotal {
			t.Errorf("%s: read %d bytes, %v", name, n, err)
		}
		if _, again := o.Read(make([]byte, 1)); again == nil {
			t.Errorf("%s: the stream goes on after %v", name, err)
		}
	}
}

// FuzzMessages checks that a hostile stream causes no panic, and that the result does not
// depend on how the stream is split.
func FuzzMessages(f *testing.F) {
	f.Add([]byte("data: {\"result\":{\"tools\":[{\"name\":\"a\"}]}}\r\n\r\n"), uint8(3), uint8(1))
	f.Fuzz(func(t *testing.T, text []byte, size, kind uint8) {
		f := framing(kind % 3)
		a, b := collect(text, f, int(size)+1), collect(text, f, 4096)
		if strings.Join(a, "\x00") != strings.Join(b, "\x00") {
			t.Fatalf("%q and %q", a, b)
		}
	})
}
