package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/internal/testing/level"
	"github.com/touchstone-eval/touchstone/internal/testing/program"
)

// maxResident is the largest memory, in bytes, of a run over files of any size.
const maxResident = 150 << 20

// largePipeline writes a file and a directory of the given size and a log, reads both in another stage, and publishes
// them.
const largePipeline = `pipeline {
  name    = "large"
  publish = { "published/o" = stage.big.o, "published-d" = stage.big.d }
}
stage "big" {
  outputs = { o = "out/o", d = "out/d/" }
  command = ["sh", "-c", "head -c %[1]d /dev/zero > \"$1\"; mkdir \"$2\"; head -c %[1]d /dev/urandom > \"$2/random\"; head -c %[1]d \"$1\" | tr '\\0' '\\n'", "sh", output.o, output.d]
}
stage "reads" {
  inputs  = { source = "large", o = stage.big.o, d = stage.big.d }
  outputs = { copy = "out/copy" }
  command = ["sh", "-c", "cat \"$1\" > \"$2\"", "sh", input.source, output.copy]
}
`

// A run holds no file in memory, whether it executes, finds results, publishes, copies or explains them.
func TestMemoryDoesNotGrowWithFiles(t *testing.T) {
	t.Run("80 MiB", func(t *testing.T) { checkMemory(t, 80<<20, "run -o copies", "run -o elsewhere", "logs big") })
	t.Run("more than 2 GiB", func(t *testing.T) {
		level.Thorough(t, "it writes 20 GiB")
		checkMemory(t, 2<<30+1, "run -o copies", "run --force -o copies", "run -o elsewhere", "logs big", "explain reads",
			"plan")
	})
}

func checkMemory(t *testing.T, size int64, commands ...string) {
	bin := program.Path(t, program.Touchstone)
	dir := t.TempDir()
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil || disk.Bavail*uint64(disk.Bsize) < uint64(size)*12 {
		t.Skipf("the disk of %s has too little room for files of %d bytes: %v", dir, size, err)
	}
	writeText(t, filepath.Join(dir, "pipeline.hcl"), fmt.Sprintf(largePipeline, size))
	source := filepath.Join(dir, "large")
	writeText(t, source, "begin")
	if err := os.Truncate(source, size); err != nil {
		t.Fatal(err)
	}

	for _, args := range commands {
		if args == "explain reads" { // which then is a miss
			writeText(t, source, "other")
			if err := os.Truncate(source, size); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(bin, strings.Fields(args)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "TOUCHSTONE_CACHE="+filepath.Join(dir, "store"))
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if args == "logs big" {
			// The log itself is not kept.
			null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer null.Close()
			cmd.Stdout = null
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		peak := watchPeak(cmd.Process.Pid)
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%s: %v: %s", args, err, &stderr)
		}
		resident := peak()
		t.Logf("%s of files of %d MiB: %d MiB resident", args, size>>20, resident>>20)
		if resident > maxResident {
			t.Errorf("%s of files of %d MiB has %d MiB in memory, more than %d", args, size>>20, resident>>20, maxResident>>20)
		}
	}
}

// watchPeak reads the peak of the resident size of a process again and again. The returned function
// waits for the end of the process and returns the last value, in bytes. The usage that a parent gets
// of its child also counts the parent's own size, because that is where the child begins.
func watchPeak(pid int) (peak func() int64) {
	ended := make(chan int64)
	go func() {
		var last int64
		for {
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			_, after, ok := strings.Cut(string(status), "VmHWM:")
			if err != nil || !ok { // the process has ended
				ended <- last
				return
			}
			var kib int64
			if _, err := fmt.Sscan(after, &kib); err == nil {
				last = kib << 10
			}
			time.Sleep(2 * time.Millisecond)
		}
	}()
	return func() int64 { return <-ended }
}
