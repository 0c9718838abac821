package conformance

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// sh returns the command of a stage that runs a script.
func sh(script string) string { return fmt.Sprintf("[%q, \"sh\", \"-c\", %q]", busybox, script) }

func TestSameResults(t *testing.T) {
	inEach(t, testSameResults)
}

func testSameResults(t *testing.T, executor string) {
	for _, c := range []struct {
		name   string
		files  map[string]string
		code   int
		status string // of the first stage
		args   []string
	}{
		{
			name: "success", status: "RAN",
			files: map[string]string{
				"text.txt": "one\ntwo\n",
				"pipeline.hcl": `
stage "copy" {
  inputs  = { text = "text.txt" }
  outputs = { copy = "out/deep/copy.txt" }
  command = ` + sh("cat in/text.txt > out/deep/copy.txt; echo said; echo warned >&2; printf '\\377\\000'") + `
}
stage "count" {
  inputs  = { copy = stage.copy.copy }
  outputs = { count = "out/count.txt" }
  env     = { GREETING = "grüß" }
  command = ` + sh("wc -l < in/copy.txt > out/count.txt; echo $GREETING; env | sort | grep -v ^TMPDIR= | grep -v ^PWD= | grep -v ^SHLVL=") + `
}`,
			},
		},
		{
			name: "a long environment", status: "RAN",
			files: map[string]string{"pipeline.hcl": `
stage "long" {
  outputs = { o = "out/o" }
  env     = { LONG = "` + strings.Repeat("0123456789", 11_000) + `" }
  command = ` + sh("echo $LONG | wc -c > out/o") + `
}`},
		},
		{
			name: "failing", code: 3, status: "FAILED", args: []string{"--keep-going"},
			files: map[string]string{"pipeline.hcl": `
stage "bad" {
  outputs = { o = "out/o" }
  command = ` + sh("echo half > out/o; echo why >&2; exit 7") + `
}
stage "after" {
  inputs  = { o = stage.bad.o }
  outputs = { p = "out/p" }
  command = ` + sh("cp in/o out/p") + `
}
stage "aside" {
  outputs = { p = "out/p" }
  command = ` + sh("echo fine > out/p") + `
}`},
		},
		{
			name: "signal", code: 3, status: "FAILED",
			files: map[string]string{"pipeline.hcl": `
stage "bad" {
  outputs = { o = "out/o" }
  command = ` + sh("kill -SEGV $$") + `
}`},
		},
		{
			name: "timeout", code: 3, status: "FAILED",
			files: map[string]string{"pipeline.hcl": `
stage "slow" {
  outputs = { o = "out/o" }
  timeout = "1s"
  command = ` + sh("echo begun; sleep 60") + `
}`},
		},
		{
			name: "retry", code: 3, status: "FAILED",
			files: map[string]string{"pipeline.hcl": `
stage "flaky" {
  outputs = { o = "out/o" }
  retries = 2
  command = ` + sh("echo no >&2; exit 9") + `
}`},
		},
		{
			name: "missing output", code: 3, status: "FAILED",
			files: map[string]string{"pipeline.hcl": `
stage "forgot" {
  outputs = { o = "out/o" }
  command = ` + sh("echo x > out/other; mkdir out/d; echo y > out/d/z") + `
}`},
		},
		{
			name: "output of another type", code: 3, status: "FAILED",
			files: map[string]string{"pipeline.hcl": `
stage "link" {
  outputs = { o = "out/o" }
  command = ` + sh("ln -s /etc/passwd out/o") + `
}`},
		},
		{
			name: "program that is missing", code: 3, status: "FAILED",
			files: map[string]string{"pipeline.hcl": `
stage "none" {
  outputs = { o = "out/o" }
  command = ` + sh("no-such-program-anywhere > out/o") + `
}`},
		},
		{
			name: "another platform", code: 3, status: "FAILED",
			files: map[string]string{"pipeline.hcl": `
stage "mainframe" {
  outputs  = { o = "out/o" }
  platform = "linux/s390x"
  command  = ` + sh("echo x > out/o") + `
}`},
		},
		{
			name: "more memory than there is", code: 3, status: "FAILED",
			files: map[string]string{"pipeline.hcl": `
stage "large" {
  outputs = { o = "out/o" }
  command = ` + sh("echo x > out/o") + `
  resources {
    cpus      = 1000
    memory_mb = 1000000000
  }
}`},
		},
		{
			name: "directory", status: "RAN",
			files: map[string]string{"pipeline.hcl": `
stage "tree" {
  outputs = { d = "out/d/" }
  command = ` + sh("mkdir -p out/d/sub/empty; echo x > out/d/sub/x; chmod 755 out/d/sub/x; echo y > out/d/y; chmod 600 out/d/y; "+
				"ln -s sub/x out/d/link; ln -s nowhere out/d/dangling; chmod 700 out/d/sub") + `
}
stage "read" {
  inputs  = { d = stage.tree.d }
  outputs = { l = "out/l" }
  command = ` + sh("cd in/d; find . | sort > ../../out/l; cat link >> ../../out/l; readlink dangling >> ../../out/l; test -x sub/x") + `
}`},
		},
		{
			name: "names", status: "RAN",
			files: map[string]string{
				"daten/日本語 ☃.txt":       "schnee\n",
				"daten/a'b\"c $x.txt":   "quotes\n",
				"daten/tief/ünïcødé.md": "ok\n",
				"pipeline.hcl": `
stage "names" {
  inputs  = { daten = "daten" }
  outputs = { d = "out/ausgabe ☃/" }
  command = ` + sh("cp -r in/daten/. 'out/ausgabe ☃/'; ls -R in/daten | sort") + `
}`,
			},
		},
		{
			name: "empty", status: "RAN",
			files: map[string]string{
				"empty.txt": "",
				"pipeline.hcl": `
stage "empty" {
  inputs  = { e = "empty.txt" }
  outputs = { e = "out/e", d = "out/d/" }
  command = ` + sh("cp in/e.txt out/e; mkdir -p out/d") + `
}
stage "silent" {
  outputs = { o = "out/o" }
  command = ` + sh(": > out/o") + `
}`,
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, executor, c.files)
			local, other := w.both(c.args...)
			if local.code != c.code || len(local.stages) == 0 || local.stages[0].Status != c.status {
				t.Errorf("exit status %d, stages %+v; want %d and %s\n%s", local.code, local.stages, c.code, c.status, local.stderr)
			}
			// A result that one executor stored is a hit for the other.
			for name, store := range map[string]string{executor: local.store, "local": other.store} {
				if c.code != 0 {
					break
				}
				for _, st := range w.run(name, store).stages {
					if st.Status != "HIT" {
						t.Errorf("%s on the other's store: %s is %s", name, st.Stage, st.Status)
					}
				}
			}
		})
	}
}

