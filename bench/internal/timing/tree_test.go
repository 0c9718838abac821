//go:build unix

package timing

import (
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary act as a process of a tree: it fills memory, reports it, and holds it
// until its input ends.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "hold" {
		// Use mapped memory, because the race detector needs as much again, and
		// more, for heap memory.
		held, err := syscall.Mmap(-1, 0, 64<<20, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			panic(err)
		}
		for i := 0; i < len(held); i += os.Getpagesize() {
			held[i] = 1
		}
		_, _ = os.Stdout.Write([]byte{1})
		_, _ = os.Stdin.Read(make([]byte, 1))
		runtime.KeepAlive(held)
		return
	}
	os.Exit(m.Run())
}

// Two processes of 64 MiB each are measured together and separately. One is a child of a shell.
func TestRunTree(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("/proc is Linux's")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	hold, release, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	filled, fill, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `"$0" hold left <&3 & sh -c '"$0" hold right <&3; true' "$0"; wait`, self)
	cmd.ExtraFiles, cmd.Stdout = []*os.File{hold}, fill
	var looks atomic.Int32
	go func() {
		_, _ = io.ReadFull(filled, make([]byte, 2))
		// The sample in progress may have read the memory of one process before it was
		// full. The next sample reads both, and has ended when a third has begun.
		for from := looks.Load(); looks.Load() < from+3; {
			time.Sleep(time.Millisecond)
		}
		_ = release.Close()
	}()
	used, err := RunTree(cmd, 50*time.Millisecond, func(argv []string) string {
		if len(argv) == 3 && argv[1] == "hold" {
			if argv[2] == "left" {
				looks.Add(1)
			}
			return argv[2]
		}
		return ""
	})
	if err != nil {
		t.Fatal(err)
	}
	const each = 64 << 20
	if used.Peak < 2*each || used.Peak > 4*each {
		t.Errorf("both together: %d MiB", used.Peak>>20)
	}
	if used.Largest < each || used.Largest > 2*each {
		t.Errorf("the larger one: %d MiB", used.Largest>>20)
	}
	for _, name := range []string{"left", "right"} {
		if p := used.Parts[name]; p == nil || p.Peak < each || p.Peak > 2*each {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if used.Processes < 4 {
		t.Errorf("%d processes at once", used.Processes)
	}
}
