package engine

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/engine/reads"
)

// A list is changed exactly if the command could have noticed.
func TestReadLists(t *testing.T) {
	before := temporary // what is denied there is left out, and the files of this test are there
	temporary = nil
	t.Cleanup(func() { temporary = before })
	for _, c := range []struct {
		name   string
		path   string // in the directory of the files
		read   reads.Read
		change func(dir string) error
		want   string // what the reason says about the path, or empty if nothing changed
	}{
		{"content", "f", reads.Read{Opened: true}, edit("f", "two"), "changed"},
		{"content, of which the status was asked for", "f", reads.Read{}, edit("f", "two"), "changed"},
		{"content that was denied", "f", reads.Read{Denied: true}, edit("f", "two"), ""},
		{"size that was denied", "f", reads.Read{Denied: true, Opened: true}, edit("f", "three"), ""},
		{"size that was asked for and denied", "f", reads.Read{Denied: true}, edit("f", "three"), "changed"},
		{"mode that was asked for and denied", "f", reads.Read{Denied: true}, chmod("f", 0o600), "changed"},
		{"a file that was denied and is removed", "f", reads.Read{Denied: true, Opened: true}, remove("f"), "was removed"},
		{"a name in a directory that was denied", "d", reads.Read{Denied: true}, edit("d/new", "x"), ""},
		{"times", "f", reads.Read{}, func(dir string) error { return os.Chtimes(filepath.Join(dir, "f"), time.Unix(1, 0), time.Unix(1, 0)) }, ""},
		{"mode, of which the status was asked for", "f", reads.Read{}, func(dir string) error { return os.Chmod(filepath.Join(dir, "f"), 0o600) }, "changed"},
		{"mode of a file that was opened", "f", reads.Read{Opened: true}, func(dir string) error { return os.Chmod(filepath.Join(dir, "f"), 0o600) }, ""},
		{"executable", "f", reads.Read{Opened: true}, func(dir string) error { return os.Chmod(filepath.Join(dir, "f"), 0o755) }, "changed"},
		{"removed", "f", reads.Read{Opened: true}, remove("f"), "was removed"},
		{"added", "none", reads.Read{Opened: true}, edit("none", "x"), "was added"},
		{"added below a file", "f/none", reads.Read{}, func(dir string) error {
			return first(remove("f")(dir), os.Mkdir(filepath.Join(dir, "f"), 0o755), edit("f/none", "x")(dir))
		}, "changed"},
		{"a name in a listed directory", "d", reads.Read{Opened: true}, edit("d/new", "x"), "changed"},
		{"a name in a directory that was asked for", "d", reads.Read{}, edit("d/new", "x"), ""},
		{"content in a listed directory", "d", reads.Read{Opened: true}, edit("d/a", "two"), ""},
		{"compiled code that Python checks", "p/__pycache__/checked.pyc", reads.Read{Opened: true}, edit("p/__pycache__/checked.pyc", "\xcb\r\r\n\x03\x00\x00\x00two"), ""},
		{"compiled code that Python no longer checks", "p/__pycache__/checked.pyc", reads.Read{Opened: true}, edit("p/__pycache__/checked.pyc", "\xcb\r\r\n\x01\x00\x00\x00one"), "changed"},
		{"compiled code that Python does not check", "p/__pycache__/unchecked.pyc", reads.Read{Opened: true}, edit("p/__pycache__/unchecked.pyc", "\xcb\r\r\n\x01\x00\x00\x00two"), "changed"},
		{"compiled code that is made", "p/__pycache__/new.pyc", reads.Read{Opened: true}, edit("p/__pycache__/new.pyc", "\xcb\r\r\n\x00\x00\x00\x00one"), ""},
		{"compiled code that is removed", "p/__pycache__/checked.pyc", reads.Read{Opened: true}, remove("p/__pycache__/checked.pyc"), ""},
		{"another file beside compiled code", "p/__pycache__/data", reads.Read{Opened: true}, edit("p/__pycache__/data", "two"), "changed"},
		{"a file like compiled code elsewhere", "p/checked.pyc", reads.Read{Opened: true}, edit("p/checked.pyc", "\xcb\r\r\n\x00\x00\x00\x00two"), "changed"},
		{"a file below a directory beside compiled code", "p/__pycache__/e/checked.pyc", reads.Read{Opened: true}, edit("p/__pycache__/e/checked.pyc", "\xcb\r\r\n\x00\x00\x00\x00two"), "changed"},
		{"compiled code in its listed directory", "p/__pycache__", reads.Read{Opened: true}, edit("p/__pycache__/new.pyc", ""), ""},
		{"another file in the listed directory of compiled code", "p/__pycache__", reads.Read{Opened: true}, edit("p/__pycache__/new", ""), "changed"},
		{"compiled code of Python", "d", reads.Read{Opened: true}, func(dir string) error { return os.Mkdir(filepath.Join(dir, "d", "__pycache__"), 0o755) }, ""},
		{"the target of a link", "l", reads.Read{Opened: true}, relink("same"), "changed"},
		{"the target of a link to a directory", "dl", reads.Read{}, func(dir string) error {
			return first(os.Remove(filepath.Join(dir, "dl")), os.Symlink("e", filepath.Join(dir, "dl")))
		}, "changed"},
		{"a file in place of a link", "l", reads.Read{}, func(dir string) error { return first(remove("l")(dir), edit("l", "one")(dir)) }, "changed"},
		{"a link to nothing that is removed", "nowhere", reads.Read{}, remove("nowhere"), "was removed"},
		{"nothing", "l", reads.Read{Opened: true}, func(string) error { return nil }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			store, index := readWorld(t)
			dir := t.TempDir()
			for _, name := range []string{"d", "e", "p/__pycache__/e"} {
				if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := first(edit("f", "one")(dir), edit("same", "one")(dir), edit("d/a", "one")(dir), edit("e/a", "one")(dir),
				os.Symlink("f", filepath.Join(dir, "l")), os.Symlink("d", filepath.Join(dir, "dl")), os.Symlink("nothing", filepath.Join(dir, "nowhere"))); err != nil {
				t.Fatal(err)
			}
			for name, flag := range map[string]string{"__pycache__/checked.pyc": "\x00", "__pycache__/unchecked.pyc": "\x01", "__pycache__/data": "\x00", "checked.pyc": "\x00", "__pycache__/e/checked.pyc": "\x00"} {
				if err := edit("p/"+name, "\xcb\r\r\n"+flag+"\x00\x00\x00one")(dir); err != nil {
					t.Fatal(err)
				}
			}
			read := reads.Look(filepath.Join(dir, c.path), c.read.Opened, !c.read.Opened)
			read.Denied = c.read.Denied
			text, err := encodeReads(index, withModule(read))
			if err != nil {
				t.Fatal(err)
			}
			list, err := store.PutBytes(text)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.change(dir); err != nil {
				t.Fatal(err)
			}
			got := (&readLists{}).changed(store, index, list)
			if c.want == "" && got != "" || !strings.Contains(got, c.want) || c.want != "" && !strings.HasPrefix(got, read.Path+" ") {
				t.Errorf("the reason is %q, want %q; the list is %s", got, c.want, text)
			}
		})
	}
}

