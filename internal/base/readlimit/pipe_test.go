//go:build unix

package readlimit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestPipe(t *testing.T) {
	silent, pipe := filepath.Join(t.TempDir(), "silent"), filepath.Join(t.TempDir(), "pipe")
	for _, path := range []string{silent, pipe} {
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skip(err)
		}
	}
	// Nobody opens the other end.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := File(ctx, silent, 8); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	written := make(chan error, 1)
	go func() {
		f, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString("text")
			f.Close()
		}
		written <- err
	}()
	if got, err := File(t.Context(), pipe, 8); err != nil || string(got) != "text" {
		t.Errorf("%q, %v", got, err)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
}
