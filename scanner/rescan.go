package scanner

import (
	"slices"

	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Rescanner scans variants of a fixed set of tools in which some descriptions
// differ. Its findings are those of Scan, but it scans only what may have
// changed: the tools with another description, and the tools whose checks
// compare them with these. Several goroutines may use it at once.
type Rescanner struct {
	scanner  *Scanner
	tools    []Tool
	order    []int
	findings []Finding // by tool, of the fixed set
	readers  [][]int   // by tool: the tools whose checks read its description
}

// Rescanner scans the fixed set.
func (s *Scanner) Rescanner(tools []Tool) *Rescanner {
	r := &Rescanner{
		scanner: s, tools: slices.Clone(tools), order: sortedOrder(pointersTo(tools)),
		findings: make([]Finding, len(tools)), readers: make([][]int, len(tools)),
	}
	registry := s.registry(pointersTo(r.tools), r.order)
	places := map[*tool.Definition]int{}
	for i := range r.tools {
		places[(*tool.Definition)(&r.tools[i])] = i
	}

	for i := range r.tools {
		r.findings[i] = s.ScanOne(r.tools[i], registry)
		for _, t := range registry.registry.Compared((*tool.Definition)(&r.tools[i])) {
			if of := places[t]; of != i {
				r.readers[of] = append(r.readers[of], i)
			}
		}
	}

	return r
}

// Scan returns the findings for the fixed set with some descriptions replaced.
// The keys of descriptions are indexes into the fixed set. The result has the
// findings with signals or failed checks, sorted by server and tool.
func (r *Rescanner) Scan(descriptions map[int]string) []Finding {
	tools := slices.Clone(r.tools)
	again := map[int]bool{}
	for i, description := range descriptions {
		tools[i].Description = description
		again[i] = true
		for _, reader := range r.readers[i] {
			again[reader] = true
		}
	}

	var registry *RegistryView
	if len(again) > 0 {
		registry = r.scanner.Registry(tools)
	}

	findings := []Finding{}
	for _, i := range r.order {
		f := r.findings[i]
		if again[i] {
			f = r.scanner.ScanOne(tools[i], registry)
		}

		f.Index = i
		if f.notable() {
			findings = append(findings, f)
		}
	}

	return findings
}
