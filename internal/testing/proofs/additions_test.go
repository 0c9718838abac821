package proofs

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

// addition is a change that docs/contributing describes: rows to insert into a table
// before an anchor, or a new file if anchor is empty.
type addition struct{ file, anchor, text string }

// additions are one of each kind. Their files are those that the pages of
// docs/contributing name, without tests and documentation.
var additions = []addition{
	{"metrics/ranking.go", "}\n\n// Ranking returns", addedMetrics},
	{"stages/scoresecurity/detectors/detectors.go", "}\n\n// checks builds", `	{"suspicious", "flags every tool, for a test", function(func(contracts.DetectorRequest) (contracts.DetectorVerdict, error) {
		return contracts.DetectorVerdict{Flagged: true, Confidence: 1, Signals: []string{"always"}}, nil
	})},
`},
	{"stages/render/formats.go", "}\n\n// formatList lists", `	{file: "verdict.txt", reader: "a test", limit: "none", write: oneWord, noVerdict: noVerdictOneWord},
`},
	{"stages/render/oneword.go", "", `package render

import "github.com/touchstone-eval/touchstone/contracts"

func oneWord(r contracts.Report) ([]byte, error) {
	if r.Gate.Passed {
		return []byte("passed\n"), nil
	}
	return []byte("failed\n"), nil
}

func noVerdictOneWord(contracts.NoVerdict) ([]byte, error) { return []byte("none\n"), nil }
`},
	{"scanner/internal/check/signal.go", "	}\n}\n\n// positionDiscount", "		checkMarker,\n"},
	{"scanner/internal/check/marker.go", "", `package check

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

var checkMarker = Check{markerInfo, inspectMarker}

var markerInfo = Info{
	ID: "marker.added", Tier: Soft, ThreatType: Uncategorized, Description: "a word that only a test uses",
	Why: "nobody else uses it", Do: "Remove the word.",
}

func inspectMarker(v *reading.Reading, _ *tool.Registry) []Signal {
	if !strings.Contains(v.NormalizedText(), "zyzzyva") {
		return nil
	}
	return []Signal{{CheckID: markerInfo.ID, Tier: Soft, ThreatType: Uncategorized, Confidence: 1, Evidence: char.Quote("zyzzyva", 0, 7), Detail: "the word stands in the text"}}
}
`},
}

// overlay writes the file for the flag -overlay of go with all additions and no other changes, into a
// directory that is removed at the end.
var overlay = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "touchstone-additions-")
	if err != nil {
		return "", err
	}
	atExit = append(atExit, func() { _ = os.RemoveAll(dir) })
	replace := map[string]string{}
	for i, a := range additions {
		file, err := filepath.Abs(filepath.Join("../../..", a.file))
		if err != nil {
			return "", err
		}
		text := a.text
		if a.anchor != "" {
			source, err := os.ReadFile(file)
			if err != nil {
				return "", err
			}
			if strings.Count(string(source), a.anchor) != 1 {
				return "", fmt.Errorf("%s does not have %q once, where this test adds to its table", a.file, a.anchor)
			}
			text = strings.Replace(string(source), a.anchor, a.text+a.anchor, 1)
		}
		changed := filepath.Join(dir, fmt.Sprintf("%d.go", i))
		if err := os.WriteFile(changed, []byte(text), 0o644); err != nil {
			return "", err
		}
		replace[file] = changed
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	list := filepath.Join(dir, "overlay.json")
	return list, os.WriteFile(list, text, 0o644)
})

// extendedBinary builds the program with all additions.
var extendedBinary = sync.OnceValues(func() (string, error) {
	list, err := overlay()
	if err != nil {
		return "", err
	}
	bin := filepath.Join(filepath.Dir(list), "touchstone")
	if out, err := exec.Command("go", "build", "-overlay", list, "-ldflags=-w", "-o", bin, "../../../cmd/touchstone").CombinedOutput(); err != nil {
		return "", errors.New("an addition needs more files than docs/contributing says: " + string(out))
	}
	return bin, nil
})

