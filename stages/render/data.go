package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
)

// maxPage bounds report.html. Beyond it browsers get slow and build servers
// refuse to show it.
const maxPage = 5 << 20

// maxData is what the data may take of that.
const maxData = maxPage - (256 << 10)

// pageData is what the page's script shows on demand. It is written to be
// small: tools stand once in a table and are numbers elsewhere, rows are
// arrays, metrics are thousandths.
type pageData struct {
	Tools []string `json:"tools"`
	// Queries: id, text, notes, labels (tool, relevance, ...), ranked tools,
	// metrics (recall at 1, 3, 5, 10, mrr, ndcg, map; in thousandths),
	// errored runs, error.
	Queries [][]any `json:"queries"`
	// Moves: subject, id, state, tool, rank before, rank after (0: none),
	// displaced by, title, before, after, error. Tools are numbers, -1 none.
	Moves   [][]any        `json:"moves"`
	Entries [][]any        `json:"entries"` // id, label, category
	Detect  []detectorData `json:"detectors"`
	Runs    int            `json:"runs"`
	// Cut says in sentences what was left out.
	Cut []string `json:"cut"`
}

// detectorData is one detector's answers: Verdicts has one letter an entry, f
// flagged, c clean, e errored, - not asked.
type detectorData struct {
	Name     string           `json:"name"`
	Verdicts string           `json:"verdicts"`
	Unstable []int            `json:"unstable"`
	Said     map[string][]any `json:"said"` // entry number: confidence, signals, evidence, error
}

// limits are how much of each text and list goes into the page.
type limits struct {
	text, ranked, evidence, queries, moves int
}

// Each step of cutting takes more away. The first is what a person reads
// anyway; report.json always has everything.
var cutting = []limits{
	{text: 600, ranked: 10, evidence: 600, queries: math.MaxInt, moves: math.MaxInt},
	{text: 200, ranked: 10, evidence: 200, queries: math.MaxInt, moves: math.MaxInt},
	{text: 120, ranked: 5, evidence: 120, queries: math.MaxInt, moves: math.MaxInt},
	{text: 120, ranked: 5, evidence: 80, queries: 10_000, moves: 5_000},
	{text: 120, ranked: 5, evidence: 60, queries: 2_000, moves: 2_000},
	{text: 80, ranked: 5, evidence: 40, queries: 200, moves: 200},
}

// embed returns the page's data as JSON that is safe inside a script element,
// cut to what the page may weigh.
func embed(r *contracts.Report) ([]byte, error) {
	for _, l := range cutting {
		data, err := inert(collect(r, l))
		if err != nil {
			return nil, err
		}
		if len(data) <= maxData {
			return data, nil
		}
	}
	return nil, fmt.Errorf("report.html would be larger than %d MiB even with most left out; the security corpus or the tool names are too large to show", maxPage>>20)
}

