package engine_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// publishing returns a plan that publishes what a script writes to out/result.
func (w *world) publishing(script string) *pipeline.Plan {
	in := sh("tree", "mkdir -p out/result; cd out/result; "+script)
	in.Outputs[0].Dir = true
	plan := w.plan(in)
	plan.Publish = []pipeline.Publish{{Path: "site", From: pipeline.OutputRef{Output: "result"}}}
	return plan
}

func (w *world) publish(plan *pipeline.Plan, rewrite engine.Rewrite) error {
	w.t.Helper()
	outcomes, sum, err := w.run(plan, engine.RunOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return w.engine.Publish(w.t.Context(), plan, outcomes, engine.Publication{Fresh: sum.Executed > 0, Rewrite: rewrite})
}

// published lists everything in site, and the content of files.
func (w *world) published() string {
	w.t.Helper()
	var list []string
	site := filepath.Join(w.root, "site")
	err := filepath.WalkDir(site, func(p string, d os.DirEntry, err error) error {
		rel, _ := filepath.Rel(site, p)
		switch {
		case err != nil || rel == "." || rel == ".touchstone-published.json":
			return err
		case d.IsDir():
			list = append(list, rel+"/")
			return nil
		case d.Type()&os.ModeSymlink != 0:
			target, err := os.Readlink(p)
			list = append(list, rel+"->"+target)
			return err
		}
		b, err := os.ReadFile(p)
		list = append(list, rel+"="+strings.TrimSpace(string(b)))
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.Join(list, " ")
}

// A published path may change from any type to any other.
func TestPublishedKindsChange(t *testing.T) {
	kinds := map[string][2]string{
		"file":                 {"echo x > d", "d=x"},
		"directory":            {"mkdir d; echo y > d/f", "d/ d/f=y"},
		"deep directory":       {"mkdir -p d/e; echo z > d/e/g", "d/ d/e/ d/e/g=z"},
		"link to a file":       {"echo w > e; ln -s e d", "d->e e=w"},
		"link to a directory":  {"mkdir e; echo v > e/f; ln -s e d", "d->e e/ e/f=v"},
		"nothing of that name": {"echo u > other", "other=u"},
	}
	for from := range kinds {
		for to := range kinds {
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				for _, kind := range []string{from, to} {
					if err := w.publish(w.publishing(kinds[kind][0]), nil); err != nil {
						t.Fatalf("%s: %v", kind, err)
					}
					if got := w.published(); got != kinds[kind][1] {
						t.Errorf("%s: there is %q, want %q", kind, got, kinds[kind][1])
					}
				}
			})
		}
	}
}

func TestPublishedDirectoryWithEmptyOnesBecomesAFile(t *testing.T) {
	w := newWorld(t)
	for _, script := range []string{"mkdir -p d/a d/b/c; echo x > d/f", "echo x > d"} {
		if err := w.publish(w.publishing(script), nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.published(); got != "d=x" {
		t.Errorf("there is %q", got)
	}
}

func TestPublishingWhereNobodyMayWrite(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("an administrator may write anywhere")
	}
	w := newWorld(t)
	site := filepath.Join(w.root, "site")
	if err := os.Mkdir(site, 0o500); err != nil {
		t.Fatal(err)
	}
	err := w.publish(w.publishing("echo x > d"), nil)
	if err == nil || !strings.Contains(err.Error(), "make it writable for this user; the results are cached") {
		t.Errorf("got %v", err)
	}
}

func TestPublishingSparesWhatOthersWrote(t *testing.T) {
	for _, tc := range []struct{ name, theirs, script string }{
		{"file for file", "site/d", "echo x > d"},
		{"file for directory", "site/d", "mkdir d; echo x > d/f"},
		{"directory for file", "site/d/mine", "echo x > d"},
		{"directory for file, among ours", "site/old/mine", "echo x > old"},
		{"file for the whole", "site", "echo x > d"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			if tc.theirs != "site" {
				if err := w.publish(w.publishing("mkdir old; echo x > old/f"), nil); err != nil {
					t.Fatal(err)
				}
			}
			file := w.write(tc.theirs, "theirs")
			err := w.publish(w.publishing(tc.script), nil)
			if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "move it away") {
				t.Errorf("error %v, want one that names %s", err, file)
			}
			if b, err := os.ReadFile(file); err != nil || string(b) != "theirs" {
				t.Errorf("it now holds %q, %v", b, err)
			}
		})
	}
}

// Files of users next to published files are kept, and so are their directories.
func TestPublishingLeavesNeighbours(t *testing.T) {
	w := newWorld(t)
	if err := w.publish(w.publishing("mkdir a b; echo 1 > a/f; echo 1 > b/f"), nil); err != nil {
		t.Fatal(err)
	}
	w.write("site/a/mine", "theirs")
	if err := w.publish(w.publishing("echo 2 > c"), nil); err != nil {
		t.Fatal(err)
	}
	if got, want := w.published(), "a/ a/mine=theirs c=2"; got != want {
		t.Errorf("there is %q, want %q", got, want)
	}
}