// extended returns a bench with the extended program.
func extended(t *testing.T, store string) *workbench {
	t.Helper()
	b := newBench(t, store)
	bin, err := extendedBinary()
	if err != nil {
		t.Fatal(err)
	}
	b.binary = bin
	return b
}

// A detector that is declared in the table can be selected, and is scored and reported. A
// format that is declared is written.
func TestADetectorAndAFormatAreAddedInOnePlace(t *testing.T) {
	level.Thorough(t, "it compiles most packages and runs two pipelines")
	b := extended(t, t.TempDir())
	if help := b.run("detector", "--help"); !strings.Contains(help, "suspicious") {
		t.Errorf("the help does not offer the detector:\n%s", help)
	}
	if help := b.run("stage", "render", "--help"); !strings.Contains(help, "verdict.txt") {
		t.Errorf("the help does not name the file:\n%s", help)
	}
	b.vars = []string{"--var", "runs=1", "--var", `detectors=["scanner","suspicious"]`}
	b.want(0, "gate")
	report := read[contracts.Report](t, filepath.Join(b.dir, "reports", "report.json"))
	found := false
	for _, d := range report.Aggregate.Detectors {
		if d.Score.Detector == "suspicious" {
			found = d.Score.FPR != nil && *d.Score.FPR == 1 && d.Score.FN == 0
		}
	}
	if !found {
		t.Errorf("the report does not have the detector: %+v", report.Aggregate.Detectors)
	}
	for file, want := range map[string]string{"report.html": "<h3>suspicious</h3>", "report.md": "| suspicious |", "verdict.txt": "passed\n"} {
		text, err := os.ReadFile(filepath.Join(b.dir, "reports", file))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s does not have %q: %v", file, want, err)
		}
	}
}

// A check that is declared in the list runs in scans, can be skipped by its id, and
// occurs in every output.
func TestACheckIsAddedInOnePlace(t *testing.T) {
	level.Thorough(t, "it compiles the program with another check")
	b := extended(t, shared(t))
	tools := filepath.Join(b.dir, "tools.json")
	if err := os.WriteFile(tools, []byte(`{"tools": [{"name": "look_up", "description": "Looks up the word zyzzyva.", "inputSchema": {"type": "object"}}]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for format, want := range map[string]string{"json": `"marker.added"`, "sarif": `"ruleId":"marker.added"`, "markdown": "marker.added", "table": "marker.added"} {
		if out := b.run("scan", tools, "--format", format, "--fail-on", "none"); !strings.Contains(out, want) {
			t.Errorf("%s does not have %s:\n%s", format, want, out)
		}
	}
	if out := b.run("scan", tools, "--skip", "marker.added", "--format", "json", "--fail-on", "none"); strings.Contains(out, "zyzzyva") || !strings.Contains(out, `"findings": []`) {
		t.Errorf("the check ran although it was left out:\n%s", out)
	}
}

// An adapter in adapters/ is a valid value of the variable proxy.
func TestAnAdapterIsAddedInOnePlace(t *testing.T) {
	b := newSmallBench(t, shared(t))
	source, err := os.ReadFile("../../../adapters/reference.hcl")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(b.dir, "adapters"), 0o755); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(source), `name  = "reference"`, `name  = "added"`, 1)
	if err := os.WriteFile(filepath.Join(b.dir, "adapters", "added.hcl"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	b.vars = append(b.vars, "--var", "proxy=added")
	b.want(0, "baseline", "update")
	if base := read[contracts.Baseline](t, filepath.Join(b.dir, "datasets/baseline_v1_added.json")); base.Proxy != "added" || base.Metrics["recall_at_5"] < .5 {
		t.Errorf("the baseline is of %s: %v", base.Proxy, base.Metrics)
	}
}

// run runs a verb without the bench's variables. The verb must succeed.
func (b *workbench) run(args ...string) string {
	b.t.Helper()
	out, err := b.command(args...).CombinedOutput()
	if err != nil {
		b.t.Fatalf("touchstone %v: %v\n%s", args, err, out)
	}
	return string(out)
}
