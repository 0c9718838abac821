package metrics

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of docs/metrics.md anew")

func TestRankingIsDeclaredWhole(t *testing.T) {
	name := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	perfect := EvaluateTopic([]string{"a", "b"}, map[string]int{"a": 2, "b": 1}, 1)
	nothing := EvaluateTopic(nil, map[string]int{"a": 2}, 1)
	var names, labels []string
	for _, m := range Ranking() {
		if !name.MatchString(m.Name) || len(m.Name) > 64 {
			t.Errorf("%q is no name that the schemas allow", m.Name)
		}
		if m.Label == "" || m.Formula == "" || m.Source == "" || m.Compute == nil || m.Shown&inReports == 0 {
			t.Errorf("%s: something is missing: %+v", m.Name, m)
			continue
		}
		if got := m.Compute(nothing); got != m.Worst() {
			t.Errorf("%s: an empty list has %v, and the worst value is %v", m.Name, got, m.Worst())
		}
		if got := m.Compute(perfect); Gain(m.Name, m.Worst(), got) <= 0 || got < 0 || got > 1 {
			t.Errorf("%s: a perfect list has %v, and the worst value is %v", m.Name, got, m.Worst())
		}
		names, labels = append(names, m.Name), append(labels, m.Label)
	}
	slices.Sort(names)
	slices.Sort(labels)
	if len(slices.Compact(slices.Clone(names))) != len(names) || len(slices.Compact(slices.Clone(labels))) != len(labels) {
		t.Errorf("a name or a label stands twice: %v, %v", names, labels)
	}
	if _, ok := RankingByName("recall_at_7"); ok {
		t.Error("there is a metric recall_at_7")
	}
	if Gain("no metric", .25, .5) != .25 {
		t.Error("a metric that is not declared has no direction")
	}
}

// rankingTable is the table of docs/metrics.md.
func rankingTable() string {
	var b strings.Builder
	b.WriteString("| name | label | trec_eval | formula | better | first baseline | source |\n|---|---|---|---|---|---|---|\n")
	for _, m := range Ranking() {
		trec, better, gated := "", "higher", ""
		if m.TREC != "" {
			trec = "`" + m.TREC + "`"
		}
		if m.LowerIsBetter {
			better = "lower"
		}
		if m.Gated {
			gated = "judged"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", m.Name, m.Label, trec, m.Formula, better, gated, m.Source)
	}
	return b.String()
}

// detectionTable is the table of rates of docs/metrics.md.
func detectionTable() string {
	var b strings.Builder
	b.WriteString("| name | label | formula | better | interval | source |\n|---|---|---|---|---|---|\n")
	for _, r := range DetectionRates() {
		better, interval := "higher", ""
		if r.LowerIsBetter {
			better = "lower"
		}
		if r.Interval {
			interval = "Wilson"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", r.Name, r.Label, r.Formula, better, interval, r.Source)
	}
	return b.String()
}

// TestDocsListTheMetrics keeps the generated tables of docs/metrics.md equal to
// the declarations. Run with -update to write them.
func TestDocsListTheMetrics(t *testing.T) {
	page := filepath.Join("..", "docs", "metrics.md")
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for name, table := range map[string]string{"ranking": rankingTable(), "detection": detectionTable()} {
		begin, end := "<!-- generated: "+name+" -->\n", "<!-- end: "+name+" -->"
		head, rest, ok := strings.Cut(text, begin)
		old, tail, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Fatalf("%s has no place for the table %s: write %s and %s", page, name, begin, end)
		}
		if old != table && !*update {
			t.Errorf("%s: the table %s is not what the declarations give; run go test ./metrics -run TestDocsListTheMetrics -update", page, name)
		}
		text = head + begin + table + end + tail
	}
	if *update {
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