// inert encodes v for a script element: with <, > and & escaped nothing in it
// can end the element or start a comment, and with U+2028 and U+2029 escaped
// it is also a JavaScript literal.
func inert(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(true)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("cannot embed the data: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// collector builds pageData.
type collector struct {
	limits
	data  pageData
	tools map[string]int
}

func collect(r *contracts.Report, l limits) pageData {
	c := collector{limits: l, tools: make(map[string]int)}
	c.data = pageData{Tools: []string{}, Queries: [][]any{}, Moves: [][]any{}, Entries: [][]any{}, Detect: []detectorData{}, Runs: r.Aggregate.Retrieval.Runs, Cut: []string{}}
	moved := c.addMoves(r.Gate.Moves)
	titles := c.addQueries(r.Aggregate.Retrieval.PerQuery, moved)
	for _, m := range c.data.Moves {
		if m[0] == retrieval && titles[m[1].(string)] {
			m[7] = "" // the query's own row has it
		}
	}
	c.addDetectors(r.Aggregate.Detectors)
	if l != cutting[0] {
		c.data.Cut = append(c.data.Cut, fmt.Sprintf("Texts are cut at %d characters and ranked lists at %d places to keep this page small; report.json has them whole.", l.text, l.ranked))
	}
	return c.data
}

func (c *collector) tool(id string) int {
	if id == "" {
		return -1
	}
	n, ok := c.tools[id]
	if !ok {
		n = len(c.data.Tools)
		c.tools[id] = n
		c.data.Tools = append(c.data.Tools, shorten(id, 200))
	}
	return n
}

func (c *collector) addMoves(moves []contracts.Move) map[string]bool {
	moved := make(map[string]bool)
	sorted := sortedMoves(moves)
	for i, m := range sorted {
		if i == c.moves {
			c.data.Cut = append(c.data.Cut, fmt.Sprintf("%d of %d moves are left out of this page; report.json has them.", len(sorted)-i, len(sorted)))
			break
		}
		if m.Subject == retrieval {
			moved[m.ID] = true
		}
		c.data.Moves = append(c.data.Moves, []any{m.Subject, m.ID, m.State, c.tool(m.Tool), orZero(m.RankBefore), orZero(m.RankAfter),
			c.tool(m.DisplacedBy), shorten(m.Title, c.text), m.Before, m.After, shorten(m.Error, c.text)})
	}
	return moved
}

func orZero(rank *int) int {
	if rank == nil {
		return 0
	}
	return *rank
}

// addQueries adds queries in their order; when there are too many, those that
// moved, errored or failed go first. It returns the ids that it added.
func (c *collector) addQueries(queries []contracts.QuerySummary, moved map[string]bool) map[string]bool {
	kept := queries
	if len(queries) > c.queries {
		kept = slices.Clone(queries)
		slices.SortStableFunc(kept, func(a, b contracts.QuerySummary) int {
			return interest(&b, moved) - interest(&a, moved)
		})
		kept = kept[:c.queries]
		c.data.Cut = append(c.data.Cut, fmt.Sprintf("%d of %d queries are left out of this page, those that were answered well first; report.json has them.", len(queries)-c.queries, len(queries)))
	}
	added := make(map[string]bool, len(kept))
	for i := range kept {
		q := &kept[i]
		added[q.ID] = true
		labels := make([]int, 0, 2*len(q.Labels))
		for _, l := range q.Labels {
			labels = append(labels, c.tool(l.ToolID), l.Relevance)
		}
		ranked := make([]int, 0, len(q.Ranked))
		for _, t := range q.Ranked[:min(len(q.Ranked), c.ranked)] {
			ranked = append(ranked, c.tool(t.ToolID))
		}
		m := q.Metrics
		c.data.Queries = append(c.data.Queries, []any{q.ID, shorten(q.Query, c.text), shorten(q.Notes, c.text), labels, ranked,
			[]int{milli(m.RecallAt["1"]), milli(m.RecallAt["3"]), milli(m.RecallAt["5"]), milli(m.RecallAt["10"]), milli(m.MRR), milli(m.NDCGAt10), milli(m.MAP)},
			q.ErroredRuns, shorten(q.Error, c.text)})
	}
	return added
}

func milli(f float64) int { return int(math.Round(f * 1000)) }

// interest ranks queries by how much a reader wants to see them.
func interest(q *contracts.QuerySummary, moved map[string]bool) int {
	switch {
	case moved[q.ID]:
		return 3
	case q.ErroredRuns > 0:
		return 2
	case q.Metrics.RecallAt["5"] == 0:
		return 1
	}
	return 0
}

func (c *collector) addDetectors(detectors []contracts.DetectorSummary) {
	numbers := make(map[string]int)
	for _, d := range detectors {
		for _, e := range d.PerEntry {
			if _, ok := numbers[e.ID]; !ok {
				numbers[e.ID] = len(c.data.Entries)
				c.data.Entries = append(c.data.Entries, []any{e.ID, e.Label, e.Category})
			}
		}
	}
	for _, d := range detectors {
		verdicts := bytes.Repeat([]byte{'-'}, len(c.data.Entries))
		out := detectorData{Name: d.Score.Detector, Unstable: []int{}, Said: make(map[string][]any)}
		for _, e := range d.PerEntry {
			n := numbers[e.ID]
			verdicts[n] = e.Verdict[0]
			if e.Verdict == contracts.VerdictClean && e.Evidence == "" && e.Error == "" && len(e.Signals) == 0 {
				continue
			}
			signals := make([]string, 0, len(e.Signals))
			for _, s := range e.Signals[:min(len(e.Signals), 10)] {
				signals = append(signals, shorten(s, c.evidence))
			}
			out.Said[fmt.Sprint(n)] = []any{milli(e.Confidence), signals, shorten(e.Evidence, c.evidence), shorten(e.Error, c.evidence)}
		}
		for _, id := range d.Unstable {
			if n, ok := numbers[id]; ok {
				out.Unstable = append(out.Unstable, n)
			}
		}
		out.Verdicts = string(verdicts)
		c.data.Detect = append(c.data.Detect, out)
	}
}