// A file that changed while the command ran is not in the state that the command found.
func TestReadsThatChangeDuringARun(t *testing.T) {
	_, index := readWorld(t)
	dir := t.TempDir()
	if err := first(edit("f", "one")(dir), os.Symlink("f", filepath.Join(dir, "l")), os.Mkdir(filepath.Join(dir, "d"), 0o755)); err != nil {
		t.Fatal(err)
	}
	old := time.Unix(1, 0)
	replace := func(string) error {
		return first(edit("g", "two")(dir), os.Chtimes(filepath.Join(dir, "g"), old, old), os.Rename(filepath.Join(dir, "g"), filepath.Join(dir, "f")))
	}
	for _, c := range []struct {
		name, path string
		opened     bool
		change     func(string) error
		fails      bool
	}{
		{"nothing", "f", true, func(string) error { return nil }, false},
		{"edited", "f", true, edit("f", "two"), true},
		{"edited, of which the status was asked for", "f", false, edit("f", "one"), true},
		{"replaced by an older file", "f", true, replace, true},
		{"replaced behind a link", "l", true, replace, true},
		{"another link", "l", true, func(dir string) error { return first(edit("h", "one")(dir), relink("h")(dir)) }, true},
		{"removed", "f", true, remove("f"), true},
		{"added", "f", true, edit("f", "one"), true},
		{"added, of which the status was asked for", "i", false, edit("i", "one"), true},
		{"a name in a listed directory", "d", true, edit("d/a", "one"), true},
		{"a name in a directory that was asked for", "d", false, edit("d/b", "one"), false},
		{"a name that came and went in a listed directory", "d", true, func(dir string) error { return first(edit("d/c", "one")(dir), remove("d/c")(dir)) }, true},
		{"the mode of a listed directory", "d", true, chmod("d", 0o700), false},
		{"the mode of a directory that was asked for", "d", false, chmod("d", 0o750), true},
		{"content in a listed directory", "d", true, edit("d/a", "two"), false},
		{"compiled code of Python in a listed directory", "d", true, func(dir string) error { return os.Mkdir(filepath.Join(dir, "d", "__pycache__"), 0o755) }, false},
		{"more compiled code of Python", "d", true, edit("d/__pycache__/a.pyc", "x"), false},
		{"compiled code in its listed directory", "d/__pycache__", true, edit("d/__pycache__/b.pyc", "\xcb\r\r\n\x00\x00\x00\x00"), false},
		{"compiled code that is made", "d/__pycache__/c.pyc", true, edit("d/__pycache__/c.pyc", "\xcb\r\r\n\x00\x00\x00\x00"), false},
		{"compiled code that Python does not check", "d/__pycache__/d.pyc", true, edit("d/__pycache__/d.pyc", "\xcb\r\r\n\x01\x00\x00\x00"), true},
		{"compiled code of Python and a name", "d", true, func(dir string) error {
			return first(os.RemoveAll(filepath.Join(dir, "d", "__pycache__")), edit("d/e", "one")(dir))
		}, true},
		{"a hard link", "f", true, func(dir string) error { return os.Link(filepath.Join(dir, "f"), filepath.Join(dir, "hard")) }, false},
		{"a hard link, of which the status was asked for", "f", false, func(dir string) error { return os.Link(filepath.Join(dir, "f"), filepath.Join(dir, "hard2")) }, false},
		{"a hard link to an edited file", "f", true, func(dir string) error {
			return first(edit("f", "three")(dir), os.Link(filepath.Join(dir, "f"), filepath.Join(dir, "hard3")))
		}, true},
		{"mode", "f", true, chmod("f", 0o600), false},
		{"mode, of which the status was asked for", "f", false, chmod("f", 0o640), true},
		{"executable", "f", true, chmod("f", 0o755), true},
		{"edited with its times restored", "f", true, func(dir string) error {
			st, err := os.Stat(filepath.Join(dir, "f"))
			return first(err, edit("f", "eerht")(dir), os.Chtimes(filepath.Join(dir, "f"), st.ModTime(), st.ModTime()))
		}, true},
	} {
		read := reads.Look(filepath.Join(dir, c.path), c.opened, !c.opened)
		time.Sleep(20 * time.Millisecond) // the clock of files ticks
		if err := c.change(dir); err != nil {
			t.Fatal(err)
		}
		_, err := encodeReads(index, withModule(read))
		if (err != nil) != c.fails || err != nil && !strings.Contains(err.Error(), read.Path+", which the command reads, changed during the run; run again") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// withModule returns a read, after that of its source if it is of compiled code: Python asks for that first.
func withModule(read reads.Read) []reads.Read {
	if !reads.IsBytecode(read.Path) {
		return []reads.Read{read}
	}
	return []reads.Read{reads.Look(moduleOf(read.Path), false, true), read}
}

func readWorld(t *testing.T) (*cache.Store, *cache.StatIndex) {
	if runtime.GOOS == "windows" {
		t.Skip("nothing is recorded on Windows")
	}
	store, err := cache.Open(filepath.Join(t.TempDir(), "cache"), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store, store.OpenStatIndex("test")
}

func edit(name, text string) func(string) error {
	return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644) }
}

func chmod(name string, mode os.FileMode) func(string) error {
	return func(dir string) error { return os.Chmod(filepath.Join(dir, name), mode) }
}

func remove(name string) func(string) error {
	return func(dir string) error { return os.Remove(filepath.Join(dir, name)) }
}

func relink(target string) func(string) error {
	return func(dir string) error {
		link := filepath.Join(dir, "l")
		return first(os.Remove(link), os.Symlink(target, link))
	}
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
