package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/touchstone-eval/touchstone/bench/internal/timing"
)

// corpus has the tools that the lists repeat.
const corpus = "datasets/corpus_v2.json"

// listKind is a kind of list. Its tools are those of the corpus, again and again.
type listKind struct {
	name string
	// row returns the element i of the list, for a tool of which it has that many before.
	row func(t *corpusTool, i, before int) any
}

type corpusTool struct {
	Server      string          `json:"server"`
	Tool        string          `json:"tool"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

// mcpTool is a row in the names of MCP.
type mcpTool struct {
	Server      string          `json:"server"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

var listKinds = []listKind{
	// Every server is installed many times.
	{"equal names", func(t *corpusTool, _, before int) any {
		return mcpTool{fmt.Sprintf("%s-%d", t.Server, before), t.Tool, t.Description, t.Schema}
	}},
	// Every server is another one.
	{"distinct names", func(t *corpusTool, i, before int) any {
		return mcpTool{fmt.Sprintf("server-%d", i/toolsPerServer), fmt.Sprintf("%s_%s", t.Tool, spelled(before)),
			t.Description, t.Schema}
	}},
}

// spelled returns a word for a number. The words of two numbers differ by more than a letter, since a name that is one
// letter off another one is a finding, and names that differ by digits are one family.
func spelled(n int) string {
	word := ""
	for _, digit := range fmt.Sprint(n) {
		word += []string{"bar", "cel", "dim", "fon", "gus", "hat", "jek", "lip", "mov", "nud"}[digit-'0']
	}
	return word
}

// benchScan scans lists of growing length and prints the costs of whole processes.
func benchScan(list string, runs int) error {
	sizes, err := numbers("-scan", list)
	if err != nil {
		return err
	}

	dir, tool, err := timing.Workspace("scale")
	if err != nil {
		return err
	}

	defer os.RemoveAll(dir)
	tools, err := corpusTools()
	if err != nil {
		return err
	}

	fmt.Printf("load before: %s\n", timing.Load())
	for _, k := range listKinds {
		fmt.Printf("\n%s\n  %8s %9s %10s %10s %12s %17s %9s\n", k.name, "tools", "size", "wall", "processor",
			"tools/s wall", "tools/s processor", "peak")
		var n, cpu, peak []float64
		for _, size := range sizes {
			file := filepath.Join(dir, "tools.json")
			bytes, err := k.writeList(file, tools, size)
			if err != nil {
				return err
			}

			samples, err := timing.Compare(os.Stdout, 0, runs, timing.Contender{Name: k.name,
				Argv: []string{tool, "scan", "--fail-on", "none", "--format", "json", "-o",
					filepath.Join(dir, "report.json"), file}})
			if err != nil {
				return err
			}

			s := samples[0]
			n, cpu, peak = append(n, float64(size)), append(cpu, s.MedianCPU().Seconds()), append(peak, float64(s.Peak))
			fmt.Printf("  %8d %5d MiB %10s %10s %12.0f %17.0f %5d MiB\n", size, bytes>>20,
				s.Median().Round(time.Millisecond), s.MedianCPU().Round(time.Millisecond),
				float64(size)/s.Median().Seconds(), float64(size)/s.MedianCPU().Seconds(), s.Peak>>20)
		}

		if len(sizes) > 1 {
			time, timeFit := timing.Growth(n, cpu)
			memory, memoryFit := timing.Growth(n, peak)
			fmt.Printf("  growth exponents: %.2f of processor time (R² %.3f), %.2f of memory (R² %.3f)\n",
				time, timeFit, memory, memoryFit)
		}
	}

	fmt.Printf("\nload after: %s\n", timing.Load())
	return nil
}

func corpusTools() ([]corpusTool, error) {
	text, err := os.ReadFile(corpus)
	if err != nil {
		return nil, err
	}

	var file struct{ Tools []corpusTool }
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("parsing %s: %w", corpus, err)
	}

	return file.Tools, nil
}

// writeList writes a list of n tools and returns its size in bytes.
func (k listKind) writeList(path string, tools []corpusTool, n int) (int64, error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}

	defer f.Close()
	out := bufio.NewWriter(f)
	fmt.Fprint(out, `{"tools": [`)
	for i := range n {
		row, err := json.MarshalIndent(k.row(&tools[i%len(tools)], i, i/len(tools)), " ", " ")
		if err != nil {
			return 0, err
		}

		if i > 0 {
			fmt.Fprint(out, ",\n ")
		}

		_, _ = out.Write(row) // Flush returns the error
	}

	fmt.Fprintln(out, "]}")
	if err := out.Flush(); err != nil {
		return 0, err
	}

	info, err := f.Stat()
	if err != nil {
		return 0, err
	}

	return info.Size(), nil
}
