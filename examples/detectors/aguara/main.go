// Command aguara makes a detector of the scanner aguara
// (github.com/garagon/aguara). It writes each tool into a file of its own, as a
// server's answer to tools/list, and has the program scan that file:
//
//	aguara scan --format json --no-update-check tool.json
//
// A version that was approved earlier is scanned before, with --monitor, which
// is how aguara finds rug pulls. It has no place for tools of other servers, so
// those are left out.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	p := peer{}
	flag.StringVar(&p.program, "aguara", "", "the program; without it, the file aguara beside this one")
	level := flag.String("severity", "high", "the least severity that flags: info, low, medium, high or critical; high is what fails aguara's --ci")
	flag.StringVar(&p.file, "file", "tool.json", "what to call the file that is scanned: its ending decides which rules look at it")
	flag.Parse()
	if err := run(p, *level, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "aguara detector:", err)
		os.Exit(1)
	}
}

func run(p peer, level string, in io.Reader, out io.Writer) error {
	var err error
	if p.least, err = severity(level); err != nil {
		return err
	}
	if p.program == "" {
		self, err := os.Executable()
		if err != nil {
			return fmt.Errorf("find this program, to look for aguara beside it: %w; name it with -aguara", err)
		}
		p.program = filepath.Join(filepath.Dir(self), "aguara")
	}
	if p.program, err = filepath.Abs(p.program); err != nil {
		return err
	}
	if _, err := os.Stat(p.program); err != nil {
		return fmt.Errorf("%w: name the program with -aguara", err)
	}
	if p.dir, err = os.MkdirTemp("", "aguara-"); err != nil {
		return err
	}
	defer os.RemoveAll(p.dir)
	return answer(p.judge, in, out)
}

type request struct {
	ID       string   `json:"id"`
	Tool     tool     `json:"tool"`
	Approved *version `json:"approved"`
}

type tool struct {
	Name string `json:"name"`
	version
	Annotations json.RawMessage `json:"annotations"`
}

// version is what an approval is about.
type version struct {
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"input_schema"`
	OutputSchema json.RawMessage `json:"output_schema"`
}

type verdict struct {
	Protocol   int      `json:"protocol"`
	ID         string   `json:"id"`
	Flagged    bool     `json:"flagged"`
	Confidence float64  `json:"confidence,omitempty"`
	Signals    []string `json:"signals,omitempty"`
	Evidence   string   `json:"evidence,omitempty"`
	Error      string   `json:"error,omitempty"`
}

// answer writes one verdict for each request. What judge fails on is said to
// be failed and does not concern the next.
func answer(judge func(request) (verdict, error), in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		} else if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Errorf("a request that is none: %w", err)
		}
		v, err := judge(r)
		if err != nil {
			v = verdict{Error: err.Error()}
		}
		v.Protocol, v.ID = 1, r.ID
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(b, '\n')); err != nil {
			return err
		}
	}
}
