package main

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/scanner"
	"github.com/touchstone-eval/touchstone/stages/scoremutations/mutation"
	"github.com/touchstone-eval/touchstone/stages/scoresecurity"
)

// A panel is the sets by which the scanner is judged as a whole: what is left of
// its figures when a part of it is taken away is what the part is worth.

// panel is a list of sets. A set with weights is judged by a classifier that has
// read none of its authors.
type panel []panelSet

type panelSet struct {
	name    string
	tools   []labelledTool
	weights []byte
}

// readPanel reads the sets of a checkout, whose directory scanner/training is
// dir, and the given files with real tools. Sentences are judged out of author,
// in so many folds.
func readPanel(dir string, folds int, real []string) (panel, error) {
	root := filepath.Join(dir, "..", "..")
	var p panel
	add := func(name string, tools []labelledTool, err error) error {
		p = append(p, panelSet{name: name, tools: tools})
		return err
	}
	for _, v := range []string{"security_v1", "security_v2"} {
		tools, mutated, err := readCorpus(filepath.Join(root, "datasets", v+".json"))
		if err != nil {
			return nil, err
		}

		p = append(p, panelSet{name: v, tools: tools}, panelSet{name: v + " rewritten", tools: mutated})
	}

	for _, name := range []string{"textbook", "textbook_other_words", "blunt", "blunt_and_careful",
		"blunt_and_careful2", "blunt_and_careful3", "blunt_and_careful4", "blunt_and_careful5",
		"updates", "heldout", "classes_heldout", "senses_heldout",
		"business_heldout", "harm_heldout"} {
		tools, err := readEntries(filepath.Join(root, "scanner", "testdata", name+".json"))
		if err := add(name, tools, err); err != nil {
			return nil, err
		}
	}

	unmarked, err := readUnmarked(dir)
	if err := add("dev sets", unmarked, err); err != nil {
		return nil, err
	}

	for _, path := range real {
		tools, err := readRows(path)
		if err := add("real tools", tools, err); err != nil {
			return nil, err
		}
	}

	sets, err := foldsOf(dir, folds)
	if err != nil {
		return nil, err
	}

	return append(p, sets...), nil
}

// readCorpus reads a security corpus, and makes the variants of its entries by
// which mutations are scored.
func readCorpus(path string) (tools, mutated []labelledTool, err error) {
	corpus, _, err := scoresecurity.ReadCorpus(path)
	if err != nil {
		return nil, nil, err
	}

	const seed = 1
	operators := mutation.Development()
	for _, e := range corpus.Entries {
		tools = append(tools, labelledEntry(e))
		if !mutation.Eligible(e) {
			continue
		}

		for _, op := range operators {
			if views, ok := op.Variant(e, seed); ok && mutation.Mechanical(op.Family) {
				l := labelledEntry(views[0])
				l.class = op.Name
				for _, v := range views[1:] {
					l.others = append(l.others, labelledEntry(v))
				}

				mutated = append(mutated, l)
			}
		}
	}

	return tools, mutated, nil
}

// labelledEntry converts an entry of a security corpus.
func labelledEntry(e contracts.SecurityEntry) labelledTool {
	l := labelledTool{
		source: "corpus", attack: e.Label == contracts.LabelMalicious, class: e.Category,
		instructions: e.ServerInstructions,
		tool: scanner.Tool{Server: e.Server, Name: e.Name, Description: e.Description, InputSchema: e.InputSchema,
			OutputSchema: e.OutputSchema, Annotations: e.Annotations},
	}
	for _, p := range e.Peers {
		l.siblings = append(l.siblings,
			scanner.Tool{Server: p.Server, Name: p.Name, Description: p.Description, InputSchema: p.InputSchema})
	}

	if a := e.Approved; a != nil {
		before := l.tool
		before.Description, before.InputSchema, before.OutputSchema = a.Description, a.InputSchema, a.OutputSchema
		l.approved = &before
	}

	return l
}

// count is what the scanner does with a set.
type count struct {
	attacks, found, stopped            int
	innocents, flagged, wronglyStopped int
}

// add adds sign times the figures of d that depend on the scanner.
func (c *count) add(d count, sign int) {
	c.found += sign * d.found
	c.stopped += sign * d.stopped
	c.flagged += sign * d.flagged
	c.wronglyStopped += sign * d.wronglyStopped
}

// judgePanel judges all sets. It returns the figures and the tools judged a second.
func judgePanel(p panel, opts ...scanner.Option) ([]count, float64, error) {
	plain, err := scanner.New(opts...)
	if err != nil {
		return nil, 0, err
	}

	counts := make([]count, len(p))
	tools, start := 0, time.Now()
	for i := range p {
		err := judgeWith(p[i].weights, func() error {
			n, err := counts[i].judge(plain, p[i].tools, opts...)
			tools += n
			return err
		})
		if err != nil {
			return nil, 0, err
		}
	}

	return counts, float64(tools) / time.Since(start).Seconds(), nil
}

// judge adds the verdicts on tools. It returns how many tools it judged, with those beside
// them.
func (c *count) judge(plain *scanner.Scanner, tools []labelledTool, opts ...scanner.Option) (n int, err error) {
	for i := range tools {
		l := &tools[i]
		found, stopped, err := judgeLabelled(plain, l, opts...)
		if err != nil {
			return n, err
		}

		n += 1 + len(l.others)
		if l.attack {
			c.attacks++
			c.found += countOf(found)
			c.stopped += countOf(stopped)
		} else {
			c.innocents++
			c.flagged += countOf(found)
			c.wronglyStopped += countOf(stopped)
		}
	}

	return n, nil
}

// judgeLabelled judges a tool with its siblings, its approved version and the
// instructions of its server. found reports a finding in any of its views, and
// stopped one that fails a build. plain has the options opts.
func judgeLabelled(plain *scanner.Scanner, l *labelledTool, opts ...scanner.Option) (found, stopped bool, err error) {
	s := plain
	if l.approved != nil {
		baseline := scanner.WithBaseline([]scanner.Tool{*l.approved})
		if s, err = scanner.New(append(opts[:len(opts):len(opts)], baseline)...); err != nil {
			return false, false, err
		}
	}

	registry := l.registry
	if registry == nil {
		registry = s.Registry(append([]scanner.Tool{l.tool}, l.siblings...))
	}

	findings := []scanner.Finding{s.ScanOne(l.tool, registry)}
	if l.instructions != "" {
		findings = append(findings,
			s.ScanOne(scanner.Tool{Server: l.tool.Server, Subject: scanner.SubjectInstructions,
				Description: l.instructions}, registry))
	}

	for _, f := range findings {
		found = found || f.Flagged()
		stopped = stopped || f.Severity.Stops()
	}

	for i := range l.others {
		f, st, err := judgeLabelled(plain, &l.others[i], opts...)
		if err != nil {
			return false, false, err
		}

		found, stopped = found || f, stopped || st
	}

	return found, stopped, nil
}

// printPanel prints the figures of each set.
func printPanel(w io.Writer, p panel, counts []count, speed float64) {
	fmt.Fprintf(w, "%-24s %7s %7s %7s %10s %7s %7s\n", "set", "attacks", "found", "stopped", "innocents", "flagged",
		"stopped")
	for i, c := range counts {
		fmt.Fprintf(w, "%-24s %7d %7d %7d %10d %7d %7d\n", p[i].name, c.attacks, c.found, c.stopped, c.innocents,
			c.flagged, c.wronglyStopped)
	}
	fmt.Fprintf(w, "%.0f tools a second\n", speed)
}
