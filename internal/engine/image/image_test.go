package image

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/pipeline"
)

func TestImages(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "fs"), 0o755); err != nil {
		t.Fatal(err)
	}
	pin := "docker.io/library/golang@sha256:" + strings.Repeat("0a", 32)
	for _, c := range []struct {
		name, command, image, fallback string
		want                           Root
		err                            string
	}{
		{name: "ours", command: "touchstone", fallback: "dir:/nowhere"},
		{name: "other", command: "sh", err: "it runs sh but has no image"},
		{name: "pinned", command: "go", image: pin, want: Root{Ref: pin}},
		{name: "fallback", command: "go", fallback: pin, want: Root{Ref: pin}},
		{name: "tag", command: "go", image: "golang:1.26", err: "is not pinned"},
		{name: "relative", command: "sh", image: "dir:fs", want: Root{Dir: filepath.Join(root, "fs")}},
		{name: "absent", command: "sh", image: "dir:none", err: "does not exist"},
		{name: "line", command: "sh", image: pin + "\nRUN evil", err: "is not pinned"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Images{Root: root, Default: c.fallback}.Of(&pipeline.Instance{Command: []string{c.command}, Image: c.image})
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil || got != c.want {
				t.Errorf("%+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

// TestLookIn resolves links like the container: an absolute link starts at the root of
// the image, and no link leads out of it.
func TestLookIn(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"bin", "usr/bin"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "usr/bin/busybox"), []byte("x"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{
		"bin/sh": "/usr/bin/busybox", "bin/ash": "sh", "bin/up": "../usr/bin/busybox",
		"bin/out": "../../../../../../../../etc/passwd", "bin/loop": "loop", "bin/dir": "/usr",
	} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	const search = "/none:/bin:/usr/bin"
	for name, inside := range map[string]string{"sh": "/bin/sh", "ash": "/bin/ash", "up": "/bin/up", "busybox": "/usr/bin/busybox", "/bin/sh": "/bin/sh"} {
		got, file, err := lookIn(root, name, search)
		if err != nil || got != inside || file != filepath.Join(root, "usr/bin/busybox") {
			t.Errorf("%s: %s, %s, %v", name, got, file, err)
		}
	}
	for _, name := range []string{"out", "loop", "dir", "absent"} {
		if got, _, err := lookIn(root, name, search); err == nil || !strings.Contains(err.Error(), "is not in") {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

func TestStaticPrograms(t *testing.T) {
	script := filepath.Join(t.TempDir(), "touchstone")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := checkStatic(script); err == nil || !strings.Contains(err.Error(), "TOUCHSTONE_CONTAINER_BINARY") {
		t.Errorf("a script: %v", err)
	}
	if _, err := os.Stat("/bin/ls"); err != nil {
		t.Skip("needs a dynamically linked program")
	}
	if err := checkStatic("/bin/ls"); err == nil || !strings.Contains(err.Error(), "CGO_ENABLED=0") {
		t.Errorf("a dynamic program: %v", err)
	}
}
