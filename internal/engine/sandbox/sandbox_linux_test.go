package sandbox

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/internal/engine/process"
)

// TestMain makes this program also usable as the command of a stage.
func TestMain(m *testing.M) {
	act()
	os.Exit(m.Run())
}

func connect(to string) error {
	if to == "self" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer l.Close()
		to = l.Addr().String()
	}
	c, err := net.DialTimeout("tcp", to, 5*time.Second)
	if err != nil {
		return err
	}
	return c.Close()
}

// systemPath is the PATH of the commands.
const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// stage runs a command as a stage, in a separate directory.
func stage(t testing.TB, s *Sandbox, job *Job, env ...string) (*Result, string) {
	t.Helper()
	result, err := tryStage(t, s, job, env...)
	if err != nil {
		t.Fatal(err)
	}
	log, _ := os.ReadFile(job.Command.Stderr)
	return result, string(log)
}

// tryStage is stage for one that may not run.
func tryStage(t testing.TB, s *Sandbox, job *Job, env ...string) (*Result, error) {
	t.Helper()
	dir := t.TempDir()
	c := &job.Command
	c.Dir, c.TempDir = filepath.Join(dir, "box"), filepath.Join(dir, "tmp")
	c.Env = append([]string{"PATH=" + systemPath, "HOME=/nonexistent", "GORACE=" + os.Getenv("GORACE")}, env...)
	c.Stdout, c.Stderr = filepath.Join(dir, "stdout"), filepath.Join(dir, "stderr")
	for _, d := range []string{c.Dir, c.TempDir, filepath.Join(c.Dir, "in"), filepath.Join(c.Dir, "out")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(c.Dir, "in", "x"), []byte("input\n"), 0o444); err != nil {
		t.Fatal(err)
	}
	return s.Run(context.Background(), job)
}

// declares returns a job with a command.
func declares(network Network, command ...string) *Job {
	return &Job{Command: process.Command{Program: command[0], Args: command, Grace: time.Second}, Network: network}
}

func script(text string) *Job { return declares(NoNetwork, "/bin/sh", "-c", text) }

// needs skips the test if this system does not support a restriction.
func needs(t *testing.T, word string) *Sandbox {
	t.Helper()
	s := New()
	if r, _ := stage(t, s, script("true")); !slices.Contains(r.Isolation, word) {
		t.Skipf("this system enforces %v; the test needs %s", r.Isolation, word)
	}
	return s
}

