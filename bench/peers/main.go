// Command peers compares touchstone scan with other scanners: what each finds in a security
// corpus, and how many tools it scans in a second. Scanners without a flag are left out:
//
//	bench/run peers [-tools FILE] [-security FILE]... [-aguara PROGRAM] [-pipelock PROGRAM]
//	    [-mcpproxy CHECKOUT] [-mcp-scanner CHECKOUT]
//
// The file of -tools holds rows with server, tool, description and inputSchema. Each scanner reads
// them in the fastest mode that reports which tool a finding belongs to.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/touchstone-eval/touchstone/bench/internal/timing"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == pipelockVerb {
		exit(servePipelock(os.Args[2:]))
	}

	if len(os.Args) > 1 && os.Args[1] == stopsVerb {
		exit(serveStops())
	}

	if len(os.Args) > 1 && os.Args[1] == listVerb {
		exit(serveLists(os.Args[2:]))
	}

	var o options
	flag.StringVar(&o.tools, "tools", "", "a file of rows with server, tool, description and inputSchema")
	flag.Func("security", "a security corpus to find attacks in (repeatable)", func(file string) error {
		o.security = append(o.security, file)
		return nil
	})
	flag.StringVar(&o.aguara, "aguara", "", "the program aguara")
	flag.StringVar(&o.pipelock, "pipelock", "", "the program pipelock; for -security only")
	flag.StringVar(&o.mcpproxy, "mcpproxy", "", "a checkout of mcpproxy-go; for -security only")
	flag.StringVar(&o.mcpScanner, "mcp-scanner", "",
		"a checkout of mcp-scanner; requires python3 with yara; for -tools only")
	flag.StringVar(&o.python, "python", "python3", "the Python interpreter that has yara")
	flag.IntVar(&o.copies, "copies", 10, "how often the tools are repeated in the larger run")
	flag.IntVar(&o.runs, "runs", 5, "timed runs of each")
	flag.Parse()
	exit(bench(o))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

type options struct {
	tools, aguara, pipelock, mcpproxy, mcpScanner, python string
	security                                              []string
	copies, runs                                          int
}

func bench(o options) error {
	dir, tool, err := timing.Workspace("peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := o.find(dir, tool); err != nil || o.tools == "" {
		return err
	}
	return o.time(dir, tool)
}

// time prints how many tools each scanner scans in a second.
func (o options) time(dir, tool string) error {
	text, err := os.ReadFile(o.tools)
	if err != nil {
		return fmt.Errorf("%w: name a file with -tools", err)
	}

	var rows struct {
		Tools []row `json:"tools"`
	}
	if err := json.Unmarshal(text, &rows); err != nil || len(rows.Tools) == 0 {
		return fmt.Errorf("%s holds no rows of tools: %v", o.tools, err)
	}

	once, err := o.compare(tool, filepath.Join(dir, "once"), rows.Tools, 1)
	if err != nil {
		return err
	}

	more, err := o.compare(tool, filepath.Join(dir, "more"), rows.Tools, o.copies)
	if err != nil {
		return err
	}

	// Startup costs occur in both runs and cancel out in the difference.
	// Processor time is used because other load makes wall times long.
	fmt.Println("tools per second of processor time, without startup:")
	for i, s := range more {
		extra := s.MedianCPU() - once[i].MedianCPU()
		fmt.Printf("  %-12s %10.0f\n", s.Name, float64((o.copies-1)*len(rows.Tools))/extra.Seconds())
	}

	return nil
}

func (o options) compare(tool, dir string, tools []row, copies int) ([]timing.Sample, error) {
	if err := write(dir, tools, copies); err != nil {
		return nil, err
	}

	all := filepath.Join(dir, "all.json")
	contenders := []timing.Contender{
		{Name: "touchstone", Argv: []string{tool, "scan", "--fail-on", "none", "--json", all}},
	}
	if o.aguara != "" {
		contenders = append(contenders,
			timing.Contender{Name: "aguara",
				Argv: []string{o.aguara, "scan", "--format", "json", "--no-update-check", filepath.Join(dir, "each")}})
	}

	if o.mcpScanner != "" {
		contenders = append(contenders,
			timing.Contender{Name: "mcp-scanner",
				Argv: []string{o.python, "-B", "bench/peers/static.py", o.mcpScanner, all}})
	}

	samples, err := timing.Compare(os.Stdout, 1, o.runs, contenders...)
	if err != nil {
		return nil, err
	}

	n := copies * len(tools)
	timing.Print(os.Stdout, fmt.Sprintf("%d tools, whole processes", n), samples)
	for _, s := range samples {
		fmt.Printf("  %-12s %10.0f tools per second, %8.0f per second of processor time\n",
			s.Name, float64(n)/s.Median().Seconds(), float64(n)/s.MedianCPU().Seconds())
	}

	return samples, nil
}

// row is a tool in the input file.
type row struct {
	Server      string          `json:"server"`
	Tool        string          `json:"tool"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// write writes the tools of several copies of the servers: all in one answer to
// tools/list, and each in its own file, because aguara reports the file of a finding and
// not the tool.
func write(dir string, tools []row, copies int) error {
	type definition struct {
		Server      string          `json:"server"`
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema,omitempty"`
	}
	var all []definition
	for c := range copies {
		for i, t := range tools {
			d := definition{fmt.Sprintf("%s-%d", t.Server, c), t.Tool, t.Description, t.InputSchema}
			all = append(all, d)
			if err := save(filepath.Join(dir, "each", fmt.Sprintf("%d-%d.json", c, i)), d); err != nil {
				return err
			}
		}
	}

	return save(filepath.Join(dir, "all.json"), all...)
}

func save[T any](path string, tools ...T) error {
	text, err := json.MarshalIndent(map[string][]T{"tools": tools}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
