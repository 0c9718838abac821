package engine_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// editOnResolve edits a file when a program is looked up, which is after the
// inputs were digested for the key and before they are copied.
type editOnResolve struct {
	engine.Tools
	edit func()
}

func (t *editOnResolve) Resolve(in *pipeline.Instance) (engine.Tool, error) {
	t.edit()
	return t.Tools.Resolve(in)
}

func TestInputEditedAfterKeyingIsNotStoredUnderTheOldKey(t *testing.T) {
	for _, tc := range []struct {
		name string
		edit func(path string) error
	}{
		{"content", func(p string) error { return os.WriteFile(p, []byte("new"), 0o644) }},
		{"executable bit", func(p string) error { return os.Chmod(p, 0o755) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			file := w.write("a.txt", "old")
			in := w.source(sh("copy", "cat in/a > out/result"), "a", "a.txt")
			plain := w.engine.Tools
			w.engine.Tools = &editOnResolve{plain, func() {
				if err := tc.edit(file); err != nil {
					t.Error(err)
				}
			}}
			_, _, err := w.run(w.plan(in), engine.RunOptions{})
			if err == nil || !strings.Contains(err.Error(), "a.txt") || !strings.Contains(err.Error(), "changed") {
				t.Errorf("error %v, want one that says that a.txt changed", err)
			}
			w.engine.Tools = plain
			w.write("a.txt", "old")
			if err := os.Chmod(file, 0o644); err != nil {
				t.Fatal(err)
			}
			outcomes, _, err := w.run(w.plan(in), engine.RunOptions{})
			if err != nil || outcomes[0].State != engine.Ran || w.output(outcomes[0]) != "old" {
				t.Errorf("then %s with %q, %v", outcomes[0].State, w.output(outcomes[0]), err)
			}
		})
	}
}