// If a run is killed during publishing, the next run must not treat its files as those of a
// user. A rewritten file has another content than the output, so the content cannot
// identify it.
func TestPublishingThatWasCutOff(t *testing.T) {
	w := newWorld(t)
	cut := errors.New("cut off")
	never := func([]byte) ([]byte, error) { return nil, cut }
	mark := func(pipeline.Publish, string) func([]byte) ([]byte, error) {
		return func(b []byte) ([]byte, error) { return append([]byte("run 1: "), b...), nil }
	}
	half := func(p pipeline.Publish, path string) func([]byte) ([]byte, error) {
		if path == "b" {
			return never
		}
		return mark(p, path)
	}
	for _, script := range []string{"echo 1 > a; echo 1 > b", "echo 2 > a; echo 2 > b; echo 2 > c"} {
		if err := w.publish(w.publishing(script), half); !errors.Is(err, cut) {
			t.Fatal(err)
		}
	}
	w.write("site/.touchstone-new-XYZ", "ha") // by a kill
	if err := w.publish(w.publishing("echo 2 > a; echo 2 > b; echo 2 > c"), mark); err != nil {
		t.Fatal(err)
	}
	if got, want := w.published(), "a=run 1: 2 b=run 1: 2 c=run 1: 2"; got != want {
		t.Errorf("there is %q, want %q", got, want)
	}

	// The same for a single file.
	plan := w.plan(sh("file", "echo 1 > out/result"))
	plan.Publish = []pipeline.Publish{{Path: "site/single", From: pipeline.OutputRef{Output: "result"}}}
	if err := w.publish(plan, func(pipeline.Publish, string) func([]byte) ([]byte, error) { return never }); !errors.Is(err, cut) {
		t.Fatal(err)
	}
	w.write("site/single", "run 1: 0")
	if err := w.publish(plan, mark); err != nil {
		t.Error(err)
	}
}

// Waiting for another run to publish can be interrupted.
func TestPublishingIsInterrupted(t *testing.T) {
	w := newWorld(t)
	plan := w.publishing("echo x > d")
	outcomes, _, err := w.run(plan, engine.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := w.store.LockKey(t.Context(), cache.Key(sha256.Sum256([]byte("publishing into "+w.root))))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.engine.Publish(ctx, plan, outcomes, engine.Publication{Fresh: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was interrupted", err)
	}
}

// After a run that executed a stage, all files are written again, because Rewrite may add
// facts about that run.
func TestPublishingAfresh(t *testing.T) {
	w := newWorld(t)
	plan := w.publishing("echo 1 > a")
	outcomes, _, err := w.run(plan, engine.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, tt := range []struct {
		fresh bool
		mark  string
		want  string
	}{{true, "", "a=0 1"}, {false, "", "a=0 1"}, {true, "", "a=2 1"}, {false, "other", "a=3 1"}, {false, "other", "a=3 1"}, {false, "", "a=5 1"}} {
		rewrite := func(pipeline.Publish, string) func([]byte) ([]byte, error) {
			return func(b []byte) ([]byte, error) { return append(fmt.Appendf(nil, "%d ", i), b...), nil }
		}
		err := w.engine.Publish(t.Context(), plan, outcomes, engine.Publication{Fresh: tt.fresh, Rewrite: rewrite, Mark: tt.mark})
		if err != nil {
			t.Fatal(err)
		}
		if got := w.published(); got != tt.want {
			t.Errorf("%d, fresh %v, mark %q: there is %q, want %q", i, tt.fresh, tt.mark, got, tt.want)
		}
	}
}

// A run with only hits restores a published file that was edited or removed.
func TestPublishedFilesAreRestored(t *testing.T) {
	w := newWorld(t)
	plan := w.publishing("echo 1 > a; echo 1 > b")
	if err := w.publish(plan, nil); err != nil {
		t.Fatal(err)
	}
	a := filepath.Join(w.root, "site", "a")
	for name, spoil := range map[string]func() error{
		"longer":        func() error { return os.WriteFile(a, []byte("edited"), 0o644) },
		"just as long":  func() error { return os.WriteFile(a, []byte("2\n"), 0o644) },
		"removed":       func() error { return os.Remove(a) },
		"all of it":     func() error { return os.RemoveAll(filepath.Dir(a)) },
		"without stamp": func() error { return os.Remove(filepath.Join(w.root, "site", ".touchstone-published.json")) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if err := w.publish(plan, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := w.published(); got != "a=1 b=1" {
			t.Errorf("%s: there is %q", name, got)
		}
	}
}
