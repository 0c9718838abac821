// Package adapted runs the detectors that a proxy's adapter describes (see
// docs/reference/adapters.md). Such a detector is a program of the proxy that is started
// once for each tool definition, with files that the adapter fills in. Its output
// says whether it flagged the tool.
//
// Labels and the scoring of verdicts do not belong in this package.
package adapted

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/adapter"
)

// maxOutput limits the kept output of a program, in bytes.
const maxOutput = 16 << 20

// Detector is one detector of a directory that build-proxy wrote.
type Detector struct {
	described *adapter.Detector
	binary    string // absolute path, or empty if it starts no program of the build
}

// Open opens the detector with that name in dir.
func Open(dir, name string) (*Detector, error) {
	path := filepath.Join(dir, adapter.DetectorsFile)
	if info, err := os.Stat(path); err == nil && info.Size() == 0 {
		return nil, fmt.Errorf("the proxy has no detector %q: it has no adapter, or one that describes none", name)
	}

	a, err := adapter.ReadFile(path)
	if err != nil {
		return nil, err
	}

	d := &Detector{}
	if d.described, err = a.Detector(name); err != nil {
		return nil, err
	}

	if d.described.Binary == "" {
		return d, nil
	}

	if d.binary, err = filepath.Abs(filepath.Join(dir, filepath.Base(d.described.Binary))); err != nil {
		return nil, err
	}

	if _, err := os.Stat(d.binary); err != nil {
		return nil, fmt.Errorf("detector %s starts %s, but the build of the proxy produced no such file: include it "+
			"in the build, or leave the detector out with --var 'proxy_detectors=[]'", name, d.described.Binary)
	}

	return d, nil
}

// Judge runs the program on one tool definition, in a new directory.
func (d *Detector) Judge(r contracts.DetectorRequest) (contracts.DetectorVerdict, error) {
	home, err := os.MkdirTemp("", "touchstone-detector-")
	if err != nil {
		return contracts.DetectorVerdict{}, fmt.Errorf("create a directory for the detector: %w", err)
	}

	defer os.RemoveAll(home)
	j, err := d.described.Judgement(home, d.binary, r)
	if err != nil {
		return contracts.DetectorVerdict{}, err
	}

	for name, content := range j.Files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return contracts.DetectorVerdict{}, fmt.Errorf("create a directory for the detector: %w", err)
		}

		if err := os.WriteFile(path, content, 0o600); err != nil {
			return contracts.DetectorVerdict{}, fmt.Errorf("write the detector's input: %w", err)
		}
	}

	var stdout, stderr bounded
	cmd := exec.Command(j.Argv[0], j.Argv[1:]...)
	cmd.Dir = home
	cmd.Env = environment(home)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return contracts.DetectorVerdict{}, fmt.Errorf("start it: %w", err)
	}

	if status := cmd.ProcessState.ExitCode(); !d.described.Judged(status) {
		return contracts.DetectorVerdict{}, fmt.Errorf("it ended with status %d: %s", status, end(stderr.Bytes(), home))
	}

	if stdout.cut {
		return contracts.DetectorVerdict{}, fmt.Errorf("it printed more than %d MiB", maxOutput>>20)
	}

	return d.described.Verdict(j, stdout.Bytes())
}

// environment returns this process's environment, in which every directory that
// a program may want to write to is inside home.
func environment(home string) []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "HOME=") && !strings.HasPrefix(kv, "TMPDIR=") {
			env = append(env, kv)
		}
	}
	return append(env, "HOME="+home, "TMPDIR="+home)
}

// end returns the end of the program's output, without the path of its
// directory, which differs in every run.
func end(text []byte, home string) string {
	const most = 200
	text = bytes.TrimSpace(bytes.ReplaceAll(text, []byte(home), nil))
	if len(text) == 0 {
		return "it wrote nothing to standard error"
	}
	if len(text) > most {
		text = text[len(text)-most:]
	}
	return fmt.Sprintf("%q", text)
}

// bounded keeps the first bytes that are written to it, up to a limit.
type bounded struct {
	bytes.Buffer
	cut bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := maxOutput - b.Len(); len(p) > room {
		b.cut = true
		b.Buffer.Write(p[:room])
		return len(p), nil
	}
	return b.Buffer.Write(p)
}
