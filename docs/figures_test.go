package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

// figures are sentences of pages and the facts that they hold, computed from
// the data anew. A sentence may be broken over lines anywhere.
func figures(t *testing.T) map[string][]string {
	corpus := dataset[contracts.Corpus](t, "corpus_v1.json")
	golden := dataset[contracts.GoldenSet](t, "golden_v1.json")
	security := dataset[contracts.SecurityCorpus](t, "security_v1.json")

	servers := map[string]int{}
	for _, tool := range corpus.Tools {
		servers[tool.Server]++
	}
	var sizes []int
	for _, n := range servers {
		sizes = append(sizes, n)
	}
	slices.Sort(sizes)

	grades, relevant, best, tools := map[int]int{}, map[int]int{}, 0, map[string]int{}
	labels := 0
	for _, q := range golden.Queries {
		n, right := 0, 0
		for _, l := range q.Labels {
			labels++
			grades[l.Relevance]++
			if l.Relevance > 0 {
				n++
			}
			if l.Relevance == 2 {
				right++
				tools[l.ToolID]++
			}
		}
		relevant[n]++
		if right > 1 {
			best++
		}
	}
	perTool := map[int]int{}
	for _, n := range tools {
		perTool[n]++
	}

	attacks, hard := map[string]int{}, map[string]int{}
	var malicious, negatives, plain int
	for _, e := range security.Entries {
		switch {
		case e.Label == contracts.LabelMalicious:
			malicious++
			attacks[e.Category]++
		case e.HardNegativeFor != "":
			negatives++
			hard[e.HardNegativeFor]++
		default:
			plain++
		}
	}
	var rows []string
	for _, category := range contracts.AttackCategories {
		rows = append(rows, fmt.Sprintf("| %d | %d |", attacks[category], hard[category]))
	}
	scanner := scannerFlagged(t, "baseline_v1.json")

	cases := dataset[contracts.CaseSet](t, "cases_v1.json")
	none, filled, both, ordered := 0, 0, 0, 0
	expected, expectedServers, tags := map[string]bool{}, map[string]bool{}, map[string]int{}
	for _, c := range cases.Cases {
		switch {
		case len(c.Expected) == 0:
			none++
		case len(c.Expected) == 2:
			both++
		}
		if c.Ordered {
			ordered++
		}
		if slices.ContainsFunc(c.Expected, func(e contracts.ExpectedCall) bool { return e.Parameters != nil }) {
			filled++
		}
		for _, e := range c.Expected {
			expected[e.Server+":"+e.Tool], expectedServers[e.Server] = true, true
		}
		for _, tag := range c.Tags {
			tags[tag]++
		}
	}

	data := fmt.Sprintf("%d tools", len(corpus.Tools))
	entries := fmt.Sprintf("%d attacks, %d hard negatives, %d plain tools", malicious, negatives, plain)
	return map[string][]string{
		"../datasets/DATASHEET-retrieval.md": {
			fmt.Sprintf("%d tools of %d invented MCP servers", len(corpus.Tools), len(servers)),
			fmt.Sprintf("%d queries with %s graded judgements", len(golden.Queries), thousands(labels)),
			fmt.Sprintf("| tools per server | %d to %d, median %d |", sizes[0], sizes[len(sizes)-1], sizes[len(sizes)/2]),
			fmt.Sprintf("| %d |", grades[2]), fmt.Sprintf("| %d |", grades[1]), fmt.Sprintf("| %s |", thousands(grades[0])),
			fmt.Sprintf("| queries with 1 / 2 / 3 / 4 relevant tools | %d / %d / %d / %d |", relevant[1], relevant[2], relevant[3], relevant[4]),
			fmt.Sprintf("| queries with more than one tool of grade 2 | %d |", best),
			fmt.Sprintf("all %d: %d for one query, %d for two, %d for three", len(tools), perTool[1], perTool[2], perTool[3]),
		},
		"../datasets/DATASHEET-security.md": append(rows,
			fmt.Sprintf("%d definitions of MCP tools", len(security.Entries)),
			fmt.Sprintf("| attacks | | %d | %d |", malicious, negatives),
			fmt.Sprintf("| `benign` | plain tools of many kinds | %d | |", plain)),
		"../datasets/DATASHEET-cases.md": {
			fmt.Sprintf("%d cases over the %s", len(cases.Cases), data),
			fmt.Sprintf("| cases that expect a tool | %d, of which %d expect two calls (%d in a given order) |", len(cases.Cases)-none, both, ordered),
			fmt.Sprintf("| cases that expect no tool | %d |", none), fmt.Sprintf("| cases that say which parameters are right | %d |", filled),
			fmt.Sprintf("%d of %d servers", len(expected), len(expectedServers)),
			fmt.Sprintf("| `literal` | %d |", tags["literal"]), fmt.Sprintf("| `normalised` | %d |", tags["normalised"]),
			fmt.Sprintf("| %d, %d, %d, %d |", tags["date"], tags["time"], tags["unit"], tags["enum"]),
			fmt.Sprintf("| `inferred` | %d |", tags["inferred"]), fmt.Sprintf("| `near-duplicate` | %d |", tags["near-duplicate"]),
			fmt.Sprintf("| `two-calls` | %d |", tags["two-calls"]), fmt.Sprintf("| `no-tool` | %d |", tags["no-tool"]),
		},
		"scanner/peers.md": {entries, fmt.Sprintf("`baseline_v1.json`, has %d of %d, %d of %d and %d of %d",
			scanner.attacks, malicious, scanner.hardNegatives, negatives, scanner.plain, plain)},
	}
}

// flagged counts the entries of the security corpus that a detector flagged.
type flagged struct{ attacks, hardNegatives, plain int }

// scannerFlagged returns what the detector scanner flagged by the figures of a baseline.
func scannerFlagged(t *testing.T, baseline string) flagged {
	t.Helper()
	var n flagged
	for _, d := range dataset[contracts.Baseline](t, baseline).PerDetector {
		if d.Score.Detector != "scanner" {
			continue
		}
		n.attacks = d.Score.TP
		for _, c := range d.Score.PerCategory {
			switch c.Category {
			case contracts.CategoryHardNegative:
				n.hardNegatives = c.Flagged
			case contracts.CategoryBenign:
				n.plain = c.Flagged
			}
		}
	}
	return n
}

// TestFigures holds figures in pages to the first datasets, which are frozen and kept for
// comparison.
func TestFigures(t *testing.T) {
	level.Thorough(t, "it measures frozen data again")
	compare(t, figures(t))
}

// compare reports the sentences that a page lacks.
func compare(t *testing.T, pages map[string][]string) {
	t.Helper()
	for page, wanted := range pages {
		text, err := os.ReadFile(filepath.FromSlash(page))
		if err != nil {
			t.Fatal(err)
		}
		flowing := strings.Join(strings.Fields(string(text)), " ")
		for _, want := range wanted {
			if !strings.Contains(flowing, strings.Join(strings.Fields(want), " ")) {
				t.Errorf("%s does not have %q, the present figures of the data", page, want)
			}
		}
	}
}

func dataset[T any](t *testing.T, name string) T {
	t.Helper()
	v, err := contracts.Read[T](filepath.Join("..", "datasets", name))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// thousands writes a number below a million as the pages do.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
