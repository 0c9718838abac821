package quality

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

func TestNearDuplicates(t *testing.T) {
	texts := []string{
		"Lists the open issues of a repository, newest first.",
		"Sends a message to a channel.",
		"lists the open issues of a repository (newest first)",
		"",
		"  !? ",
		"Lists the closed pull requests of a project, with their authors.",
		"ab", "ab",
	}
	var got []string
	for _, p := range nearDuplicates(texts, 0.8) {
		got = append(got, fmt.Sprint(p.first, "-", p.second))
	}
	if want := []string{"0-2", "6-7"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Every pair above the threshold is found, as by comparing all with all.
func TestNearDuplicatesMissFew(t *testing.T) {
	var texts []string
	for i := range 45 {
		words := strings.Fields("list every open issue of one repository that a person has written since the last release of the program and sort them by age")
		words[i%len(words)] = fmt.Sprint("word", i)
		if i%3 == 0 {
			words = append(words, fmt.Sprintf("and print their number %d as a table for the report", i))
		}
		texts = append(texts, strings.Join(words, " "))
	}
	found := map[[2]int]bool{}
	for _, p := range nearDuplicates(texts, 0.8) {
		found[[2]int{p.first, p.second}] = true
	}
	sets := make([][]uint64, len(texts))
	for i, text := range texts {
		sets[i] = runs(text)
	}
	all, missed := 0, 0
	for i := range sets {
		for j := range i {
			if jaccard(sets[j], sets[i]) >= 0.8 {
				if all++; !found[[2]int{j, i}] {
					missed++
				}
			}
		}
	}
	if all < 50 || missed*100 > all {
		t.Errorf("missed %d of %d pairs", missed, all)
	}
}

// 20,000 equal texts would give 200 million pairs.
func TestManyEqualTexts(t *testing.T) {
	texts := slices.Repeat([]string{"the same text again and again"}, 20_000)
	if n := len(nearDuplicates(texts, 0.8)); n != 19_999 {
		t.Errorf("%d pairs", n)
	}
}

func TestPatterns(t *testing.T) {
	for text, want := range map[string]string{
		"write to jane.doe@corp-mail.io":             "an e-mail address",
		"write to jane@example.com or a@b.test":      "",
		"call +44 20 7946 0018":                      "a telephone number",
		"call +1 212-555-0123 or +49 171 392 0017":   "",
		"pay with 4111 1111 1111 1111":               "a payment card number",
		"order 4111 1111 1111 1112":                  "",
		"transfer to DE89 3704 0044 0532 0130 00":    "an IBAN",
		"part DE88 3704 0044 0532 0130 00":           "",
		"ssn 078-05-1120":                            "a US social security number",
		"key AKIAIOSFODNN7ABCDEFG":                   "a secret key",
		"key AKIAIOSFODNN7EXAMPLE":                   "",
		"what the fuck":                              `the word "fuck"`,
		"the Scunthorpe train is en retard at 10:20": "",
		"between 2026-01-31 and 2026-02-28":          "",
	} {
		var r Report
		r.checkText("e", text)
		got := ""
		for _, f := range r.Findings {
			got += f.Message
		}
		if want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func findings(r *Report, check string) (list []string) {
	for _, f := range r.Findings {
		if f.Check == check {
			list = append(list, f.Entry+": "+f.Message)
		}
	}
	return list
}

func row(t *testing.T, r *Report, table, name string) float64 {
	t.Helper()
	for _, tb := range r.Tables {
		for _, row := range tb.Rows {
			if tb.Name == table && row.Name == name {
				return row.Value
			}
		}
	}
	t.Errorf("no %s in %s", name, table)
	return 0
}

var corpus = contracts.Corpus{Version: "v1", GeneratedFrom: contracts.GeneratedFrom{Source: "the test"}, Tools: []contracts.Tool{
	{ToolID: "a:list", Server: "a", Tool: "list", Description: "Lists open issues of a repository, with their authors and labels, the newest first.", Schema: []byte(`{"properties":{"x":{"description":"a"},"y":{}}}`)},
	{ToolID: "b:list", Server: "b", Tool: "list", Description: "Lists the open issues of a repository, with their authors and labels, the newest first.", Schema: []byte(`{}`), Annotations: []byte(`{"readOnlyHint":true}`)},
}}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	data, err := contracts.Encode("file.json", v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCorpus(t *testing.T) {
	r := Corpus("corpus.json", encoded(t, corpus), corpus)
	if got := findings(r, "near-duplicate"); len(got) != 1 || !strings.HasPrefix(got[0], "b:list: its description resembles that of a:list (0.") {
		t.Errorf("%v", got)
	}
	if n := row(t, r, "size", "described parameters"); n != 1 || row(t, r, "tools with", "annotations") != 1 || row(t, r, "size", "servers") != 2 {
		t.Errorf("%+v", r.Tables)
	}
	if got := findings(r, "round-trip"); len(got) > 0 {
		t.Errorf("%v", got)
	}
}

func TestGolden(t *testing.T) {
	golden := contracts.GoldenSet{Version: "v1", CorpusVersion: "v1", TestShare: 0.5}
	add := func(id, text string, relevance int) {
		golden.Queries = append(golden.Queries, contracts.Query{ID: id, Query: text, Labels: []contracts.Label{{ToolID: "a:list", Relevance: relevance}}})
	}
	// The ids are chosen so that both splits occur.
	dev, test := "", ""
	for i := 0; dev == "" || test == ""; i++ {
		if id := fmt.Sprint("q", i); golden.Split(id) == contracts.SplitDev {
			dev = id
		} else {
			test = id
		}
	}
	add(dev, "which bugs has nobody mended yet, please?", 2)
	add(test, "Which bugs has nobody mended yet please", 1)
	add("borrowed", "list the open issues of my repository", 2)
	golden.Queries = append(golden.Queries, contracts.Query{ID: "none", Query: "sing", Language: "de", Tags: []string{contracts.TagIndirect}, Expects: contracts.ExpectsNone})
	r := Golden("golden.json", encoded(t, golden), golden, corpus)
	if got := findings(r, "leak"); len(got) != 1 || !strings.Contains(got[0], "it is in the split test") {
		t.Errorf("%v", got)
	}
	if got := findings(r, "overlap"); len(got) != 1 || !strings.HasPrefix(got[0], "borrowed: 100% of its words") && !strings.HasPrefix(got[0], "borrowed: 80% of") {
		t.Errorf("%v", got)
	}
	if row(t, r, "queries by kind", "expects none") != 1 || row(t, r, "queries by language", "en") != 3 || row(t, r, "labels by grade", "grade 2") != 2 {
		t.Errorf("%+v", r.Tables)
	}
	if got := findings(r, "round-trip"); len(got) > 0 {
		t.Errorf("%v", got)
	}
}

func TestSecurityTwinsMayBeAlike(t *testing.T) {
	entry := func(id, label, twin string) contracts.SecurityEntry {
		return contracts.SecurityEntry{ID: id, Label: label, Category: "benign", Twin: twin, Description: "Sends the weekly report to the manager by mail, and keeps a copy of it.",
			Provenance: contracts.Provenance{Source: "the test", License: "MIT"}}
	}
	s := contracts.SecurityCorpus{Version: "v1", GeneratedFrom: contracts.GeneratedFrom{Source: "the test"}, Entries: []contracts.SecurityEntry{
		entry("a", contracts.LabelMalicious, "b"), entry("b", contracts.LabelBenign, "a"), entry("c", contracts.LabelBenign, ""),
	}}
	r := Security("security.json", encoded(t, s), s)
	if got := findings(r, "near-duplicate"); len(got) != 1 || !strings.HasPrefix(got[0], "c: ") {
		t.Errorf("%v", got)
	}
}

func TestRoundTrip(t *testing.T) {
	data := encoded(t, corpus)
	for what, tc := range map[string]struct {
		data []byte
		want string
	}{
		"as it is":         {data, ""},
		"with escapes":     {[]byte(strings.Replace(string(data), "Lists open", `L\u0069sts open`, 1)), ""},
		"with other space": {[]byte(strings.Replace(string(data), "\n  {", "\n   {", 1)), "the file is not laid out as this program writes it, first in line 7"},
		"with a number that changes": {[]byte(strings.Replace(string(data), `"source": "the test"`, `"source": "the test", "note": ""`, 1)),
			"reading and writing the file changes its content, first in line 4"},
	} {
		var r Report
		checkRoundTrip(&r, "corpus.json", tc.data, corpus)
		switch {
		case tc.want == "" && len(r.Findings) > 0:
			t.Errorf("%s: %v", what, r.Findings)
		case tc.want != "" && (len(r.Findings) != 1 || r.Findings[0].Message != tc.want):
			t.Errorf("%s: %v, want %s", what, r.Findings, tc.want)
		}
	}
}
