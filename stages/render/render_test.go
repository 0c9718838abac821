package render

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/junit"
	"github.com/touchstone-eval/touchstone/internal/report/summary"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
)

func TestRun(t *testing.T) {
	r := sampleReport(t, 50)
	dir := t.TempDir()
	o := Options{Aggregate: filepath.Join(dir, "aggregate.json"), Gate: filepath.Join(dir, "gate.json")}
	if err := contracts.Write(o.Aggregate, r.Aggregate); err != nil {
		t.Fatal(err)
	}
	if err := contracts.Write(o.Gate, r.Gate); err != nil {
		t.Fatal(err)
	}
	var first map[string][]byte
	for _, out := range []string{"one", "two"} {
		cmd := Command()
		cmd.SetArgs([]string{"--aggregate", o.Aggregate, "--gate", o.Gate, "--out", filepath.Join(dir, out)})
		if err := cmd.Execute(); err != nil {
			t.Fatal(err)
		}
		files := make(map[string][]byte)
		for _, f := range formats {
			data, err := os.ReadFile(filepath.Join(dir, out, f.file))
			if err != nil {
				t.Fatal(err)
			}
			files[f.file] = data
		}
		if first == nil {
			first = files
			continue
		}
		for name, data := range files {
			if !bytes.Equal(data, first[name]) {
				t.Errorf("%s differs from one run to the next", name)
			}
		}
	}
	back, err := contracts.Read[contracts.Report](filepath.Join(dir, "one", "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(back.Aggregate.Retrieval.PerQuery) != 50 || back.Gate.Passed {
		t.Errorf("report.json lost something")
	}

	if err := os.WriteFile(o.Gate, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	o.Out = filepath.Join(dir, "three")
	if err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), "gate.json") {
		t.Errorf("a broken gate: %v", err)
	}
	if _, err := os.Stat(o.Out); err == nil {
		t.Error("a refused run left something behind")
	}
}

// script returns the content of a data script element.
func script(t *testing.T, page []byte, id string) []byte {
	t.Helper()
	m := regexp.MustCompile(`(?s)<script id="`+id+`" type="[a-z/]+">(.*?)</script>`).FindAllSubmatch(page, -1)
	if len(m) != 1 {
		t.Fatalf("%d elements with the id %s", len(m), id)
	}
	return m[0][1]
}

func TestPageIsInert(t *testing.T) {
	r := sampleReport(t, 20)
	for i := range r.Gate.Checks {
		r.Gate.Checks[i].Rule = hostile
	}
	r.Gate.Checks[0].Subject = hostile
	r.Aggregate.Proxy = hostile
	r.Aggregate.Degraded = hostile
	r.Aggregate.Baseline = contracts.BaselineStatus{Reason: hostile}
	r.Aggregate.Validation.Warnings = []string{hostile}
	r.Aggregate.Detectors[0].Score.Detector = hostile
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	page, err = WithRun(page, sampleRun())
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(page, []byte("</script>")); n != 5 {
		t.Errorf("%d script elements end in the page", n)
	}
	if bytes.Contains(page, []byte("<img")) || bytes.Contains(script(t, page, "touchstone-queries"), []byte("\u2028")) {
		t.Error("a string of the data is in the page as markup")
	}
	for _, id := range []string{"touchstone-data", "touchstone-run", "touchstone-moves", "touchstone-queries"} {
		parts := [][]byte{script(t, page, id)}
		if id == "touchstone-moves" || id == "touchstone-queries" {
			parts = bytes.Split(parts[0], []byte("\n"))
		}
		for _, data := range parts {
			if bytes.ContainsAny(data, "<>&") || !json.Valid(data) {
				t.Errorf("%s is not inert JSON", id)
			}
		}
	}
	if regexp.MustCompile(`(?i)(src|href)="?(https?:)?//`).Match(page) {
		t.Error("the page refers to something outside")
	}
}

func TestWithRun(t *testing.T) {
	page, err := HTML(sampleReport(t, 5))
	if err != nil {
		t.Fatal(err)
	}
	if got := script(t, page, "touchstone-run"); string(got) != "null" {
		t.Errorf("before: %s", got)
	}
	once, err := WithRun(page, sampleRun())
	if err != nil {
		t.Fatal(err)
	}
	twice, err := WithRun(once, sampleRun())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(once, twice) {
		t.Error("a second call does not replace the first")
	}
	var run contracts.RunSummary
	if err := json.Unmarshal(script(t, once, "touchstone-run"), &run); err != nil || run.Hits != 5 {
		t.Errorf("%+v, %v", run, err)
	}
	for _, bad := range []string{"", "<html></html>", runOpen + "null"} {
		if _, err := WithRun([]byte(bad), sampleRun()); err == nil {
			t.Errorf("took %q", bad)
		}
	}
}

