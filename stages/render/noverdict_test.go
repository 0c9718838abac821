package render

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/junit"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
)

// sampleNoVerdict has n problems of a dataset, with hostile text, and a log.
func sampleNoVerdict(n int) contracts.NoVerdict {
	v := contracts.NoVerdict{
		Version: contracts.NoVerdictVersion, Kind: contracts.EndedByDataset, ExitCode: 4, Summary: fmt.Sprintf("%d problems in data/golden_v1.json.", n),
		Failed: []string{"validate-datasets"}, Done: 2, Skipped: 24, Directory: "sub", Command: "touchstone gate",
		Logs: []contracts.StageLog{{Stage: "validate-datasets", Lines: []string{"first", hostile}}},
	}
	for i := range n {
		v.Problems = append(v.Problems, contracts.Reason{Stage: "validate-datasets", File: "data/golden_v1.json", Line: 10 + i, Column: 3,
			Entry: fmt.Sprintf("q%d", i), Message: "is wrong " + hostile, Remedy: "correct it"})
	}
	return v
}

// Every format says that there is no verdict and why, and none lets text of a
// dataset act on its reader.
func TestNoVerdictInEveryFormat(t *testing.T) {
	files, err := NoVerdict(sampleNoVerdict(3))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range formats {
		if _, ok := files[f.file]; ok != (f.file != "report.json") {
			t.Errorf("%s: written %v: every format but report.json needs noVerdict", f.file, ok)
		}
	}
	for name, content := range files {
		if strings.HasPrefix(name, "report.") && strings.Contains(string(content), "<script>") || strings.Contains(string(content), "\x1b") {
			t.Errorf("%s holds the hostile text as it is", name)
		}
		if strings.Contains(strings.ToLower(string(content)), "passed") {
			t.Errorf("%s mentions that something passed", name)
		}
	}
	if _, err := contracts.Decode[contracts.NoVerdict](NoVerdictFile, files[NoVerdictFile]); err != nil {
		t.Error(err)
	}
	lines := strings.Split(strings.TrimSpace(string(files["annotations.txt"])), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], "::error title=Touchstone%3A no verdict::3 problems in data/golden_v1.json. 1 stage failed, 2 have results, 24 were not started.") ||
		!strings.HasPrefix(lines[1], "::error file=sub/data/golden_v1.json,line=10,col=3,title=Touchstone%3A q0::entry q0: is wrong ") {
		t.Errorf("annotations:\n%s", files["annotations.txt"])
	}
	var suites junit.Suites
	if err := xml.Unmarshal(files["junit.xml"], &suites); err != nil || suites.Errors != 4 || suites.Tests != 4 || suites.Suites[0].Cases[1].Class != "data/golden_v1.json" {
		t.Errorf("junit.xml: %v\n%s", err, files["junit.xml"])
	}
	for _, want := range []string{"No verdict", "data/golden_v1.json:11:3", "correct it", "touchstone gate", "first"} {
		if !strings.Contains(string(files["report.html"]), want) {
			t.Errorf("report.html lacks %q", want)
		}
	}
	if md := string(files["report.md"]); !strings.HasPrefix(md, CommentMarker+"\n## ⚠️ Touchstone: no verdict\n") || strings.Contains(md, "@someone") {
		t.Errorf("report.md is\n%s", md)
	}
}

// The reports stay within their limits, whatever a stage printed.
func TestNoVerdictIsBounded(t *testing.T) {
	v := sampleNoVerdict(3000)
	v.Problems[0].Message = strings.Repeat("x", 1<<20)
	v.Logs[0].Lines = append(v.Logs[0].Lines, strings.Repeat("y", 2<<20))
	files, err := NoVerdict(v)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(files["report.md"]); n > wording.MaxComment {
		t.Errorf("report.md has %d bytes", n)
	}
	if n := strings.Count(string(files["annotations.txt"]), "\n"); n != maxAnnotations {
		t.Errorf("%d annotations", n)
	}
	if !strings.Contains(string(files["report.html"]), "2500 more are left out here; no-verdict.json has them.") {
		t.Error("the page does not say that it left out reasons")
	}
	n, err := contracts.Decode[contracts.NoVerdict](NoVerdictFile, files[NoVerdictFile])
	if err != nil || len(n.Problems) != 3000 {
		t.Errorf("%d problems, %v", len(n.Problems), err)
	}
	if len(v.Problems[0].Message) != 1<<20 {
		t.Error("the caller's reasons were changed")
	}
}

// A run that has not ended has no stage and no place to name.
func TestNoVerdictWithoutAPlace(t *testing.T) {
	files, err := NoVerdict(contracts.NoVerdict{Version: contracts.NoVerdictVersion, Kind: contracts.EndedUnknown, ExitCode: -1, Summary: "The run has not ended.",
		Problems: []contracts.Reason{{Message: "the run has not ended", Remedy: "wait"}}, Command: "touchstone gate"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(files["annotations.txt"]), "::error title=Touchstone%3A no verdict::the run has not ended; wait\n"; got != want {
		t.Errorf("annotations %q", got)
	}
	if strings.Contains(string(files["report.html"]), "exit code") {
		t.Error("the page names an exit code")
	}
}
