package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/touchstone-eval/touchstone/internal/engine/reads"
)

// recorded runs a script and returns what it read, by path.
func recorded(t *testing.T, s *Sandbox, text string, env ...string) (*Result, map[string]reads.Read) {
	t.Helper()
	job := script(text)
	job.Record = true
	r, err := tryStage(t, s, job, env...)
	for range 5 {
		if !errors.Is(err, reads.ErrDisturbed) {
			break
		}
		r, err = tryStage(t, s, job, env...)
	}
	if err != nil || r.ExitCode != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	found := map[string]reads.Read{}
	for _, x := range r.Reads {
		found[x.Path] = x
	}
	return r, found
}

// loaders are those of programs of the C library.
var loaders = map[string]string{"amd64": "/lib64/ld-linux-x86-64.so.2", "arm64": "/lib/ld-linux-aarch64.so.1"}

func TestReadsOfAStage(t *testing.T) {
	if !New().Records() {
		t.Skip("this system cannot record what a stage reads")
	}
	prefix := t.TempDir()
	for name, text := range map[string]string{
		"bin/interpreted": "#!" + prefix + "/bin/linked\ncat " + prefix + "/share/data\n", "share/data": "data\n", "share/asked": "asked\n", "share/list/a": "a\n",
	} {
		file := filepath.Join(prefix, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/bin/sh", filepath.Join(prefix, "bin", "linked")); err != nil {
		t.Fatal(err)
	}
	denied := filepath.Join(t.TempDir(), "denied")
	if err := os.WriteFile(denied, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	share := filepath.Join(prefix, "share")
	const opened, asked, deniedHere, nothing = "opened", "asked", "denied", "nothing"
	for _, c := range []struct {
		name, script string
		want         map[string]string // by path
	}{
		{"a program and its loader", ":", map[string]string{"/bin/sh": opened, loaders[runtime.GOARCH]: opened}},
		{"a script, its interpreter and a file", "interpreted", map[string]string{
			filepath.Join(prefix, "bin", "interpreted"): opened, filepath.Join(prefix, "bin", "linked"): opened, filepath.Join(share, "data"): opened,
		}},
		{"a relative path", "cd " + share + " && cat data", map[string]string{share + "/data": opened}},
		{"the status of a file", "test -f " + share + "/asked", map[string]string{share + "/asked": asked}},
		{"a file that is not there", "test -f " + share + "/none; cat " + share + "/none2 || true", map[string]string{share + "/none": asked, share + "/none2": opened}},
		{"a directory", "ls " + share + "/list", map[string]string{share + "/list": opened, share + "/list/a": nothing}},
		{"a file that the sandbox denies", "cat " + denied + " || true", map[string]string{denied: deniedHere}},
		{"a link that the stage makes", "ln -s " + share + "/data link && cat link", map[string]string{share + "/data": opened}},
		{"a link into a directory outside", "ln -s " + share + " d && cat d/data", map[string]string{share + "/data": opened}},
		{"a link in the place of a file", "echo > f; cat f; rm f; ln -s " + share + "/data f && cat f", map[string]string{share + "/data": opened}},
		{"a working directory", "cd " + share + "/list", map[string]string{share + "/list": asked}},
		{"a working directory that is not there", "cd " + share + "/none || true", map[string]string{share + "/none": asked}},
		{"a link to what is not there", "ln -s " + share + "/none l; cat l || true", map[string]string{share + "/none": opened}},
		{"a directory behind a link in which a file is not there", "ln -s " + share + " d; cat d/none || true", map[string]string{share + "/none": opened}},
		{"links to links", "ln -s " + share + " d; ln -s $PWD/d e; ln -s e f; cat f/data", map[string]string{share + "/data": opened}},
		{"a link that is renamed", "echo > f; cat f; ln -s " + share + "/data l; mv l f; cat f", map[string]string{share + "/data": opened}},
		{"a relative link", "ln -s " + share + "/data l; echo > f; cat f; rm f; ln -s l f; cat f", map[string]string{share + "/data": opened}},
		{"a path through the directory of the process", "cd " + share + "; cat /proc/self/cwd/data", map[string]string{share + "/data": opened}},
		{"a path through the root of the process", "cat /proc/self/root" + share + "/data", map[string]string{share + "/data": opened}},
		{"a path through the number of the process", "cd " + share + "; cat /proc/$$/cwd/data", map[string]string{share + "/data": opened}},
		{"a path through an open directory", "exec 3< " + share + "; cat /dev/fd/3/data", map[string]string{share + "/data": opened}},
		{"a link to an open directory", "exec 3< " + share + "; ln -s /dev/fd/3 z; cat z/data", map[string]string{share + "/data": opened}},
		{"a path with empty elements", "ln -s " + share + "/data l; cat /$PWD/./l", map[string]string{share + "/data": opened}},
		{"a script of the stage", "printf '#!" + prefix + "/bin/linked\n' > t; chmod +x t; ./t", map[string]string{prefix + "/bin/linked": opened}},
		{"a script that was read before", "printf '#!" + prefix + "/bin/linked\n' > t; chmod +x t; cat t; test -x t; ./t", map[string]string{prefix + "/bin/linked": opened}},
		{"a script outside that was read before", "cat " + prefix + "/bin/interpreted; interpreted", map[string]string{prefix + "/bin/linked": opened}},
		{"a script of a script", "printf '#!" + prefix + "/bin/linked\n' > a; chmod +x a; printf \"#!$PWD/a\\n\" > b; chmod +x b; ./b", map[string]string{prefix + "/bin/linked": opened}},
		{"a pipe that is executed", "mkfifo f; chmod +x f; ./f || true", nil},
		{"its own files", "cat in/x; echo > out/y; cat out/y; echo > \"$TMPDIR/z\"; cat \"$TMPDIR/z\"", nil},
	} {
		for mode, lacks := range map[string]map[string]bool{
			"": nil, " without namespaces": {enforcedProcesses: true, enforcedIPC: true, enforcedMetadata: true, enforcedNetwork: true},
		} {
			t.Run(c.name+mode, func(t *testing.T) {
				s := New()
				s.lacks = lacks
				t.Cleanup(func() { s.Close() })
				r, found := recorded(t, s, c.script, "PATH="+prefix+"/bin:"+systemPath)
				if !r.Recorded {
					t.Error("the record is not complete")
				}
				for path, want := range c.want {
					read, ok := found[path]
					got := nothing
					switch {
					case ok && read.Denied:
						got = deniedHere
					case ok && read.Opened:
						got = opened
					case ok:
						got = asked
					}
					if got != want {
						t.Errorf("%s is recorded as %s, want %s", path, got, want)
					}
				}
				for path := range found {
					if strings.HasPrefix(path, "/job") || strings.HasSuffix(path, "/x") || strings.HasSuffix(path, "/y") || strings.HasSuffix(path, "/z") {
						t.Errorf("%s is recorded", path)
					}
				}
			})
		}
	}
}

// What a stage may write is not recorded, by whatever path it gets there.
func TestReadsOfWhatAStageMayWrite(t *testing.T) {
	s := New()
	defer s.Close()
	if !s.Records() {
		t.Skip("this system cannot record what a stage reads")
	}
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	job := script("echo > $DATA/f; cat $DATA/f " + dir + "/f")
	job.Record, job.Passthrough = true, []string{"DATA"}
	r, log := stage(t, s, job, "DATA="+link)
	if r.ExitCode != 0 || !r.Recorded {
		t.Fatalf("exit status %d, recorded %t: %s", r.ExitCode, r.Recorded, log)
	}
	for _, x := range r.Reads {
		if strings.HasSuffix(x.Path, "/f") {
			t.Errorf("%s is recorded", x.Path)
		}
	}
}

// What a link to the program is has to be in the record, because the program finds other files from there.
func TestReadsOfANamedProgram(t *testing.T) {
	s := New()
	defer s.Close()
	if !s.Records() {
		t.Skip("this system cannot record what a stage reads")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("/bin/sh", link); err != nil {
		t.Fatal(err)
	}
	job := script(":")
	job.Record, job.Installed = true, link
	r, log := stage(t, s, job)
	if !slices.ContainsFunc(r.Reads, func(x reads.Read) bool { return x.Path == link && x.Opened && !x.Denied }) {
		t.Errorf("%s is not recorded in %v: %s", link, r.Reads, log)
	}
}

// A program whose identity covers what it reads starts another one that is not covered.
func TestReadsOfACoveredProgram(t *testing.T) {
	s := New()
	defer s.Close()
	if !s.Records() {
		t.Skip("this system cannot record what a stage reads")
	}
	shell, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	job := script("test -f /usr/share/asked-by-the-shell; cat /usr/share/asked-by-cat; exec cat /usr/share/asked-later")
	job.Record, job.Covered = true, shell
	r, _ := stage(t, s, job)
	read := func(path string) bool {
		return slices.ContainsFunc(r.Reads, func(x reads.Read) bool { return x.Path == path })
	}
	for path, want := range map[string]bool{
		shell: false, "/usr/share/asked-by-the-shell": false, "/usr/share/asked-by-cat": true, "/usr/share/asked-later": true,
	} {
		if got := read(path); got != want || !r.Recorded {
			t.Errorf("%s is recorded: %t, want %t", path, got, want)
		}
	}
	alone := script(":")
	alone.Record, alone.Covered, alone.Command.Program = true, shell, shell
	if r, _ := stage(t, s, alone); len(r.Reads) > 0 {
		t.Errorf("a covered program alone has the reads %v", r.Reads)
	}
}

// A record that may lack something must say so.
func TestReadsThatAreNotRecorded(t *testing.T) {
	if !New().Records() {
		t.Skip("this system cannot record what a stage reads")
	}
	if os.Geteuid() != 0 {
		t.Skip("only root may change its root directory")
	}
	s := New()
	defer s.Close()
	if r, _ := recorded(t, s, "mkdir r && chroot r /bin/true || true"); r.Recorded {
		t.Error("a stage that changes its root directory has a complete record")
	}
	if _, err := exec.LookPath("perl"); err == nil {
		open := `perl -e '$p = "/share/none\0"; $how = pack("QQQ", 0, 0, %d); syscall(437, -100, $p, $how, 24)'` // openat2
		if r, _ := recorded(t, s, fmt.Sprintf(open, unix.RESOLVE_IN_ROOT)); r.Recorded {
			t.Error("a stage that opens files below a root of its own has a complete record")
		}
		if r, found := recorded(t, s, fmt.Sprintf(open, 0)); !r.Recorded || !found["/share/none"].Opened {
			t.Errorf("a stage that calls openat2 is recorded as %v", r.Reads)
		}
	}
	// The next stage is recorded again.
	if r, _ := recorded(t, s, ":"); !r.Recorded {
		t.Error("the record is not complete")
	}
	if r, _ := stage(t, s, script(":")); r.Recorded || len(r.Reads) > 0 {
		t.Error("a stage was recorded that did not ask for it")
	}
}

// Many stages at once, each with many processes, must neither hang nor mix their records.
func TestReadsOfParallelStages(t *testing.T) {
	s := New()
	defer s.Close()
	if !s.Records() {
		t.Skip("this system cannot record what a stage reads")
	}
	names := []string{"a", "b", "c", "d", "e", "f"}
	t.Run("stages", func(t *testing.T) {
		for _, name := range names {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for range 10 {
					r, found := recorded(t, s, "for i in 1 2 3 4 5 6 7 8; do cat /usr/share/no-"+name+" 2>/dev/null & done; wait; true")
					for _, other := range names {
						if _, ok := found["/usr/share/no-"+other]; ok != (other == name) || !r.Recorded {
							t.Errorf("stage %s: the file of stage %s is recorded: %t", name, other, ok)
						}
					}
				}
			})
		}
	})
}

// A stage that cannot be started, and one that is killed, must not leave the recording waiting.
func TestReadsOfFailedStages(t *testing.T) {
	s := New()
	defer s.Close()
	if !s.Records() {
		t.Skip("this system cannot record what a stage reads")
	}
	job := declares(NoNetwork, "/nonexistent/program")
	job.Record = true
	job.Command.Dir, job.Command.TempDir = t.TempDir(), t.TempDir()
	job.Command.Stdout, job.Command.Stderr = filepath.Join(job.Command.Dir, "o"), filepath.Join(job.Command.Dir, "e")
	if _, err := s.Run(context.Background(), job); err == nil {
		t.Error("a program that does not exist was started")
	}
	killed := script("cat /usr/share/no-such-file; kill -9 $$")
	killed.Record = true
	if r, _ := stage(t, s, killed); !slices.ContainsFunc(r.Reads, func(x reads.Read) bool { return x.Path == "/usr/share/no-such-file" }) {
		t.Errorf("a killed stage has no record: %v", r.Reads)
	}
}
