//go:build unix

package cache

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Opening a pipe blocks.
func TestPipesAreRefused(t *testing.T) {
	s := newStore(t)
	dir := t.TempDir()
	pipe := filepath.Join(dir, "p")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	_, _, tree := s.PutTree(dir)
	_, _, file := s.PutFile(pipe)
	_, _, _, stat := s.OpenStatIndex("p").File(pipe)
	for name, err := range map[string]error{"PutTree": tree, "PutFile": file, "StatIndex": stat} {
		if err == nil || !strings.Contains(err.Error(), pipe) || !strings.Contains(err.Error(), "a named pipe") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