func TestLargeFile(t *testing.T) {
	inEach(t, testLargeFile)
}

func testLargeFile(t *testing.T, executor string) {
	w := newWorld(t, executor, map[string]string{"pipeline.hcl": `
stage "large" {
  inputs  = { big = "big.bin" }
  outputs = { big = "out/big.bin" }
  command = ` + sh("cp in/big.bin out/big.bin") + `
}`})
	content := make([]byte, 64<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(content)
	w.write("big.bin", string(content))
	local, other := w.both()
	if local.code != 0 || other.records["large[]"].Outputs[0].Size != 64<<20 {
		t.Errorf("exit status %d, record %+v", local.code, other.records["large[]"])
	}
}

func TestSecretsStayOut(t *testing.T) {
	inEach(t, testSecretsStayOut)
}

func testSecretsStayOut(t *testing.T, executor string) {
	const value = "s3cr3t-Zwölf-7731"
	w := newWorld(t, executor, map[string]string{"pipeline.hcl": `
stage "secret" {
  outputs = { o = "out/o" }
  secrets = { TOKEN = "env:CONFORMANCE_TOKEN" }
  command = ` + sh("printf %s \"$TOKEN\" | sha256sum > out/o") + `
}`})
	w.env = []string{"CONFORMANCE_TOKEN=" + value}
	if executor == "remote" {
		// A server and its workers would keep it.
		e := w.run(executor, filepath.Join(t.TempDir(), "store"))
		if e.code != 3 || !strings.Contains(e.stderr, "the secret TOKEN") {
			t.Errorf("exit status %d\n%s", e.code, e.stderr)
		}
		return
	}
	local, other := w.both("--progress", "json")
	for _, e := range []*ended{local, other} {
		if e.code != 0 {
			t.Fatalf("exit status %d\n%s", e.code, e.stderr)
		}
		if strings.Contains(e.stderr, value) {
			t.Error("the secret is on standard error")
		}
		err := filepath.WalkDir(filepath.Dir(e.store), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(file)
			if bytes.Contains(b, []byte(value)) {
				t.Errorf("%s holds the secret", file)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestNetworkIsAsDeclared(t *testing.T) {
	inEach(t, testNetworkIsAsDeclared)
}

func testNetworkIsAsDeclared(t *testing.T, executor string) {
	interfaces := sh("sed -n 's/^ *\\([a-z0-9]*\\):.*/\\1/p' /proc/net/dev | sort > out/o")
	w := newWorld(t, executor, map[string]string{"pipeline.hcl": `
stage "none" {
  outputs = { o = "out/o" }
  command = ` + interfaces + `
}
stage "loopback" {
  outputs = { o = "out/o" }
  network = "loopback"
  command = ` + interfaces + `
}
stage "full" {
  outputs = { o = "out/o" }
  network = "full"
  command = ` + interfaces + `
}`})
	e := w.run(executor, filepath.Join(t.TempDir(), "store"))
	if e.code != 0 {
		t.Fatal(e.stderr)
	}
	s := openStore(t, e.store)
	for kind, has := range map[string]bool{"none": false, "loopback": false, "full": true} {
		rec := e.records[kind+"[]"]
		b, err := s.Bytes(rec.Outputs[0].Digest)
		if err != nil {
			t.Fatal(err)
		}
		if executor == "remote" && slices.Contains(rec.Isolation, "network-not-enforced") {
			continue // this system does not allow more
		}
		if strings.TrimSpace(string(b)) != "lo" != has {
			t.Errorf("network %s has the interfaces %q", kind, b)
		}
		if slices.Contains(rec.Isolation, "no-network") == has {
			t.Errorf("network %s is recorded as isolated by %v", kind, rec.Isolation)
		}
	}
}

func TestUndeclaredReadFails(t *testing.T) {
	inEach(t, testUndeclaredReadFails)
}

func testUndeclaredReadFails(t *testing.T, executor string) {
	secret := filepath.Join(t.TempDir(), "undeclared.txt")
	if err := os.WriteFile(secret, []byte("found\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, executor, map[string]string{"pipeline.hcl": `
stage "reads" {
  outputs = { o = "out/o" }
  command = ` + sh("cat "+secret+" > out/o") + `
}`})
	stores := t.TempDir()
	e := w.run(executor, filepath.Join(stores, executor))
	if e.code != 3 && (executor == "dagger" || !slices.Contains(e.records["reads[]"].Isolation, "files-not-enforced")) {
		t.Errorf("an undeclared read succeeded:\n%+v", e.stages)
	}
	e = w.run("local", filepath.Join(stores, "local"))
	if e.code == 3 {
		if !strings.Contains(e.stderr, secret) {
			t.Errorf("the error does not name what was not declared:\n%s", e.stderr)
		}
		e = w.run("local", filepath.Join(stores, "off"), "--isolation", "off")
	}
	// If the process was not restricted, the record says so.
	iso := e.records["reads[]"].Isolation
	if e.code != 0 || slices.Contains(iso, "landlock") || slices.Contains(iso, "container") || !slices.Contains(iso, "files-not-enforced") {
		t.Errorf("an undeclared read: exit status %d, and the record claims %v", e.code, iso)
	}
}

func TestMatrixOfHundred(t *testing.T) {
	inEach(t, testMatrixOfHundred)
}

func testMatrixOfHundred(t *testing.T, executor string) {
	if testing.Short() {
		t.Skip("starts a hundred containers")
	}
	w := newWorld(t, executor, map[string]string{"pipeline.hcl": `
stage "cell" {
  matrix { n = range(100) }
  outputs = { o = "out/o" }
  command = [` + fmt.Sprintf("%q", busybox) + `, "sh", "-c", "echo $0 > out/o", matrix.n]
}
stage "all" {
  inputs  = { cells = stage.cell.o }
  outputs = { sum = "out/sum" }
  command = ` + sh("find in/cells -type f | wc -l > out/sum") + `
}`})
	local, other := w.both("-j", "8")
	if local.code != 0 || len(other.records) != 101 {
		t.Errorf("exit status %d, %d records", local.code, len(other.records))
	}
}

// TestMatrixOfOtherInputs has instances that share an upload, and others with a different
// file at the same path. If an instance can write to its inputs, no other instance sees
// the change.
func TestMatrixOfOtherInputs(t *testing.T) {
	inEach(t, testMatrixOfOtherInputs)
}

func testMatrixOfOtherInputs(t *testing.T, executor string) {
	w := newWorld(t, executor, map[string]string{"data/a": "alpha", "data/b": "beta", "pipeline.hcl": `
stage "cell" {
  matrix {
    file = ["a", "b"]
    n    = range(3)
  }
  inputs  = { data = { path = "data", include = [matrix.file] } }
  outputs = { o = "out/o" }
  command = [` + fmt.Sprintf("%q", busybox) + `, "sh", "-c", "cat in/data/* > out/o; echo $0 >> out/o; (echo leak > in/data/z) 2> /dev/null || true", matrix.n]
}`})
	_, other := w.both("-j", "4")
	s := openStore(t, other.store)
	for name, rec := range other.records {
		b, err := s.Bytes(rec.Outputs[0].Digest)
		if err != nil {
			t.Fatal(err)
		}
		want := "alpha"
		if strings.Contains(name, "file=b") {
			want = "beta"
		}
		if !strings.HasPrefix(string(b), want) {
			t.Errorf("%s read %q", name, b)
		}
	}
	if len(other.records) != 6 {
		t.Errorf("%d records, want 6", len(other.records))
	}
}

// untilStarted is how long an executor usually needs to start a command.
var untilStarted = map[string]time.Duration{
	"local": 200 * time.Millisecond, "remote": 500 * time.Millisecond, "dagger": 2 * time.Second,
}

func TestInterruptLeavesNothing(t *testing.T) {
	inEach(t, testInterruptLeavesNothing)
}

func testInterruptLeavesNothing(t *testing.T, executor string) {
	w := newWorld(t, executor, map[string]string{"pipeline.hcl": `
stage "long" {
  outputs = { o = "out/o" }
  command = ` + sh("echo begun > out/o; sleep 6007") + `
}`})
	for _, name := range []string{"local", executor} {
		store := filepath.Join(t.TempDir(), "store")
		cmd := w.command(name, store, "--progress", "plain")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitForStart(t, store+".events")
		// The event comes before the command starts; the test accepts both times.
		time.Sleep(untilStarted[name])
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 130 {
			t.Errorf("%s: exit status %d after an interrupt, want 130\n%s", name, code, stderr.String())
		}
		if left, _ := filepath.Glob(filepath.Join(store, "work", "*")); len(left) > 0 {
			t.Errorf("%s left %v", name, left)
		}
		// An engine ends a container shortly after its session has ended. A server that does not know
		// the request to end an action ends it when nobody has waited for it for some time.
		for end := time.Now().Add(2 * time.Minute); runs("sleep", "6007"); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: the stage still runs after an interrupt", name)
			}
		}
	}
}

// runs reports whether a process with this command line exists, if this machine's process
// table shows the containers of the engine.
func runs(argv ...string) bool {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	return slices.ContainsFunc(files, func(file string) bool {
		return readAll(file) == strings.Join(argv, "\x00")+"\x00"
	})
}

func waitForStart(t *testing.T, events string) {
	t.Helper()
	for t.Context().Err() == nil {
		if b, _ := os.ReadFile(events); bytes.Contains(b, []byte(`"start"`)) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestTwoRunsAtOnce(t *testing.T) {
	inEach(t, testTwoRunsAtOnce)
}

func testTwoRunsAtOnce(t *testing.T, executor string) {
	w := newWorld(t, executor, map[string]string{"pipeline.hcl": `
stage "a" {
  outputs = { o = "out/o" }
  command = ` + sh("sleep 1; echo a > out/o") + `
}`})
	store := filepath.Join(t.TempDir(), "store")
	cmds := []*exec.Cmd{w.command(executor, store), w.command(executor, store)}
	for _, cmd := range cmds {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if e := w.run(executor, store); e.stages[0].Status != "HIT" {
		t.Errorf("after two runs: %+v", e.stages)
	}
}
