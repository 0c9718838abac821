package mcpclient

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A caller can tell a program that could not be started from one that failed.
func TestStartError(t *testing.T) {
	err := Use(t.Context(), Target{Command: []string{filepath.Join(t.TempDir(), "none")}}, Options{}, func(context.Context, *mcp.ClientSession) error {
		t.Error("there is a session")
		return nil
	})
	var start *StartError
	if !errors.As(err, &start) || err.Error() != "start it: "+start.Err.Error() {
		t.Errorf("got %v", err)
	}
	if err := Use(t.Context(), Target{Command: []string{"nobody-has-this"}}, Options{}, nil); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("got %v, want its cause to be found", err)
	}
}