func TestAnnotations(t *testing.T) {
	r := sampleReport(t, 200)
	for len(r.Gate.Checks) < 30 {
		r.Gate.Checks = append(r.Gate.Checks, r.Gate.Checks[2])
	}
	lines := strings.Split(strings.TrimSuffix(string(Annotations(r)), "\n"), "\n")
	counts := make(map[string]int)
	last := make(map[string]string)
	for _, line := range lines {
		m := regexp.MustCompile(`^::(error|warning|notice) title=([^:,\r]*)::([^\r]*)$`).FindStringSubmatch(line)
		if m == nil {
			t.Errorf("not a workflow command: %q", line)
			continue
		}
		counts[m[1]]++
		last[m[1]] = m[3]
	}
	if counts["error"] != 10 || counts["warning"] != 10 || counts["notice"] != 1 {
		t.Errorf("%v", counts)
	}
	// 26 checks fail and 14 moves are bad; nine of each are shown.
	if !strings.HasPrefix(last["error"], "17 more are not shown here") || !strings.HasPrefix(last["warning"], "5 more are not shown here") {
		t.Errorf("%q", last)
	}

	one := contracts.Report{Gate: contracts.Gate{Changes: []contracts.Change{{Subject: "a:b,c", ID: "q1", State: contracts.ChangeErrored, Title: hostile, Error: "x"}}}}
	got := string(Annotations(one))
	if strings.Count(got, "\n") != 2 || strings.ContainsAny(got, "\x01\x1b") || !strings.Contains(got, "%250A%0D%0A::error::x") {
		t.Errorf("%q", got)
	}

	r.Gate.Passed, r.Gate.Checks, r.Gate.Changes = true, r.Gate.Checks[:1], nil
	if got := string(Annotations(r)); got != "::notice title=Touchstone%3A the gate passed::The only check passed. No query or entry changed against the baseline.\n" {
		t.Errorf("%q", got)
	}
}

