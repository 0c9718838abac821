package subprocess

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// daemon is a script that starts a process without parent, group, session, environment and
// open files, and prints its id.
const daemon = `read -r pid < <(env -i setsid sh -c 'sleep 600 < /dev/null > /dev/null 2>&1 & echo $!'); echo $pid; `

// TestMain makes this program also usable as a client that starts a server and is killed.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "client" {
		cmd := exec.Command("bash", "-c", daemon+"sleep 600")
		cmd.Stdout = os.Stdout
		if _, err := StartSupervised(cmd); err != nil {
			os.Exit(1)
		}
		time.Sleep(10 * time.Minute)
	}
	os.Exit(m.Run())
}

func needsBash(t *testing.T) {
	for _, name := range []string{"bash", "setsid"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
}

// A daemon ends with the server that started it, whether the server ends by itself, is
// stopped, or is killed.
func TestSupervisedStdioLeavesNothing(t *testing.T) {
	needsBash(t)
	for name, script := range map[string]string{
		"ends":   daemon + "cat",
		"lasts":  `trap "" TERM; ` + daemon + `exec <&-; sleep 600`,
		"breaks": daemon + "kill -9 $$",
		"leaves": daemon,
	} {
		t.Run(name, func(t *testing.T) {
			p, err := StartSupervisedStdio(exec.Command("bash", "-c", script), 200*time.Millisecond)
			if err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(p.Out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			pid := pidOf(t, line)
			if name == "breaks" || name == "leaves" {
				<-p.Exited
				gone(t, pid)
			}
			p.Stop()
			if running(pid) {
				stat, _ := os.ReadFile(filepath.Join("/proc", line[:len(line)-1], "stat"))
				t.Errorf("process %d is still there: %s", pid, stat)
			}
		})
	}
}

// If the program that started a server is killed, the server and its daemons are too.
func TestSupervisedEndsWithItsClient(t *testing.T) {
	needsBash(t)
	client := exec.Command("/proc/self/exe", "client")
	out, err := client.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	gone(t, pidOf(t, line))
	_ = client.Wait()
}

// A supervised program ends like any other for its parent.
func TestSupervisedEndsLikeTheProgram(t *testing.T) {
	for script, want := range map[string]string{
		"exit 0": "exit status 0", "exit 7": "exit status 7", "kill -TERM $$": "signal: terminated", "kill -KILL $$": "signal: killed", "kill -SEGV $$": "signal: segmentation fault",
		"exec sleep 600": "signal: interrupt",
	} {
		cmd := exec.Command("sh", "-c", script)
		if _, err := StartSupervised(cmd); err != nil {
			t.Fatal(err)
		}
		if script == "exec sleep 600" {
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
		}
		_ = cmd.Wait()
		if got := cmd.ProcessState.String(); got != want {
			t.Errorf("%s: %s, want %s", script, got, want)
		}
	}
}

// The supervisor does not hide why a program cannot be started.
func TestSupervisedSaysWhatIsMissing(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"closed": "", "broken": "no program", "script": "#!/no/such/shell\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if name != "closed" {
			if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, want := range map[string]error{
		filepath.Join(dir, "closed"): fs.ErrPermission, filepath.Join(dir, "broken"): syscall.ENOEXEC,
		filepath.Join(dir, "script"): fs.ErrNotExist, filepath.Join(dir, "none"): fs.ErrNotExist, "no-such-program-here": exec.ErrNotFound,
	} {
		cmd := exec.Command(name)
		cmd.Err = nil
		if name == "no-such-program-here" {
			cmd = exec.Command(name)
		}
		if _, err := StartSupervised(cmd); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}
