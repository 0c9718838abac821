package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// inNamespace runs a helper that may mount filesystems: in its own mount namespace, as root
// of a user namespace.
func inNamespace(t *testing.T, name string) {
	t.Helper()
	cmd := helper(t, name, t.TempDir())
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}}
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case strings.Contains(out.String(), cannotMount):
		t.Skip(strings.TrimSpace(out.String()))
	case errors.As(err, &exit):
		t.Errorf("%v\n%s", err, out.String())
	case err != nil:
		t.Skipf("no namespaces here: %v", err)
	}
}

const cannotMount = "cannot mount"

func mountTmpfs(dir string, flags uintptr, options string) error {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", flags, options); err != nil {
		return fmt.Errorf("%s: %w", cannotMount, err)
	}
	return nil
}

func init() {
	helpers["full"] = helperFull
	helpers["ro"] = helperUnwritable
}

func TestFullDisk(t *testing.T) { inNamespace(t, "full") }

// helperFull fills a small disk with results. The error must name the directory and a remedy,
// and earlier results must stay valid.
func helperFull(dir string, _ []string) error {
	if err := mountTmpfs(dir, 0, "size=1m"); err != nil {
		return err
	}
	s, err := Open(filepath.Join(dir, "cache"), Options{})
	if err != nil {
		return err
	}
	var stored []Key
	for n := range 1000 {
		var d Digest
		d, err = s.PutBytes(randomBytes(20_000 + n))
		if err == nil {
			err = s.PutRecord(&Record{Key: testKey(n), Stage: "s", Outputs: []RecordOutput{{Name: "o", Path: "out/o", Digest: d}}})
		}
		if err != nil {
			break
		}
		stored = append(stored, testKey(n))
	}
	if err == nil || !strings.Contains(err.Error(), s.dir) || !strings.Contains(err.Error(), "free some space") {
		return fmt.Errorf("the error of a full disk: %v", err)
	}
	for _, k := range stored {
		if _, miss := s.Lookup(k); miss != nil {
			return fmt.Errorf("lost a result: %s", miss.Reason)
		}
	}
	v, err := s.Verify(context.Background(), VerifyOptions{})
	if err != nil || len(v.Problems) != 0 {
		return fmt.Errorf("after a full disk: %+v, %v", v, err)
	}
	if list, err := os.ReadDir(s.path(tmpDir)); err != nil || len(list) != 0 {
		return fmt.Errorf("temporary files are left: %v, %v", list, err)
	}
	// A full disk can still be read and trimmed.
	s.Close()
	if s, err = Open(s.dir, Options{}); err != nil {
		return fmt.Errorf("a full disk cannot be opened: %w", err)
	}
	if _, err := s.GC(context.Background(), GCOptions{MaxBytes: 100_000}); err != nil {
		return fmt.Errorf("eviction on a full disk: %w", err)
	}
	_, err = s.PutBytes(randomBytes(50_000))
	return err
}

func TestUnwritableDisk(t *testing.T) { inNamespace(t, "ro") }

// helperUnwritable makes the disk of an existing store read-only.
func helperUnwritable(dir string, _ []string) error {
	if err := mountTmpfs(dir, 0, "size=1m"); err != nil {
		return err
	}
	path := filepath.Join(dir, "cache")
	s, err := Open(path, Options{})
	if err != nil {
		return err
	}
	if err := putAction(s, 1); err != nil {
		return err
	}
	s.Close()
	if err := mountTmpfs(dir, syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		return err
	}
	if _, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "writable") {
		return fmt.Errorf("opened for writing: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "other"), Options{}); err == nil || !strings.Contains(err.Error(), "writable") {
		return fmt.Errorf("created: %v", err)
	}
	if s, err = Open(path, Options{ReadOnly: true}); err != nil {
		return err
	}
	if _, miss := s.Lookup(testKey(1)); miss != nil {
		return fmt.Errorf("a miss: %s", miss.Reason)
	}
	return nil
}
