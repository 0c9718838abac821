package render

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
)

// pageBudget is the largest size of report.html before the command line adds
// the run. A page of 5 MB is slow in a browser and refused by some build
// servers, and the run needs part of that.
const pageBudget = 4_500_000

// embedded is the page's data. Each part is safe inside a script element.
//
// Head is one JSON value that the page reads when it opens. Changes and Queries
// have one JSON array a line, in display order. The page parses a line when it
// shows it or when the user searches, so the time to open does not depend on
// their number.
type embedded struct {
	Head, Changes, Queries []byte
}

// head is the data that the page reads when it opens. It is compact: tools and
// subjects are listed once in a table and referred to by number, and metrics
// are in thousandths.
type head struct {
	Tools []string `json:"tools"`
	// Flags has one digit a query, the sum of the flags below, so that the page
	// can filter queries without parsing them.
	Flags   string         `json:"flags"`
	Entries [][]any        `json:"entries"` // id, label, category, text
	Detect  []detectorData `json:"detectors"`
	// Opened is the detector whose entries are shown first, or empty.
	Opened string   `json:"opened"`
	Runs   int      `json:"runs"`
	States []string `json:"states"` // of moves, by number
	// Metrics are the labels of the metrics that each query has, in order.
	Metrics []string `json:"metrics"`
	// Parts are the kinds of queries and the servers of their right tools: heading,
	// name and the places of the queries in the list.
	Parts [][]any `json:"parts"`
	// Cut holds a sentence for each omission.
	Cut []string `json:"cut"`
}

// Flags of a query.
const (
	flagAttention = 1 << iota // moved, errored or not found
	flagErrored
	flagLookAlike // a look-alike of its tool is labelled
)

// detectorData holds one detector's results. Verdicts has one letter an entry:
// f flagged, c clean, e errored, - not judged.
type detectorData struct {
	Name     string           `json:"name"`
	Verdicts string           `json:"verdicts"`
	Unstable []int            `json:"unstable"`
	Said     map[string][]any `json:"said"` // entry number: confidence, signals, evidence, error
}

// toolTable numbers tools in the order of first use. It shortens a name to at
// most most characters.
type toolTable struct {
	most    int
	names   []string
	numbers map[string]int
	cut     int
}

// number returns a tool's place in the table, or -1 for no tool.
func (t *toolTable) number(id string) int {
	if id == "" {
		return -1
	}

	n, ok := t.numbers[id]
	if !ok {
		n = len(t.names)
		t.numbers[id] = n
		name := wording.Shorten(id, t.most)
		if name != id {
			t.cut++
		}

		t.names = append(t.names, name)
	}

	return n
}

// scriptSafeJSON encodes v for a script element. With <, > and & escaped nothing in it
// can end the element or start a comment. With U+2028 and U+2029 escaped it is
// also a JavaScript literal. It contains no line feed.
func scriptSafeJSON(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("cannot embed the data: %w", err)
	}
	return data, nil
}

func milli(f float64) int { return int(math.Round(f * 1000)) }

// addParts adds the parts of the queries, which the page offers as a filter.
// Places are those of the list in which the page shows the queries.
func (h *head) addParts(r *contracts.Report, place map[string]int) {
	h.Parts = [][]any{}
	queries := r.Aggregate.Retrieval.PerQuery
	add := func(heading string, parts []part) {
		for _, p := range parts {
			places := make([]int, 0, len(p.queries))
			for _, q := range p.queries {
				if at, ok := place[queries[q].ID]; ok {
					places = append(places, at)
				}
			}

			h.Parts = append(h.Parts, []any{heading, p.name, places})
		}
	}
	add(kindsHeading, queryKinds(queries, r.Aggregate.Retrieval.TestShare))
	add(serversHeading, serversOf(queries))
}

// dropParts makes room for the queries themselves.
func (h *head) dropParts() {
	h.Parts = [][]any{}
	h.Cut = append(h.Cut, "The filter by kind and by server is left out; report.json has all queries.")
}

// Headings of the filter by parts.
const (
	kindsHeading   = "Kind"
	serversHeading = "Server"
)

// evidenceBudget is the largest size of the entries and the detectors' results;
// texts are shortened to fit.
const evidenceBudget = 1_000_000

// addDetectors adds entries and each detector's results for them, with evidence
// as long as the budget allows.
func (h *head) addDetectors(detectors []contracts.DetectorSummary) error {
	for _, most := range []int{600, 200, 80, 40, 0} {
		entries, answers, cut := collectDetectors(detectors, most)
		data, err := scriptSafeJSON([]any{entries, answers})
		if err != nil {
			return err
		}

		h.Entries, h.Detect = entries, answers
		if len(data) <= evidenceBudget || most == 0 {
			if cut > 0 {
				h.Cut = append(h.Cut, fmt.Sprintf("%s shortened to %d characters; report.json has them in full.",
					wording.CountOf(cut, "1 text of a detector (evidence, signal or error) is",
						"%d texts of detectors (evidence, signals and errors) are"), most))
			}

			return nil
		}
	}

	return nil
}

// openedDetector returns the detector whose entries matter most: the first one
// with a failed check, or else the first one that is judged, or else "".
func openedDetector(r *contracts.Report) string {
	judged := ""
	for _, c := range r.Gate.Checks {
		if !slices.ContainsFunc(r.Aggregate.Detectors,
			func(d contracts.DetectorSummary) bool { return d.Score.Detector == c.Subject }) {
			continue
		}

		if !c.Passed {
			return c.Subject
		}

		judged = cmp.Or(judged, c.Subject)
	}

	return judged
}

func collectDetectors(detectors []contracts.DetectorSummary, most int) (entries [][]any, answers []detectorData,
	cut int) {
	entries, answers = [][]any{}, []detectorData{}
	short := func(s string) string {
		out := wording.Shorten(s, most)
		if out != s {
			cut++
		}

		return out
	}
	numbers := make(map[string]int)
	for _, d := range detectors {
		for _, e := range d.PerEntry {
			if _, ok := numbers[e.ID]; !ok {
				numbers[e.ID] = len(entries)
				entries = append(entries, []any{e.ID, e.Label, e.Category, short(e.Text)})
			}
		}
	}

	for _, d := range detectors {
		verdicts := bytes.Repeat([]byte{'-'}, len(entries))
		out := detectorData{Name: d.Score.Detector, Unstable: []int{}, Said: make(map[string][]any)}
		for _, e := range d.PerEntry {
			n := numbers[e.ID]
			verdicts[n] = e.Verdict[0]
			if e.Verdict == contracts.VerdictClean && e.Evidence == "" && e.Error == "" && len(e.Signals) == 0 {
				continue
			}

			shown := e.Signals[:min(len(e.Signals), 10)]
			cut += len(e.Signals) - len(shown)
			signals := make([]string, 0, len(shown))
			for _, s := range shown {
				signals = append(signals, short(s))
			}

			out.Said[fmt.Sprint(n)] = []any{milli(e.Confidence), signals, short(e.Evidence), short(e.Error)}
		}

		for _, id := range d.Unstable {
			if n, ok := numbers[id]; ok {
				out.Unstable = append(out.Unstable, n)
			}
		}

		out.Verdicts = string(verdicts)
		answers = append(answers, out)
	}

	return entries, answers, cut
}