func TestFilesThatAStageCanReach(t *testing.T) {
	s := needs(t, enforcedFiles)
	outside := t.TempDir()
	for name, mode := range map[string]os.FileMode{"secret": 0o644, "tool": 0o755, "lib/data": 0o644, "bin/tool": 0o755} {
		file := filepath.Join(outside, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("#!/bin/sh\ncat "+outside+"/lib/data\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	self := strconv.Itoa(os.Getpid())
	passing := func(text string, names ...string) *Job {
		in := script(text)
		in.Passthrough = names
		return in
	}
	for name, tc := range map[string]struct {
		in   *Job
		env  []string
		fail bool
		hint string
	}{
		"its own directory":  {in: script(`cat in/x > out/y && mv "$TMPDIR" kept 2>/dev/null; mkdir -p a/b && mv out/y a/b/ && ln a/b/y out/y && ln -s y out/z && mkfifo p && rm -r a && cat out/z`)},
		"temporary files":    {in: script(`echo 1 > "$TMPDIR/a" && mv "$TMPDIR/a" out/a && truncate -s 0 out/a`)},
		"programs of inputs": {in: script(`printf '#!/bin/sh\ntrue\n' > t && chmod +x t && ./t`)},
		"the system":         {in: script(`cat /etc/passwd /proc/self/status /proc/cpuinfo > /dev/null && ls /usr/bin > /dev/null && head -c 4 /dev/urandom > out/r && : > /dev/null`)},
		"its own streams":    {in: script(`echo 1 > /dev/stdout; echo 2 > /dev/stderr; cat < /dev/stdin`)},

		"a file":                {in: script("cat " + outside + "/secret"), fail: true, hint: outside + "/secret"},
		"a file by a link":      {in: script("ln -s " + outside + "/secret out/l && cat out/l"), fail: true},
		"a file by a relative":  {in: script("cat ../../../002/secret"), fail: true},
		"a directory":           {in: script("ls " + outside), fail: true, hint: outside},
		"a program":             {in: script(outside + "/tool"), fail: true, hint: outside + "/tool"},
		"writing a file":        {in: script("echo > " + outside + "/secret"), fail: true},
		"a new file":            {in: script("echo > " + outside + "/new"), fail: true},
		"removing a file":       {in: script("rm -f " + outside + "/secret"), fail: true},
		"a link into its box":   {in: script("ln " + outside + "/secret out/l && cat out/l"), fail: true},
		"the shared temporary":  {in: script("echo > /tmp/touchstone-test-$$"), fail: true},
		"another's environment": {in: script("cat /proc/" + self + "/environ"), fail: true},
		"another's root":        {in: script("cat /proc/" + self + "/root" + outside + "/secret"), fail: true},
		"another's signals":     {in: script("kill -0 " + self + " && kill -CONT " + self), fail: true},
		"a device":              {in: script("mknod out/d b 254 0 2>&1 && head -c 1 out/d"), fail: true},
		"what it is called":     {in: script("cat " + outside + "/secret"), env: []string{"SECRET=" + outside}, fail: true},

		"what is passed":          {in: passing("cat $D/secret && echo > $D/made && rm $D/made", "D"), env: []string{"D=" + outside}},
		"a list that is passed":   {in: passing("cat "+outside+"/secret", "D"), env: []string{"D=/nonexistent:" + outside}},
		"a root that is passed":   {in: passing("cat "+outside+"/secret", "D"), env: []string{"D=/"}, fail: true},
		"a program in its PATH":   {in: script("tool"), env: []string{"PATH=" + outside + "/bin:/usr/bin:/bin"}},
		"writing beside its PATH": {in: script("echo > " + outside + "/lib/data"), env: []string{"PATH=" + outside + "/bin:/usr/bin:/bin"}, fail: true},
	} {
		t.Run(name, func(t *testing.T) {
			r, log := stage(t, s, tc.in, tc.env...)
			if failed := r.ExitCode != 0; failed != tc.fail {
				t.Errorf("exit status %d, want failure %v; it printed\n%s", r.ExitCode, tc.fail, log)
			}
			if !strings.Contains(r.Hint, tc.hint) || tc.hint == "" && !tc.fail && r.Hint != "" {
				t.Errorf("the hint is %q, want %q in it", r.Hint, tc.hint)
			}
		})
	}
}

// A restricted thread must not run other goroutines, and a stage must only start on a
// restricted thread, however busy the process is.
// A cache may be in the directory of shared memory, which is in memory and therefore fast.
// Its stages share that directory with the machine, and say so.
func TestStagesInSharedMemory(t *testing.T) {
	s := needs(t, enforcedIPC)
	dir, err := os.MkdirTemp(sharedMemory, "touchstone-test-")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("TMPDIR", dir)
	t.Run("stage", func(t *testing.T) { // whose t.TempDir is in dir
		r, log := stage(t, s, script("cat in/x > out/y"))
		if r.ExitCode != 0 || !slices.Contains(r.Isolation, openIPC) {
			t.Errorf("%+v\n%s", r, log)
		}
	})
}

func TestOnlyStagesAreConfined(t *testing.T) {
	s := needs(t, enforcedFiles)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var busy, stages sync.WaitGroup
	for range 2 * runtime.NumCPU() {
		busy.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := os.ReadFile(secret); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 4 {
		stages.Go(func() {
			for range 10 {
				if r, _ := stage(t, s, script("cat "+secret)); r.ExitCode == 0 {
					t.Error("a stage read what it does not declare")
				}
			}
		})
	}
	stages.Wait()
	close(stop)
	busy.Wait()
}

func TestNetworksThatAStageCanReach(t *testing.T) {
	s := needs(t, enforcedNetwork)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		network Network
		to      string
		fail    bool
	}{
		{NoNetwork, l.Addr().String(), true},
		{NoNetwork, "self", false},
		{Loopback, l.Addr().String(), true},
		{Loopback, "self", false},
		{AnyNetwork, l.Addr().String(), false},
		{AnyNetwork, "self", false},
		{NoNetwork, l.Addr().String(), true},
	} {
		r, log := stage(t, s, declares(tc.network, self, "connect", tc.to))
		if failed := r.ExitCode != 0; failed != tc.fail {
			t.Errorf("network %s, connecting to %s: exit status %d, want failure %v\n%s", tc.network, tc.to, r.ExitCode, tc.fail, log)
		}
		if held := slices.Contains(r.Isolation, enforcedNetwork); held != (tc.network != AnyNetwork) {
			t.Errorf("network %s is recorded as %v", tc.network, r.Isolation)
		}
	}
}

// Without the permission to create network namespaces, "none" only disables TCP, and
// "loopback" is recorded as not restricted.
func TestNetworksWithoutPrivilege(t *testing.T) {
	s := needs(t, enforcedFiles)
	if s.abi < minNetABI {
		t.Skip("this kernel cannot forbid TCP")
	}
	s.lacks = map[string]bool{enforcedNetwork: true, enforcedUnix: true}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for network, word := range map[Network]string{NoNetwork: enforcedTCP, Loopback: openNetwork} {
		r, log := stage(t, s, declares(network, self, "connect", "self"))
		if (r.ExitCode != 0) != (network == NoNetwork) || !slices.Contains(r.Isolation, word) {
			t.Errorf("network %s: exit status %d, recorded as %v\n%s", network, r.ExitCode, r.Isolation, log)
		}
	}
}

// watch creates a sandbox for every edit.
func TestSandboxesLeaveNothingOpen(t *testing.T) {
	open := func() int {
		t.Helper()
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("this system does not list open files")
		}
		return len(list)
	}
	once := func() {
		s := New()
		stage(t, s, script("true"))
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	once() // files that the process opens once
	before := open()
	for range 3 {
		once()
	}
	if now := open(); now > before {
		t.Errorf("%d files are open, %d were before", now, before)
	}
}

func TestWhatIsNotEnforcedIsSaid(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	r, _ := stage(t, Disabled(), script("cat "+secret))
	for _, word := range []string{openFiles, openNetwork, askedFor} {
		if !slices.Contains(r.Isolation, word) {
			t.Errorf("recorded as %v, without %s", r.Isolation, word)
		}
	}
	if r.ExitCode != 0 || slices.Contains(r.Isolation, enforcedFiles) || slices.Contains(r.Isolation, enforcedNetwork) {
		t.Errorf("exit status %d, recorded as %v", r.ExitCode, r.Isolation)
	}
}

// The size of this process is not taken for that of a small command, and a large command's is
// its own.
func TestPeakMemory(t *testing.T) {
	ballast := bytes.Repeat([]byte{1}, 64<<20)
	for _, s := range []*Sandbox{nil, New()} {
		if r, _ := stage(t, s, script("true")); r.PeakMemory != 0 {
			t.Errorf("%d bytes for a command that does nothing, want 0 for unknown", r.PeakMemory)
		}
		if r, log := stage(t, s, script("dd if=/dev/zero of=/dev/null bs=600M count=1")); r.PeakMemory < 600<<20 || r.PeakMemory > 700<<20 {
			t.Errorf("%d bytes for a command that holds 600 MiB: %s", r.PeakMemory, log)
		}
	}
	runtime.KeepAlive(ballast)
}

// A hidden directory remains hidden inside a directory that is open.
func TestWithout(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"usr/bin", "usr/src/app/data", "usr/src/other", "etc"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("usr/bin", filepath.Join(root, "bin")); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		dir, closed string
		want        []string
	}{
		{"usr", "elsewhere", []string{"usr"}},
		{"usr", "usr/src/app", []string{"usr/bin", "usr/src/other"}},
		{"usr", "usr", nil},
		{"usr", ".", []string{"usr"}}, // hiding the root directory hides nothing of the system
		{"bin", "usr/src/app", []string{"usr/bin"}},
		{"missing", "usr", nil},
	} {
		got := without(filepath.Join(root, tc.dir), []string{filepath.Join(root, tc.closed)})
		for i := range got {
			got[i], _ = filepath.Rel(root, got[i])
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s without %s: %v, want %v", tc.dir, tc.closed, got, tc.want)
		}
	}
}

func TestPrefixOfPrograms(t *testing.T) {
	s := &Sandbox{hidden: []string{"/home/u", "/home/u/project"}}
	for bin, want := range map[string]string{
		"/home/u/bin":                "",
		"/home/bin":                  "",
		"/bin":                       "",
		"/home/u/sdk/go/bin":         "/home/u/sdk/go",
		"/home/u/project/.venv/bin":  "/home/u/project/.venv",
		"/home/u/project/bin":        "",
		"/home/u/.local/lib/program": "",
		"/opt/x/sbin":                "/opt/x",
	} {
		if got, _ := s.prefix(bin); got != want {
			t.Errorf("prefix of %s = %q, want %q", bin, got, want)
		}
	}
}