func TestMarkdown(t *testing.T) {
	r := sampleReport(t, 200)
	got := string(Markdown(r))
	for _, want := range []string{CommentMarker + "\n", "❌ Touchstone: failed", "2 of 6 checks fail", "| nDCG@10 | 0.750 | ≥ 0.771 | ❌ fails |", "| nDCG@10 | 0.750 | 0.700 to 0.795 | 0.791 | ▼ −0.041 |", "~ −0.004", "▲ +0.038", "replaced by trellis"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for _, bad := range []string{"<script", "<img", "@someone", "#1 ", "`", "left out"} {
		if strings.Contains(strings.ReplaceAll(got, CommentMarker, ""), bad) {
			t.Errorf("%q is in the text", bad)
		}
	}

	big := sampleReport(t, 10_000)
	for i, q := range big.Aggregate.Retrieval.PerQuery {
		big.Gate.Changes = append(big.Gate.Changes, contracts.Change{Subject: summary.Retrieval, ID: q.ID, State: contracts.ChangeNew, Title: fmt.Sprint(i, strings.Repeat("😀<", 300))})
	}
	got = string(Markdown(big))
	if len(got) >= 65536 || !utf8.ValidString(got) {
		t.Errorf("%d bytes", len(got))
	}
	m := regexp.MustCompile(`_(\d+) more rows are left out here`).FindStringSubmatch(got)
	shown := strings.Count(got, "\n| new |") + strings.Count(got, "\n| regressed |") + strings.Count(got, "\n| failed |") + strings.Count(got, "\n| fixed |") + strings.Count(got, "\n| removed |")
	if m == nil || m[1] != fmt.Sprint(len(big.Gate.Changes)-shown) || !strings.HasSuffix(got, "</sub>\n") {
		t.Errorf("cut %v, shown %d of %d, end %q", m, shown, len(big.Gate.Changes), got[len(got)-100:])
	}
}

func TestTextOfStrangersInMarkdown(t *testing.T) {
	for text, want := range map[string]string{
		"plain text-with 1.5 of-it":    "plain text-with 1.5 of-it",
		"ask @octocat about #7, GH-12": "ask @<!-- -->octocat about #<!-- -->7, GH<!-- -->-12",
		"pay $5 or $6":                 "pay <span>$</span>5 or <span>$</span>6",
		"www.example.com":              "www&#46;example.com",
		"https://example.com":          "https&#58;//example.com",
		"a\u202eb\u2066c":              "a�b�c",
		"<b>|`x`\n\x1b[0m":             "&#60;b&#62;&#124;&#96;x&#96; �&#91;0m",
	} {
		if got := wording.Markdown(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestJUnit(t *testing.T) {
	r := sampleReport(t, 200)
	data, err := JUnit(r)
	if err != nil {
		t.Fatal(err)
	}
	dec := xml.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	var s junit.Suites
	if err := xml.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	if s.Tests != len(r.Gate.Checks)+len(r.Gate.Changes)+len(r.Aggregate.Selection.Models) || len(s.Suites[0].Cases) != len(r.Gate.Checks) {
		t.Errorf("%d cases", s.Tests)
	}
	// Two checks fail. They name q00000, q00005 and s007, and q00002, which
	// errored.
	if s.Failures != 5 || s.Errors != 1 {
		t.Errorf("%d failures, %d errors", s.Failures, s.Errors)
	}
	for _, c := range data {
		if c < 0x20 && c != '\n' && c != '\t' && c != '\r' {
			t.Fatalf("control character %#x", c)
		}
	}

	r.Gate.Passed = true
	for i := range r.Gate.Checks {
		r.Gate.Checks[i].Passed = true
	}
	data, err = JUnit(r)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(data, []byte("<failure")) || bytes.Contains(data, []byte("<error")) {
		t.Error("the gate passed, but junit.xml does not agree")
	}
}

func TestVerdict(t *testing.T) {
	check := func(passed bool) contracts.GateCheck {
		return contracts.GateCheck{Subject: summary.Retrieval, Metric: "mrr", Value: 0.5, Bound: 0.6, Comparison: ">=", Passed: passed}
	}
	for _, tc := range []struct {
		gate contracts.Gate
		want string
	}{
		{contracts.Gate{Passed: true, Checks: []contracts.GateCheck{check(true)}}, "The only check passed."},
		{contracts.Gate{Passed: true, Checks: []contracts.GateCheck{check(true), check(true)}}, "All 2 checks passed."},
		{contracts.Gate{Checks: []contracts.GateCheck{check(false), check(true)}}, "1 of 2 checks fails: MRR is 0.500, must be ≥ 0.600."},
		{contracts.Gate{Checks: []contracts.GateCheck{check(false)}}, "The only check fails: MRR is 0.500, must be ≥ 0.600."},
		{contracts.Gate{Checks: []contracts.GateCheck{check(false), check(false), check(false), check(false), check(false)}}, "5 of 5 checks fail: MRR is 0.500, must be ≥ 0.600; MRR is 0.500, must be ≥ 0.600; MRR is 0.500, must be ≥ 0.600; and 2 more."},
		{contracts.Gate{}, "The gate judged nothing, because the baseline has no threshold for these figures."},
	} {
		if got := verdict(&tc.gate); got != tc.want {
			t.Errorf("got %s, want %s", got, tc.want)
		}
	}
}

func TestDegraded(t *testing.T) {
	r := sampleReport(t, 20)
	for _, how := range []string{"", "reverse-top"} {
		r.Aggregate.Degraded = how
		page, err := HTML(r)
		if err != nil {
			t.Fatal(err)
		}
		banner, _, _ := bytes.Cut(page, []byte("</section>"))
		for name, text := range map[string]string{"report.html": string(banner), "report.md": string(Markdown(r)), "annotations.txt": string(Annotations(r))} {
			text = strings.ReplaceAll(text, "&#58;", ":")
			if got := strings.Contains(text, "The index was degraded on purpose: reverse-top."); got != (how != "") {
				t.Errorf("degraded %q, but %s has the sentence: %v", how, name, got)
			}
		}
	}
	if got := string(Annotations(r)); strings.Count(got, "::notice ") != 2 {
		t.Errorf("%q", got)
	}
}

// Answers that could not be scored are reported in the formats for people, at
// limited length.
func TestAnswersThatCannotBeScoredAreTold(t *testing.T) {
	for _, strange := range []bool{false, true} {
		r := sampleReport(t, 40)
		r.Aggregate.Retrieval.Errored = 0
		if strange {
			r.Aggregate.Retrieval.Errored, r.Aggregate.Retrieval.Anomalous = 3, 2
			r.Aggregate.Retrieval.PerQuery[4].Anomalies = []string{"answered 12 tools to a limit of 10", "dropped, listed twice: " + strings.Repeat("x", 2000)}
		}
		page, err := HTML(r)
		if err != nil {
			t.Fatal(err)
		}
		banner, _, _ := bytes.Cut(page, []byte("</section>")) // the data further down has the whole text
		for name, text := range map[string]string{"HTML": string(banner), "Markdown": string(Markdown(r))} {
			text = strings.ReplaceAll(text, "&#58;", ":")
			for _, part := range []string{"3 of 40 queries failed and count as missed.", "2 answers contained results that cannot be scored. The first is the answer to q00004: answered 12 tools to a limit of 10"} {
				if strings.Contains(text, part) != strange {
					t.Errorf("%s, strange answers %v: %q", name, strange, part)
				}
			}
			if strings.Contains(text, strings.Repeat("x", maxRemark)) {
				t.Errorf("%s holds a remark of any length", name)
			}
		}
	}
}
