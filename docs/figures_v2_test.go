package docs_test

import (
	"fmt"
	"slices"

	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

// TestFiguresOfTheSecondDatasets is TestFigures for the datasheets of version 2, and for the pages
// that speak about the pipeline's default data.
func TestFiguresOfTheSecondDatasets(t *testing.T) {
	corpus, golden := dataset[contracts.Corpus](t, "corpus_v2.json"), dataset[contracts.GoldenSet](t, "golden_v2.json")
	answered := 0
	for _, q := range golden.Queries {
		answered += count(q.Expects == "")
	}
	security := tallySecurity(dataset[contracts.SecurityCorpus](t, "security_v2.json"))
	scanner := scannerFlagged(t, "baseline_v2.json")
	compare(t, map[string][]string{
		"tutorial.md": {
			fmt.Sprintf("%d frozen tools, sent it %d queries three times, sent %d tool definitions", len(corpus.Tools), len(golden.Queries), security.entries),
			fmt.Sprintf("%d of the queries are unanswerable: no tool is right. The ranking metrics are means over the other %d.",
				len(golden.Queries)-answered, answered),
		},
		"explanation/scanner.md": {fmt.Sprintf("%d of %d attacks caught, and %d of %d innocent tools flagged",
			scanner.attacks, security.malicious, scanner.hardNegatives+scanner.plain, security.negatives+security.plain)},
		"scanner/peers.md": {fmt.Sprintf("the current baseline has %d of %d attacks, %d of %d hard negatives and %d of %d plain tools",
			scanner.attacks, security.malicious, scanner.hardNegatives, security.negatives, scanner.plain, security.plain)},
		"reference/adapters.md":                 {fmt.Sprintf("%d tools, %d queries with a right tool", len(corpus.Tools), answered)},
		"../datasets/DATASHEET-retrieval-v2.md": retrievalFigures(t),
		"../datasets/DATASHEET-security-v2.md":  securityFigures(t),
		"../datasets/DATASHEET-cases-v2.md":     caseFigures(t),
	})
}

func retrievalFigures(t *testing.T) []string {
	corpus := dataset[contracts.Corpus](t, "corpus_v2.json")
	golden := dataset[contracts.GoldenSet](t, "golden_v2.json")
	servers := map[string]int{}
	outputs, annotated, empty := 0, 0, 0
	for _, tool := range corpus.Tools {
		servers[tool.Server]++
		outputs += count(len(tool.OutputSchema) > 0)
		annotated += count(len(tool.Annotations) > 0)
		empty += count(tool.Description == "")
	}
	grades, relevant, tags, right := map[int]int{}, map[int]int{}, map[string]int{}, map[contracts.ToolID]bool{}
	labels, none, foreign := 0, 0, map[string]int{}
	for _, q := range golden.Queries {
		n := 0
		for _, l := range q.Labels {
			labels++
			grades[l.Relevance]++
			n += count(l.Relevance > 0)
			if l.Relevance == 2 {
				right[l.ToolID] = true
			}
		}
		relevant[min(n, 4)]++
		for _, tag := range q.Tags {
			tags[tag]++
		}
		none += count(q.Expects != "")
		if q.Language != "" {
			foreign[q.Language]++
		}
	}
	inOthers := 0
	for _, n := range foreign {
		inOthers += n
	}
	return []string{
		fmt.Sprintf("%d tools of %d invented MCP servers", len(corpus.Tools), len(servers)),
		fmt.Sprintf("%d queries with %s graded judgements", len(golden.Queries), thousands(labels)),
		fmt.Sprintf("| %d |", grades[2]), fmt.Sprintf("| %d |", grades[1]), fmt.Sprintf("| %s |", thousands(grades[0])),
		fmt.Sprintf("| tools with an output schema / with annotations | %d / %d |", outputs, annotated),
		fmt.Sprintf("%d are empty", empty),
		fmt.Sprintf("| queries with 1 / 2 / 3 / 4 or more relevant tools | %d / %d / %d / %d |", relevant[1], relevant[2], relevant[3], relevant[4]),
		fmt.Sprintf("(`expects: none`) | %d |", none),
		fmt.Sprintf("it is named in the notes | %d |", tags["hard_negative"]),
		fmt.Sprintf("more than one tool of grade 2 | %d |", tags["several_answers"]),
		fmt.Sprintf("the means is not | %d |", tags["indirect"]),
		fmt.Sprintf("telegraphic form | %d |", tags["misspelt"]),
		fmt.Sprintf("| queries in %d other languages | %d |", len(foreign), inOthers),
		fmt.Sprintf("| %d of %d |", len(right), len(corpus.Tools)),
	}
}

func securityFigures(t *testing.T) []string {
	corpus := tallySecurity(dataset[contracts.SecurityCorpus](t, "security_v2.json"))
	team := tallySecurity(dataset[contracts.SecurityCorpus](t, "security_redteam1.json"))
	second := tallySecurity(dataset[contracts.SecurityCorpus](t, "security_redteam2.json"))
	var want []string
	for _, category := range contracts.AttackCategories {
		want = append(want, fmt.Sprintf("| `%s` | %d | %d | %d | %d | %d | %d |", category,
			corpus.attacks[category], corpus.hard[category], team.attacks[category], team.hard[category], second.attacks[category], second.hard[category]))
	}
	return append(want,
		fmt.Sprintf("%d definitions of MCP tools: %d attacks, each with an innocent twin", corpus.entries, corpus.malicious),
		fmt.Sprintf("%d definitions by another author: %d attacks and %d innocent ones", team.entries, team.malicious, team.entries-team.malicious),
		fmt.Sprintf("%d definitions by another author: %d attacks and %d innocent ones", second.entries, second.malicious, second.entries-second.malicious),
		fmt.Sprintf("| all | %d | %d | %d | %d | %d | %d |", corpus.malicious, corpus.negatives, team.malicious, team.negatives, second.malicious, second.negatives),
		fmt.Sprintf("| `benign` | | %d | | %d | | %d |", corpus.plain, team.plain, second.plain),
		fmt.Sprintf("%d of the %d twins still look", corpus.hardTwins, corpus.twins/2),
		fmt.Sprintf("%d low, %d medium, %d high, %d critical", corpus.severity["low"], corpus.severity["medium"], corpus.severity["high"], corpus.severity["critical"]),
		fmt.Sprintf("the description (%d), a parameter (%d), the instructions of the server (%d), an output schema (%d), annotations (%d), an enum (%d) or the name (%d)",
			corpus.carrier["description"], corpus.carrier["parameter"], corpus.carrier["server_instructions"], corpus.carrier["output_schema"],
			corpus.carrier["annotations"], corpus.carrier["enum"], corpus.carrier["name"]),
	)
}

type securityTally struct {
	entries, malicious, negatives, plain, twins, hardTwins int
	attacks, hard, severity, carrier                       map[string]int
}

func tallySecurity(corpus contracts.SecurityCorpus) securityTally {
	n := securityTally{entries: len(corpus.Entries), attacks: map[string]int{}, hard: map[string]int{}, severity: map[string]int{}, carrier: map[string]int{}}
	for _, e := range corpus.Entries {
		n.twins += count(e.Twin != "")
		switch {
		case e.Label == contracts.LabelMalicious:
			n.malicious++
			n.attacks[e.Category]++
			n.severity[e.Severity]++
			n.carrier[e.Carrier]++
		case e.HardNegativeFor != "":
			n.negatives++
			n.hard[e.HardNegativeFor]++
			n.hardTwins += count(e.Twin != "")
		default:
			n.plain++
		}
	}
	return n
}

func caseFigures(t *testing.T) []string {
	cases := dataset[contracts.CaseSet](t, "cases_v2.json").Cases
	none, both, ordered, filled, some := 0, 0, 0, 0, 0
	tools, servers, tags := map[string]bool{}, map[string]bool{}, map[string]int{}
	for _, c := range cases {
		none += count(len(c.Expected) == 0)
		both += count(len(c.Expected) == 2)
		ordered += count(c.Ordered)
		some += count(len(c.Servers) > 0)
		filled += count(slices.ContainsFunc(c.Expected, func(e contracts.ExpectedCall) bool { return e.Parameters != nil }))
		for _, e := range c.Expected {
			tools[e.Server+":"+e.Tool], servers[e.Server] = true, true
		}
		for _, tag := range c.Tags {
			tags[tag]++
		}
	}
	want := []string{
		fmt.Sprintf("%d cases over", len(cases)),
		fmt.Sprintf("| cases that expect a tool | %d, of which %d expect two calls (%d in a given order) |", len(cases)-none, both, ordered),
		fmt.Sprintf("| cases that expect no tool | %d |", none),
		fmt.Sprintf("| cases that say which parameters are right | %d |", filled),
		fmt.Sprintf("%d of %d servers", len(tools), len(servers)),
		fmt.Sprintf("| cases that offer the tools of some servers only | %d |", some),
		fmt.Sprintf("| %d, %d, %d, %d |", tags["date"], tags["time"], tags["unit"], tags["enum"]),
		fmt.Sprintf("| %d, %d, %d | the author's estimate |", tags["easy"], tags["medium"], tags["hard"]),
	}
	for _, tag := range []string{"literal", "normalised", "inferred", "near-duplicate", "two-calls", "no-tool"} {
		want = append(want, fmt.Sprintf("| `%s` | %d |", tag, tags[tag]))
	}
	return want
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
