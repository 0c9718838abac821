package sandbox

import (
	"bytes"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func addr(b []byte) uintptr { return uintptr(unsafe.Pointer(&b[0])) }

// features are the restrictions that a test switches off one by one, with the word that
// then says so.
var features = []struct{ held, open string }{
	{enforcedUnix, openUnix},
	{enforcedProcesses, openProcesses},
	{enforcedIPC, openIPC},
	{enforcedMetadata, openMetadata},
}

// does runs this program as a stage.
func does(t *testing.T, s *Sandbox, network Network, act, arg string) (*Result, string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return stage(t, s, declares(network, self, "act", act, arg))
}

// world is what a stage must not reach.
type world struct{ socket, abstract, file, shm, segment, self string }

func newWorld(t *testing.T) world {
	dir := t.TempDir()
	w := world{
		socket: filepath.Join(dir, "s"), abstract: "@touchstone-" + filepath.Base(dir) + strconv.Itoa(os.Getpid()),
		file: filepath.Join(dir, "file"), shm: "touchstone-" + strconv.Itoa(os.Getpid()), self: strconv.Itoa(os.Getpid()),
	}
	for _, at := range []string{w.socket, w.abstract} {
		l, err := net.Listen("unix", at)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
	}
	if err := os.WriteFile(w.file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("/dev/shm/"+w.shm, nil, 0o644); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = os.Remove("/dev/shm/" + w.shm) })
	key := 0x70000000 + os.Getpid()
	id, err := unix.SysvShmGet(key, 1, unix.IPC_CREAT|0o600)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) })
	w.segment = strconv.Itoa(key)
	return w
}

// escapes lists what a stage could reach outside of itself, and which restriction closes it.
func (w world) escapes(network Network) []escape {
	list := []escape{
		{"chmod", w.file, enforcedMetadata},
		{"chown", w.file, enforcedMetadata},
		{"times", w.file, enforcedMetadata},
		{"xattr", w.file, enforcedMetadata},
		{"limit", w.self, enforcedProcesses},
		{"segment", w.segment, enforcedIPC},
		{"memory", w.shm, enforcedIPC},
	}
	if network == NoNetwork {
		list = append(list, escape{"unix", w.socket, enforcedUnix}, escape{"ring", "-", enforcedUnix}, escape{"socket", strconv.Itoa(unix.AF_VSOCK), enforcedUnix})
	}
	if network != AnyNetwork {
		list = append(list, escape{"unix", w.abstract, enforcedFiles})
	}
	return list
}

type escape struct{ act, arg, held string }

// A stage reaches nothing outside of itself, with any network that it may declare.
func TestEscapes(t *testing.T) {
	s := New()
	defer s.Close()
	w := newWorld(t)
	for _, network := range []Network{NoNetwork, Loopback, AnyNetwork} {
		for _, e := range w.escapes(network) {
			r, log := does(t, s, network, e.act, e.arg)
			// The filter of system calls replaces the namespace for limits.
			held := slices.Contains(r.Isolation, e.held) || e.act == "limit"
			if held != (r.ExitCode != 0) {
				t.Errorf("network %s, %s %s: exit status %d, recorded as %v\n%s", network, e.act, e.arg, r.ExitCode, r.Isolation, log)
			}
			if os.Geteuid() == 0 && !slices.Contains(r.Isolation, e.held) {
				t.Errorf("network %s, %s: not enforced, although this is root: %v", network, e.act, r.Isolation)
			}
		}
		for act, arg := range map[string]string{"own-memory": "x", "own-limit": "-", "pid": "-", "socketpair": "-"} {
			if r, log := does(t, s, network, act, arg); r.ExitCode != 0 {
				t.Errorf("network %s: a stage cannot %s: %s, recorded as %v", network, act, log, r.Isolation)
			}
		}
	}
}

// A stage that is refused a socket is told what to declare.
func TestARefusedSocketIsExplained(t *testing.T) {
	s := needs(t, enforcedUnix)
	defer s.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for network, want := range map[Network]string{NoNetwork: `declare network = "loopback"`, Loopback: ""} {
		in := declares(network, self, "act", "unix", filepath.Join(t.TempDir(), "none"))
		if r, log := stage(t, s, in); r.ExitCode == 0 || !strings.Contains(r.Hint, want) || want == "" && r.Hint != "" {
			t.Errorf("network %s: exit status %d, hint %q, log %s", network, r.ExitCode, r.Hint, log)
		}
	}
}

