package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner"
)

// judged is a tool of a labelled set with its finding.
type judged struct {
	labelledTool
	finding scanner.Finding
	score   float64
}

// shares are the shares of innocent tools at which recall is printed.
var shares = []float64{0.002, 0.01, 0.05}

// judgeAll scans each tool among its siblings.
func judgeAll(tools []labelledTool, opts ...scanner.Option) ([]judged, error) {
	s, err := scanner.New(opts...)
	if err != nil {
		return nil, err
	}
	all := make([]judged, 0, len(tools))
	for _, l := range tools {
		f := s.ScanOne(l.tool, s.Registry(append([]scanner.Tool{l.tool}, l.siblings...)))
		all = append(all, judged{l, f, f.Confidence})
	}
	return all, nil
}

// printStopped prints the innocent tools that the default run stops.
func printStopped(w io.Writer, all []judged) {
	for i := range all {
		j := &all[i]
		if j.attack || !j.finding.Severity.Stops() {
			continue
		}
		fmt.Fprintf(w, "innocent, stopped: %s %s/%s: %s\n", j.source, j.tool.Server, j.tool.Name, j.finding.Severity)
		for _, sig := range j.finding.Signals {
			fmt.Fprintf(w, "    %s %s %.2f %s | %s\n", sig.CheckID, sig.Tier, sig.Confidence, sig.Detail, sig.Evidence)
		}
	}
}

// printPoints prints what the default run stops, the recall at given shares of
// innocent tools, by class and carrier, and what each tripwire finds alone.
func printPoints(w io.Writer, all []judged) {
	points := operatingPoints(all)
	fmt.Fprintf(w, "%-34s %7s %7s %7s", "", "tools", "stopped", "found")
	for _, share := range shares {
		fmt.Fprintf(w, " %6.1f%%", 100*share)
	}

	fmt.Fprint(w, "\n", "score above", strings.Repeat(" ", 39))
	for _, p := range points {
		fmt.Fprintf(w, " %7.2f", p)
	}

	fmt.Fprintln(w)
	printRows(w, points, all, "source", func(j *judged) string { return j.source })
	printRows(w, points, all, "class", func(j *judged) string { return j.class })
	printRows(w, points, all, "carrier", func(j *judged) string { return j.carrier() })
	printRows(w, points, all, "", func(*judged) string { return "all" })
	printTripwires(w, all)
}

// operatingPoints returns for each share the score that at most this share of
// the innocent tools exceeds.
func operatingPoints(all []judged) []float64 {
	var innocent []float64
	for i := range all {
		if !all[i].attack {
			innocent = append(innocent, all[i].score)
		}
	}

	slices.SortFunc(innocent, func(a, b float64) int { return cmp.Compare(b, a) })
	points := make([]float64, len(shares))
	for i, share := range shares {
		if k := int(share * float64(len(innocent))); k < len(innocent) {
			points[i] = innocent[k]
		}
	}

	return points
}

// carrier is the place of the planted words, as far as marks tell.
func (j *judged) carrier() string {
	switch {
	case len(j.marks) == 0:
		return "not marked"
	case strings.Contains(j.tool.Description, j.marks[0]):
		return "description"
	case bytes.Contains(j.tool.OutputSchema, []byte(j.marks[0])):
		return "output schema"
	}
	return "parameters"
}

// printRows prints a row for each group of attacks and of innocent tools.
func printRows(w io.Writer, points []float64, all []judged, title string, group func(*judged) string) {
	type row struct{ n, stopped, found int }
	rows, above := map[string]*row{}, map[string][]int{}
	for i := range all {
		j := &all[i]
		key := "attacks, "
		if !j.attack {
			key = "innocent, "
		}

		key += cmp.Or(group(j), "none")
		r := rows[key]
		if r == nil {
			r = &row{}
			rows[key], above[key] = r, make([]int, len(points))
		}

		r.n++
		r.stopped += countOf(j.finding.Severity.Stops())
		r.found += countOf(j.finding.Flagged())
		for k, p := range points {
			above[key][k] += countOf(j.score > p)
		}
	}

	if title != "" {
		fmt.Fprintf(w, "\nby %s\n", title)
	}

	for _, key := range slices.Sorted(maps.Keys(rows)) {
		r := rows[key]
		share := func(k int) float64 { return float64(k) / float64(r.n) }
		fmt.Fprintf(w, "%-34.34s %7d %7.3f %7.3f", key, r.n, share(r.stopped), share(r.found))
		for _, k := range above[key] {
			fmt.Fprintf(w, " %7.3f", share(k))
		}

		fmt.Fprintln(w)
	}
}

func countOf(is bool) int {
	if is {
		return 1
	}
	return 0
}

// printTripwires prints what each tripwire finds: attacks, innocent tools, and
// the attacks that nothing else stops.
func printTripwires(w io.Writer, all []judged) {
	const check = "tripwire.known"
	type row struct{ attacks, innocent, alone int }
	rows := map[string]row{}
	for i := range all {
		j := &all[i]
		others := false
		ids := map[string]bool{}
		for _, s := range j.finding.Signals {
			if s.CheckID == check {
				_, rest, _ := strings.Cut(s.Detail, ": ")
				id, _, _ := strings.Cut(rest, ": ")
				ids[id] = true
			} else {
				others = others || s.Tier == scanner.TierHard
			}
		}

		for id := range ids {
			r := rows[id]
			r.attacks += countOf(j.attack)
			r.innocent += countOf(!j.attack)
			r.alone += countOf(j.attack && !others && len(ids) == 1)
			rows[id] = r
		}
	}

	fmt.Fprintf(w, "\n%-34s %7s %8s %s\n", "tripwire", "attacks", "innocent", "attacks that no other hard signal has")
	for _, id := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(w, "%-34s %7d %8d %7d\n", id, rows[id].attacks, rows[id].innocent, rows[id].alone)
	}
}

// readRows reads real tools, which count as innocent, from a file with "tools":
// rows of server, tool, description and inputSchema.
func readRows(path string) ([]labelledTool, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}

	var file struct {
		Tools []struct {
			Server, Tool, Description string
			InputSchema               json.RawMessage
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("%s: %w: give a JSON object with a list \"tools\"", path, err)
	}

	var tools []scanner.Tool
	for _, t := range file.Tools {
		tools = append(tools, scanner.Tool{Server: t.Server, Name: t.Tool, Description: t.Description,
			InputSchema: t.InputSchema})
	}

	var out []labelledTool
	s, err := scanner.New()
	if err != nil {
		return nil, err
	}

	registry := s.Registry(tools)
	for _, t := range tools {
		out = append(out, labelledTool{source: "real tools", class: "real tools", tool: t, siblings: tools,
			registry: registry})
	}

	return out, nil
}

// setsToMeasure reads the labelled sets of a directory, or the given files.
func setsToMeasure(dir string, paths []string) ([]labelledTool, error) {
	if len(paths) == 0 {
		sets, err := readSentenceSets(dir)
		if err != nil {
			return nil, err
		}

		tools, err := readUnmarked(dir)
		for _, name := range slices.Sorted(maps.Keys(sets)) {
			tools = append(tools, sets[name]...)
		}

		return tools, err
	}

	var tools []labelledTool
	for _, path := range paths {
		entries, err := readEntries(path)
		if err == nil && len(entries) == 0 {
			entries, err = readRows(path)
		}

		if err == nil && len(entries) == 0 {
			err = fmt.Errorf("%s has neither \"entries\" nor \"tools\": give a labelled set, or a list of tools", path)
		}

		if err != nil {
			return nil, err
		}

		tools = append(tools, entries...)
	}

	return tools, nil
}
