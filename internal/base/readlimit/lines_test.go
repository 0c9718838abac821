package readlimit

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestLine(t *testing.T) {
	const limit = 20
	long := strings.Repeat("x", limit+1)
	tests := []struct {
		name, in string
		want     []string // "!" stands for a line that is too long
	}{
		{"nothing", "", nil},
		{"one", "a\n", []string{"a"}},
		{"no last newline", "a\nb", []string{"a", "b"}},
		{"empty lines", "\n\na\n", []string{"", "", "a"}},
		{"exactly the limit", strings.Repeat("x", limit) + "\nb\n", []string{strings.Repeat("x", limit), "b"}},
		{"too long", "a\n" + long + "\nb\n", []string{"a", "!", "b"}},
		{"too long and last", "a\n" + long, []string{"a", "!"}},
		{"far too long", strings.Repeat(long, 100) + "\nb\n", []string{"!", "b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := readLines(t, []byte(tt.in), limit)
			if strings.Join(got, "|") != strings.Join(tt.want, "|") || len(got) != len(tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func readLines(t *testing.T, in []byte, limit int) []string {
	t.Helper()
	r := bufio.NewReaderSize(bytes.NewReader(in), 16)
	var got []string
	for {
		line, err := Line(r, limit)
		switch {
		case err == io.EOF:
			return got
		case errors.Is(err, ErrLineTooLong):
			got = append(got, "!")
			if err := SkipLine(r); err != nil {
				t.Fatal(err)
			}
		case err != nil:
			t.Fatal(err)
		default:
			got = append(got, string(line))
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add([]byte("a\nbb\n\nccc"))
	f.Add(bytes.Repeat([]byte("z"), 100))
	f.Fuzz(func(t *testing.T, in []byte) {
		const limit = 30
		var want []string
		for line := range bytes.Lines(in) {
			text := string(bytes.TrimSuffix(line, []byte("\n")))
			if len(text) > limit {
				text = "!"
			}
			want = append(want, text)
		}
		got := readLines(t, in, limit)
		if strings.Join(got, "\n") != strings.Join(want, "\n") || len(got) != len(want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestLines(t *testing.T) {
	var got []string
	var last error
	for read := range Lines(strings.NewReader("a\nb"), 5, nil) {
		got, last = append(got, string(read.Line)), read.Err
	}
	if strings.Join(got, "|") != "a|b|" || last != io.EOF {
		t.Errorf("got %q, then %v", got, last)
	}

	lines := Lines(strings.NewReader("far too long\nb\n"), 5, nil)
	if read := <-lines; read.Err != ErrLineTooLong {
		t.Errorf("got %q, %v", read.Line, read.Err)
	}
	if read, open := <-lines; open {
		t.Errorf("after the end there is %q", read.Line)
	}

	// A reader who leaves ends them.
	stop := make(chan struct{})
	lines = Lines(strings.NewReader("a\nb\n"), 5, stop)
	close(stop)
	for range lines {
	}
}
