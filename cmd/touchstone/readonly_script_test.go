package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// permit MODE DIR sets the permissions of a directory and of everything in it: r makes all of it
// unwritable, rw writable again.
func permit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: permit r|rw DIR")
	}
	change := func(dir, file fs.FileMode) error {
		return filepath.WalkDir(ts.MkAbs(args[1]), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir():
				return os.Chmod(path, dir)
			}
			return os.Chmod(path, file)
		})
	}
	if args[0] == "rw" {
		ts.Check(change(0o700, 0o600))
		return
	}
	ts.Check(change(0o555, 0o444))
	ts.Defer(func() { _ = change(0o700, 0o600) }) // so that the test can remove it
}

// Root is not bound by permissions, so the program runs without the capabilities that exempt it.
var (
	asUser  = []string{"setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner"}
	mounted = []string{"unshare", "--mount", "sh", "-c", `mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"`}
)

// canReadOnly are the conditions of scripts that run a program without write permission.
var canReadOnly = map[string]func() bool{
	"permissions": func() bool {
		return os.Getuid() > 0 || exec.Command(asUser[0], append(asUser[1:], "true")...).Run() == nil
	},
	"mounts": func() bool {
		dir, err := os.MkdirTemp("", "mount")
		if err != nil {
			return false
		}
		defer os.Remove(dir)
		return os.Getuid() == 0 && exec.Command(mounted[0], append(mounted[1:], dir, "true")...).Run() == nil
	},
}

// readonly CODE user PROGRAM ARG... runs a program as a user whom permissions bind, and
// readonly CODE mount:DIR PROGRAM ARG... runs it where DIR is mounted read-only. Both require
// exactly that exit code.
func readOnly(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: readonly CODE user|mount:DIR PROGRAM ARG...")
	}
	if _, err := strconv.Atoi(args[0]); err != nil {
		ts.Fatalf("%q is not an exit code", args[0])
	}
	var argv []string
	if dir, ok := strings.CutPrefix(args[1], "mount:"); ok {
		argv = append(append(argv, mounted...), ts.MkAbs(dir))
	} else if os.Getuid() == 0 {
		argv = append(argv, asUser...)
	}
	exits(ts, false, append(append([]string{args[0]}, argv...), args[2:]...))
}
