package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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

// manyPipeline copies a directory of many files, reads it in another stage, and publishes it.
const manyPipeline = `pipeline {
  name    = "many"
  publish = { "published" = stage.copy.d }
}
stage "copy" {
  inputs  = { source = "many/" }
  outputs = { d = "out/d/" }
  command = ["sh", "-c", "cp -R \"$1\" \"$2\"", "sh", input.source, output.d]
}
stage "reads" {
  inputs  = { d = stage.copy.d }
  outputs = { names = "out/names" }
  command = ["sh", "-c", "ls -R \"$1\" > \"$2\"", "sh", input.d, output.names]
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
		stayBelow(t, dir, fmt.Sprintf("files of %d MiB", size>>20), args)
	}
}

// Nor does it need more memory for a hundred thousand files, although it knows the name and the digest of each.
func TestMemoryWithManyFiles(t *testing.T) {
	level.Thorough(t, "it writes 100,000 files again and again")
	const files = 100_000
	dir := t.TempDir()
	writeText(t, filepath.Join(dir, "pipeline.hcl"), manyPipeline)
	edited := filepath.Join(dir, "many", "0", "0.txt")
	for i := range files {
		below := filepath.Join(dir, "many", strconv.Itoa(i/1000))
		if i%1000 == 0 {
			if err := os.MkdirAll(below, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		writeText(t, filepath.Join(below, strconv.Itoa(i)+".txt"), fmt.Sprintln("file", i))
	}

	what := fmt.Sprintf("%d files", files)
	for _, args := range []string{
		"plan", "run -o copies", "run", "plan", "run -o copies", "run -o elsewhere", "cache export archive",
		"cache import --trust --cache-dir imported archive", "cache verify", "cache stats", "cache gc",
	} {
		stayBelow(t, dir, what, args)
	}
	if err := os.RemoveAll(filepath.Join(dir, "published")); err != nil {
		t.Fatal(err)
	}
	stayBelow(t, dir, what, "run")
	writeText(t, edited, "edited")
	for _, args := range []string{"explain copy", "run", "explain reads"} {
		stayBelow(t, dir, what, args)
	}
}

// stayBelow runs a command in the directory of a pipeline, and checks its memory.
func stayBelow(t *testing.T, dir, what, args string) {
	t.Helper()
	cmd := exec.Command(program.Path(t, program.Touchstone), strings.Fields(args)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TOUCHSTONE_CACHE="+filepath.Join(dir, "store"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if strings.HasPrefix(args, "logs ") {
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
	t.Logf("%s of %s: %d MiB resident", args, what, resident>>20)
	if resident > maxResident {
		t.Errorf("%s of %s has %d MiB in memory, more than %d", args, what, resident>>20, maxResident>>20)
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