// Without a restriction, the record says so, and the others still hold.
func TestEachRestrictionSwitchedOff(t *testing.T) {
	w := newWorld(t)
	for _, f := range features {
		t.Run(f.held, func(t *testing.T) {
			s := New()
			defer s.Close()
			s.lacks = map[string]bool{f.held: true}
			for _, e := range w.escapes(NoNetwork) {
				r, log := does(t, s, NoNetwork, e.act, e.arg)
				if !slices.Contains(r.Isolation, f.open) || slices.Contains(r.Isolation, f.held) {
					t.Fatalf("recorded as %v", r.Isolation)
				}
				if slices.Contains(r.Isolation, e.held) && r.ExitCode == 0 {
					t.Errorf("%s %s succeeded: %s, recorded as %v", e.act, e.arg, log, r.Isolation)
				}
			}
			if r, log := does(t, s, NoNetwork, "pid", "-"); r.ExitCode != 0 {
				t.Errorf("recorded as %v: %s", r.Isolation, log)
			}
		})
	}
}

// running counts the processes with a word among their arguments.
func running(word string) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		if b, err := os.ReadFile(file); err == nil && slices.ContainsFunc(bytes.Split(b, []byte{0}), func(a []byte) bool { return string(a) == word }) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// A daemon that forks twice, in a session of its own and without an environment, ends with
// its stage.
func TestADaemonEndsWithItsStage(t *testing.T) {
	s := needs(t, enforcedProcesses)
	defer s.Close()
	for i := range 3 { // the second and third use the namespace of the first
		name := "touchstone-daemon-" + strconv.Itoa(os.Getpid()) + "-" + strconv.Itoa(i)
		r, log := does(t, s, NoNetwork, "daemon", name)
		if r.ExitCode != 0 || !r.Ended {
			t.Errorf("exit status %d, ended %v: %s", r.ExitCode, r.Ended, log)
		}
		if left := running(name); len(left) > 0 {
			t.Errorf("%v are still running", left)
		}
	}
	if n := s.keepers.Spare(); n != 1 && s.helper == nil {
		t.Errorf("%d namespaces were made", n)
	}
}

// A stage in a PID namespace gets signals like any other, and reports them.
func TestSignalsInANamespace(t *testing.T) {
	s := needs(t, enforcedProcesses)
	defer s.Close()
	for text, code := range map[string]int{`kill -TERM $$; sleep 60`: 143, `kill -KILL $$`: 137, `kill -ABRT $$`: 134, `exit 7`: 7} {
		if r, log := stage(t, s, script(text)); r.ExitCode != code {
			t.Errorf("%s: exit status %d, want %d\n%s", text, r.ExitCode, code, log)
		}
	}
	in := script("sleep 60")
	in.Command.Timeout = 50 * time.Millisecond
	if r, _ := stage(t, s, in); !r.TimedOut || r.ExitCode != 143 {
		t.Errorf("timed out %v, exit status %d", r.TimedOut, r.ExitCode)
	}
}

// A file is renamed from TMPDIR to the outputs without being copied, although everything
// else is read-only.
func TestTemporaryFilesAreOnTheFileSystemOfOutputs(t *testing.T) {
	s := needs(t, enforcedMetadata)
	defer s.Close()
	in := script(`echo 1 > "$TMPDIR/a" && ln "$TMPDIR/a" out/a && chmod 600 out/a && touch -d @1 out/a`)
	if r, log := stage(t, s, in); r.ExitCode != 0 {
		t.Error(log)
	}
}

// The same holds for a user who is not the administrator, in a user namespace if the system
// grants one.
func TestAsAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("this is another user already")
	}
	dir, err := os.MkdirTemp("", "touchstone-user-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sandbox.test"), program, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(filepath.Join(dir, "tmp"), 0o777), os.Chmod(filepath.Join(dir, "tmp"), 0o777)); err != nil {
		t.Fatal(err)
	}
	const nobody = 65534
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "sandbox.test"), "-test.run=^(TestEscapes|TestADaemon|TestSignals|TestTemporary|TestNetworksThat|TestNamespacesEnd)", "-test.v", "-test.timeout=2m")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+filepath.Join(dir, "tmp"), "HOME="+dir)
	cmd.SysProcAttr = &unix.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("as user %d: %v\n%s", nobody, err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "--- SKIP") {
			t.Log("as a user, ", strings.TrimSpace(line))
		}
	}
}

// If this process is killed, everything in the namespace of a stage is killed.
func TestNamespacesEndWithThisProcess(t *testing.T) {
	name := "touchstone-orphan-" + strconv.Itoa(os.Getpid())
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	needs(t, enforcedProcesses).Close()
	other := exec.Command(self, "act", "stage", name)
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, "the stage runs", func() bool { return len(running(name)) > 0 })
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = other.Wait()
	until(t, "the stage has ended", func() bool { return len(running(name)) == 0 })
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", strings.TrimSpace(what))
		}
	}
}
