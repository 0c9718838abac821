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
		{"times", "f", reads.Read{}, func(dir string) error { return os.Chtimes(filepath.Join(dir, "f"), time.Unix(1, 0), time.Unix(1, 0)) }, ""},
		{"mode, of which the status was asked for", "f", reads.Read{}, func(dir string) error { return os.Chmod(filepath.Join(dir, "f"), 0o600) }, "changed"},
		{"mode of a file that was opened", "f", reads.Read{Opened: true}, func(dir string) error { return os.Chmod(filepath.Join(dir, "f"), 0o600) }, ""},
		{"executable", "f", reads.Read{Opened: true}, func(dir string) error { return os.Chmod(filepath.Join(dir, "f"), 0o755) }, "changed"},
		{"removed", "f", reads.Read{Opened: true}, remove("f"), "was removed"},
		{"added", "none", reads.Read{Opened: true, Missing: true}, edit("none", "x"), "was added"},
		{"added below a file", "f/none", reads.Read{Missing: true}, func(dir string) error {
			return first(remove("f")(dir), os.Mkdir(filepath.Join(dir, "f"), 0o755), edit("f/none", "x")(dir))
		}, "changed"},
		{"a name in a listed directory", "d", reads.Read{Opened: true}, edit("d/new", "x"), "changed"},
		{"a name in a directory that was asked for", "d", reads.Read{}, edit("d/new", "x"), ""},
		{"content in a listed directory", "d", reads.Read{Opened: true}, edit("d/a", "two"), ""},
		{"compiled code of Python", "d", reads.Read{Opened: true}, func(dir string) error { return os.Mkdir(filepath.Join(dir, "d", "__pycache__"), 0o755) }, ""},
		{"the target of a link", "l", reads.Read{Opened: true}, relink("same"), "changed"},
		{"the target of a link to a directory", "dl", reads.Read{}, func(dir string) error {
			return first(os.Remove(filepath.Join(dir, "dl")), os.Symlink("e", filepath.Join(dir, "dl")))
		}, "changed"},
		{"a file in place of a link", "l", reads.Read{}, func(dir string) error { return first(remove("l")(dir), edit("l", "one")(dir)) }, "changed"},
		{"a link to nothing that is removed", "nowhere", reads.Read{Missing: true}, remove("nowhere"), "was removed"},
		{"nothing", "l", reads.Read{Opened: true}, func(string) error { return nil }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			store, index := readWorld(t)
			dir := t.TempDir()
			for _, name := range []string{"d", "e"} {
				if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := first(edit("f", "one")(dir), edit("same", "one")(dir), edit("d/a", "one")(dir), edit("e/a", "one")(dir),
				os.Symlink("f", filepath.Join(dir, "l")), os.Symlink("d", filepath.Join(dir, "dl")), os.Symlink("nothing", filepath.Join(dir, "nowhere"))); err != nil {
				t.Fatal(err)
			}
			c.read.Path = filepath.Join(dir, c.path)
			text, err := encodeReads(index, []reads.Read{c.read}, time.Now().Add(time.Hour))
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
			if c.want == "" && got != "" || !strings.Contains(got, c.want) || c.want != "" && !strings.HasPrefix(got, c.read.Path+" ") {
				t.Errorf("the reason is %q, want %q; the list is %s", got, c.want, text)
			}
		})
	}
}

// A file that changed while the command ran is not in the state that the command found.
func TestReadsThatChangeDuringARun(t *testing.T) {
	_, index := readWorld(t)
	dir := t.TempDir()
	if err := edit("f", "one")(dir); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "f")
	time.Sleep(20 * time.Millisecond)
	started := time.Now()
	time.Sleep(20 * time.Millisecond) // the clock of files ticks
	for _, c := range []struct {
		name   string
		read   reads.Read
		change func(string) error
		fails  bool
	}{
		{"nothing", reads.Read{Opened: true}, func(string) error { return nil }, false},
		{"removed", reads.Read{Opened: true}, func(string) error { return os.Rename(file, file+"2") }, true},
		{"replaced by an older file", reads.Read{Opened: true}, func(string) error {
			return first(edit("g", "two")(dir), os.Chtimes(filepath.Join(dir, "g"), time.Unix(1, 0), time.Unix(1, 0)), os.Rename(filepath.Join(dir, "g"), file))
		}, true},
		{"added", reads.Read{Missing: true}, func(string) error { return nil }, true},
	} {
		if err := c.change(dir); err != nil {
			t.Fatal(err)
		}
		c.read.Path = file
		_, err := encodeReads(index, []reads.Read{c.read}, started)
		if (err != nil) != c.fails || err != nil && !strings.Contains(err.Error(), "changed during the run; run again") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
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