// damageBlobs changes a byte of every blob.
func damageBlobs(t *testing.T, store *cache.Store) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(store.Dir(), "blobs"), func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		b[len(b)-1] ^= 1
		return os.WriteFile(p, b, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestDamageAllTheWayUpIsMadeAgain(t *testing.T) {
	w := newWorld(t)
	w.write("x.txt", "1")
	plan := w.plan(
		sh("a", "echo a > out/result"),
		after(sh("b", "cat in/a > out/result; echo b >> out/result"), "a", 0),
		after(w.source(sh("c", "cat in/b in/x > out/result"), "x", "x.txt"), "b", 1),
		after(w.source(sh("d", "cat in/x in/b > out/result"), "x", "x.txt"), "b", 1),
	)
	w.mustRun(plan)
	damageBlobs(t, w.store)
	w.write("x.txt", "2")
	sum := w.mustRun(plan)
	if sum.Executed != 4 {
		t.Errorf("%d executed, want c and d, and a and b once more", sum.Executed)
	}
	if sum := w.mustRun(plan); sum.Executed != 0 {
		t.Errorf("then %d executed, want none", sum.Executed)
	}
}

// A directory with several damaged files is computed again once, also if it is
// published.
func TestDamagedDirectories(t *testing.T) {
	w := newWorld(t)
	w.write("x.txt", "1")
	tree := sh("tree", "mkdir -p out/result/sub; seq 3 > out/result/a; seq 4 > out/result/b; seq 5 > out/result/sub/c")
	tree.Outputs[0].Dir = true
	plan := w.plan(tree, after(w.source(sh("read", "cat in/x in/tree/a in/tree/b in/tree/sub/c > out/result"), "x", "x.txt"), "tree", 0))
	plan.Publish = []pipeline.Publish{{Path: "site", From: pipeline.OutputRef{Output: "result"}}}
	w.mustRun(plan)
	damageFiles := func() {
		t.Helper()
		for _, content := range []string{"1\n2\n3\n", "1\n2\n3\n4\n", "1\n2\n3\n4\n5\n"} {
			d := cache.Digest(sha256.Sum256([]byte(content))).String()
			path := filepath.Join(w.store.Dir(), "blobs", d[:2], d)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			b[len(b)-1] ^= 1
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	damageFiles()
	w.write("x.txt", "2")
	if sum := w.mustRun(plan); sum.Executed != 2 {
		t.Errorf("%d executed, want both", sum.Executed)
	}

	damageFiles()
	outcomes, _, err := w.run(plan, engine.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.engine.Publish(t.Context(), plan, outcomes, engine.Publication{}); !cache.Damaged(err) {
		t.Fatalf("publishing damaged content: %v", err)
	}
	outcomes, sum, err := w.run(plan, engine.RunOptions{})
	if err != nil || sum.Executed != 1 {
		t.Fatalf("%+v, %v; want the tree once more", sum, err)
	}
	if err := w.engine.Publish(t.Context(), plan, outcomes, engine.Publication{}); err != nil {
		t.Error(err)
	}
}

func TestShorterTimeToLiveCountsForOlderResults(t *testing.T) {
	w := newWorld(t)
	in := sh("a", "echo a > out/result")
	w.mustRun(w.plan(in))
	in.Cache.TTL = time.Hour
	if sum := w.mustRun(w.plan(in)); sum.Hits != 1 {
		t.Fatalf("a fresh result is no hit: %+v", sum)
	}
	in.Cache.TTL = time.Nanosecond
	outcomes, err := w.engine.Evaluate(t.Context(), w.plan(in))
	if err != nil {
		t.Fatal(err)
	}
	if o := outcomes[0]; o.State != engine.Miss || o.Miss != cache.Expired || !strings.Contains(o.Reasons[0], "expired") {
		t.Errorf("%s %q, want a miss because it expired", o.State, o.Reasons)
	}
}

func TestProgramsOutsideOfTheKeyAreRefused(t *testing.T) {
	w := newWorld(t)
	w.write("tool.sh", "#!/bin/sh\necho hello > out/result\n")
	if err := os.Chmod(filepath.Join(w.root, "tool.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	up := strings.Repeat("../", 20)
	for program, ok := range map[string]bool{
		"in/tool": true, "./in/tool": true, up + "bin/sh": false, "in/../" + up + "bin/sh": false, "./tool": false,
	} {
		in := w.source(sh("s", "echo > out/result"), "tool", "tool.sh")
		in.Command[0] = program
		_, _, err := w.run(w.plan(in), engine.RunOptions{})
		if ok && err != nil || !ok && (err == nil || !strings.Contains(err.Error(), "is not an input of the stage")) {
			t.Errorf("%s: %v", program, err)
		}
	}
}

// A stage without a stored result cannot be up to date, so selecting a stage that reads it
// also runs it.
func TestSelectionRunsWhatKeepsNoResult(t *testing.T) {
	w := newWorld(t)
	off := sh("off", "echo x > out/result")
	off.Cache.Off = true
	plan := w.plan(off, after(sh("b", "cat in/a > out/result"), "a", 0), after(sh("c", "cat in/b > out/result"), "b", 1))
	w.mustRun(plan)
	for _, s := range []engine.Selection{{Only: []string{"b"}}, {From: []string{"b"}}} {
		if _, sum, err := w.run(plan, engine.RunOptions{Selection: s}); err != nil || sum.Executed != 1 {
			t.Errorf("%+v: %+v, %v", s, sum, err)
		}
	}
	nothing := engine.Selection{From: []string{"c"}, Until: []string{"b"}}
	if _, _, err := w.run(plan, engine.RunOptions{Selection: nothing}); err == nil || !strings.Contains(err.Error(), "no stage is selected by all of") {
		t.Errorf("a selection of nothing: %v", err)
	}
}

// If a program is replaced while it runs, no result is stored under the key of the old
// program.
func TestReplacedProgramLeavesNoResult(t *testing.T) {
	w := newWorld(t)
	program := w.write("tool.sh", "#!/bin/sh\nsleep 0.1; echo '#' >> \"$0\"; echo x > out/result\n")
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	in := sh("s", "")
	in.Command = []string{program}
	_, _, err := w.run(w.plan(in), engine.RunOptions{})
	if err == nil || !strings.Contains(err.Error(), "was replaced during the run") {
		t.Fatalf("error %v", err)
	}
	w.engine.Tools = &engine.HostTools{Index: w.engine.Index}
	outcomes, err := w.engine.Evaluate(t.Context(), w.plan(in))
	if err != nil || outcomes[0].State != engine.Miss {
		t.Errorf("then %s, %v", outcomes[0].State, err)
	}
}

// A run uses one version of each file: what changes while it works is said, and no stage compares two versions.
func TestASourceThatChangesDuringARunIsSaid(t *testing.T) {
	for name, change := range map[string]string{
		"edited": "echo two > %s", "removed": "rm %s", "executable": "chmod +x %s", "not at all": "touch %s",
	} {
		became := "changed"
		if name == "removed" {
			became = "was removed"
		}
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			file := w.write("src.txt", "one\n")
			plan := func() *pipeline.Plan {
				slow := w.source(sh("slow", "cat in/s > out/result; "+fmt.Sprintf(change, file)), "s", "src.txt")
				same := w.source(after(sh("same", "cmp in/u in/s && echo same > out/result"), "u", 0), "s", "src.txt")
				return w.plan(slow, same)
			}
			outcomes, sum, err := w.run(plan(), engine.RunOptions{})
			if name == "not at all" {
				if err != nil || len(sum.Changed) != 0 || outcomes[1].State != engine.Ran {
					t.Errorf("%s, %q, %v", outcomes[1].State, sum.Changed, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), "src.txt "+became+" during the run") ||
				fmt.Sprint(sum.Changed) != "[{src.txt "+became+"}]" {
				t.Errorf("the run says %v, and that %q changed", err, sum.Changed)
			}
			if _, miss := w.store.Outputs(outcomes[1].Key, 0); miss == nil {
				t.Error("the second stage has a result")
			}

			// The old version is no longer used, and the next run has one version again.
			w.write("src.txt", "three\n")
			next := plan()
			next.Instances[0].Command[2] = "cat in/s > out/result"
			outcomes, sum, err = w.run(next, engine.RunOptions{})
			if err != nil || len(sum.Changed) != 0 || w.output(outcomes[1]) != "same\n" {
				t.Errorf("the next run: %v, %q", err, sum.Changed)
			}
		})
	}
}
