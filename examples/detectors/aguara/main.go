// Command aguara runs the scanner aguara (github.com/garagon/aguara) as a detector. It
// writes each tool to a file, as a server's answer to tools/list, and scans that file:
//
//	aguara scan --format json --no-update-check tool.json
//
// It first scans a previously approved version, if there is one, with --monitor, which is
// how aguara detects rug pulls. aguara does not support tools of other servers, so those
// are left out.
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
	flag.StringVar(&p.program, "aguara", "", "the program (default: the file aguara in the directory of this program)")
	level := flag.String("severity", "high",
		"the lowest severity that flags a tool: info, low, medium, high or critical; aguara's --ci fails from high on")
	flag.StringVar(&p.file, "file", "tool.json", "name for the scanned file; its extension selects aguara's rules")
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
			return fmt.Errorf("find this program, to look for aguara in its directory: %w; name it with -aguara", err)
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

// version is the part of a tool that is approved.
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

// answer writes one verdict for each request. An error of judge becomes part of the
// verdict and does not affect the next request.
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
			return fmt.Errorf("invalid request: %w", err)
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
