package engine_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/engine"
)

// looks is the script of a stage that lists its surroundings.
const looks = `{ find . "$TMPDIR" -printf '%P %y %m %s %U:%G\n' | sort; ls -U . in out "$TMPDIR" | wc -l; } > out/result`

// Whatever a stage does to its directory, the next stage sees a new one.
func TestTheNextStageFindsAFreshDirectory(t *testing.T) {
	fresh := func() string {
		w := newWorld(t)
		w.write("x.txt", "x")
		outcomes, _, err := w.run(w.plan(w.source(sh("looks", looks), "x", "x.txt")), engine.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return w.output(outcomes[0])
	}()
	for name, script := range map[string]string{
		"nothing": "",
		"files":   `echo 1 > left; echo 2 > in/left; echo 3 > out/left; echo 4 > "$TMPDIR/left"; echo 5 > "$TMPDIR/../left"; mkdir -p a/b out/c`,
		"hidden and odd": `echo > .hidden; echo > 'out/new
line'; ln -s / out/root; ln -s .. in/up; mkfifo pipe`,
		"no permission":       `mkdir out/closed; echo > out/closed/file; chmod 0 out/closed`,
		"modes":               `chmod 700 out; chmod 711 .; chmod 777 "$TMPDIR"; chmod 750 in`,
		"setgid":              `chmod g+s out; chmod +t in`,
		"other kinds":         `rm -rf in; echo > in; rm -rf "$TMPDIR"; ln -s / "$TMPDIR"`,
		"taken away":          `rm -rf in "$TMPDIR"`,
		"replaced":            `mv out elsewhere; mkdir out; mv in out/in`,
		"out is a link":       `mv in x; ln -s x in`,
		"grown":               `cd out; for i in $(seq 400); do echo > a-name-that-takes-some-space-in-a-directory-$i; done; cd ..`,
		"extended attributes": `setfattr -n user.mark -v 1 out 2>/dev/null || python3 -c 'import os; os.setxattr("out", "user.mark", b"1")' || true`,
		"a mode of creation":  `umask 0; mkdir -m 777 out/wide`,
		"a lot printed":       `seq 100000; seq 100000 >&2`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.engine.Jobs = 1
			w.write("x.txt", "x")
			plan := w.plan(
				w.source(sh("dirty", script+"\necho done > out/result"), "y", "x.txt"),
				w.source(sh("looks", looks), "x", "x.txt"),
			)
			plan.Instances[1].Upstream = []int{0}
			outcomes, _, err := w.run(plan, engine.RunOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := w.output(outcomes[1]); got != fresh {
				t.Errorf("the next stage finds\n%s\nand in a fresh directory\n%s", got, fresh)
			}
		})
	}
}

// A directory is reused if that is known to be safe. Otherwise the checks would be
// pointless.
func TestDirectoriesAreUsedAgain(t *testing.T) {
	w := newWorld(t)
	w.engine.Jobs = 1
	first, second := sh("first", "stat -c %i out > out/result"), sh("second", "stat -c %i out > out/result")
	second.Upstream = []int{0}
	outcomes, _, err := w.run(w.plan(first, second), engine.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := w.output(outcomes[0]), w.output(outcomes[1]); a != b {
		t.Skipf("out was inode %s and then %s: this system does not tell whether a stage left processes", strings.TrimSpace(a), strings.TrimSpace(b))
	}
}

// A process that has left its stage's group cannot affect the next stage.
func TestAnEscapedProcessCannotReachTheNextStage(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("setsid is not installed")
	}
	for name, start := range map[string]string{
		"plain":                  `setsid sh "$PWD/in/go" &`,
		"without an environment": `env -i setsid sh "$PWD/in/go" &`,
		"from a dead parent":     `(setsid sh "$PWD/in/go" & ) & wait`,
		"without open files":     `env -i setsid sh "$PWD/in/go" < /dev/null > /dev/null 2>&1 &`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			pid, goOn := filepath.Join(w.root, "pid"), filepath.Join(w.root, "go-on")
			w.write("go", "echo $$ > "+pid+".new; mv "+pid+".new "+pid+"\nwhile ! [ -e "+goOn+" ]; do sleep 0.01; done\ncd out && echo reached > mark; echo reached; echo > "+goOn+".done; sleep 60\n")
			t.Cleanup(func() {
				b, _ := os.ReadFile(pid)
				if n, err := strconv.Atoi(strings.TrimSpace(string(b))); err == nil {
					if p, err := os.FindProcess(n); err == nil {
						_ = p.Kill()
					}
				}
			})
			first := w.source(sh("first", start+"\nwhile ! [ -e "+pid+" ]; do sleep 0.01; done; echo done > out/result"), "go", "go")
			// The second stage lets the process go on and gives it time.
			second := w.source(sh("second", "echo > "+goOn+"; for i in $(seq 30); do [ -e "+goOn+".done ] && break; sleep 0.01; done; ls in out > out/result"), "x", "go")
			second.Upstream = []int{0}
			w.engine.Jobs = 1
			outcomes, _, err := w.run(w.plan(first, second), engine.RunOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := w.output(outcomes[1]); got != "in:\nx\n\nout:\nresult\n" {
				t.Errorf("the second stage finds %q", got)
			}
			if log, err := w.store.Bytes(outcomes[1].Stdout); err != nil || len(log) != 0 {
				t.Errorf("the second stage's log: %q, %v", log, err)
			}
			if name == "plain" {
				expectGone(t, pid)
			}
		})
	}
}

// All output is kept, and a process that prints forever does not prevent a stage from
// ending.
func TestLogsAreWhole(t *testing.T) {
	w := newWorld(t)
	w.engine.Jobs = 1
	const tail = "; echo done > out/result"
	plan := w.plan(
		sh("much", "seq 100000; seq 50000 >&2"+tail),
		sh("nothing", "true"+tail),
		sh("late", "(sleep 0.1; echo late) & wait"+tail),
		sh("end", "echo done > out/result; exec printf '%70000d' 1"),
		sh("forever", "env -i setsid sh -c 'while echo x; do :; done' &\nsleep 0.05"+tail),
	)
	outcomes, _, err := w.run(plan, engine.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	seq := func(n int) []byte {
		var b bytes.Buffer
		for i := range n {
			b.WriteString(strconv.Itoa(i+1) + "\n")
		}
		return b.Bytes()
	}
	for i, want := range [][2][]byte{
		{seq(100000), seq(50000)}, {}, {[]byte("late\n")}, {append(bytes.Repeat([]byte(" "), 69999), '1')},
	} {
		stdout, err1 := w.store.Bytes(outcomes[i].Stdout)
		stderr, err2 := w.store.Bytes(outcomes[i].Stderr)
		if err1 != nil || err2 != nil || !bytes.Equal(stdout, want[0]) || !bytes.Equal(stderr, want[1]) {
			t.Errorf("%s: %d and %d bytes, want %d and %d (%v, %v)", outcomes[i].Instance.Stage, len(stdout), len(stderr), len(want[0]), len(want[1]), err1, err2)
		}
	}
}
