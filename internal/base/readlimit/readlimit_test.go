package readlimit

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	full, over := write("full", "12345678"), write("over", "123456789")
	for _, path := range []string{full, write("empty", ""), write("one", "1")} {
		want, _ := os.ReadFile(path)
		if got, err := File(t.Context(), path, 8); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	_, err := File(t.Context(), over, 8)
	var tooLarge *TooLargeError
	if !errors.As(err, &tooLarge) || err.Error() != over+" is larger than 8 bytes: split it, or check that it is the file you meant" {
		t.Errorf("%v", err)
	}
	if _, err := File(t.Context(), dir, 8); err == nil || !strings.Contains(err.Error(), "it is a directory") {
		t.Errorf("%v", err)
	}
	if _, err := File(t.Context(), filepath.Join(dir, "none"), 8); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// A sparse file claims to be huge, and a device claims to be empty.
func TestFileOfAnySize(t *testing.T) {
	sparse := filepath.Join(t.TempDir(), "sparse")
	f, err := os.Create(sparse)
	if err == nil {
		err = f.Truncate(1 << 40)
	}
	if err != nil {
		t.Skip(err)
	}
	f.Close()
	for _, path := range []string{sparse, "/dev/zero"} {
		if _, err := os.Stat(path); err != nil {
			continue // another system
		}
		if _, err := File(t.Context(), path, 1<<20); !errors.As(err, new(*TooLargeError)) || !strings.Contains(err.Error(), path+" is larger than 1 MiB") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

func TestAll(t *testing.T) {
	if got, err := All(t.Context(), strings.NewReader("abc"), "f", 3); err != nil || string(got) != "abc" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := All(t.Context(), endless{}, "<stdin>", 64<<10); !errors.As(err, new(*TooLargeError)) || !strings.Contains(err.Error(), "<stdin> is larger than 64 KiB") {
		t.Errorf("%v", err)
	}
	// Nobody writes to the pipe.
	silent, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("the user interrupts")
	cancel(cause)
	if _, err := All(ctx, silent, "f", 3); !errors.Is(err, cause) {
		t.Errorf("%v", err)
	}
}

func TestReader(t *testing.T) {
	if got, err := io.ReadAll(Reader(strings.NewReader("abc"), "f", 3)); err != nil || string(got) != "abc" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := io.ReadAll(Reader(endless{}, "f", 3)); !errors.As(err, new(*TooLargeError)) {
		t.Errorf("%v", err)
	}
}
