package proofs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

// detector writes a shell script to the path in shellDetector.
func (b *workbench) detector(name, script string) {
	b.t.Helper()
	dir := filepath.Join(b.dir, "detectors", name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "detector.sh"), []byte(script+"\n"), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// shellDetector returns the entry for a script in the variable external_detectors.
func shellDetector(name string) string {
	return fmt.Sprintf(`%s = { dir = "detectors/%[1]s", command = ["sh", "{dir}/detector.sh"], entry_timeout = "30s" }`, name)
}

// brittle answers every request with "clean", but crashes on requests that contain one of the words.
func brittle(words ...string) string {
	return `
		while IFS= read -r line; do
		  case $line in *` + strings.Join(words, "*|*") + `*) echo "could not take it" >&2; exit 3 ;; esac
		  id=${line#*'"id":"'}
		  printf '{"protocol":1,"id":"%s","flagged":false}\n' "${id%%'"'*}"
		done`
}

// TestDetectorThatCrashes follows two crashes, on an attack and on a benign entry, through every stage: they
// must be visible wherever the detector is, and the attack counts as missed.
func TestDetectorThatCrashes(t *testing.T) {
	b := newSmallBench(t, shared(t))
	corpus := read[contracts.SecurityCorpus](t, filepath.Join(b.dir, "datasets", "security_v1.json"))
	var crashes []contracts.SecurityEntry
	attacks := 0
	for _, label := range []string{contracts.LabelMalicious, contracts.LabelBenign} {
		i := slices.IndexFunc(corpus.Entries, func(e contracts.SecurityEntry) bool {
			return e.Label == label && named(corpus, e.Name) == 1
		})
		crashes = append(crashes, corpus.Entries[i])
	}
	for _, e := range corpus.Entries {
		if e.Label == contracts.LabelMalicious {
			attacks++
		}
	}
	attack, innocent := crashes[0], crashes[1]
	b.detector("brittle", brittle(`'"`+attack.Name+`"'`, `'"`+innocent.Name+`"'`))
	b.vars = append(b.vars, "--var", `detectors=["brittle"]`, "--var", `external_detectors={`+shellDetector("brittle")+`}`)
	b.baseline(undemanding("brittle"))
	r := b.want(exitGateFailed, "gate")
	if !strings.Contains(r.stdout, "failed on 2 of") {
		t.Errorf("the verdict does not name the failures:\n%s", r.stdout)
	}

	report := read[contracts.Report](t, filepath.Join(b.dir, "reports", "report.json"))
	d := report.Aggregate.Detectors[0]
	if d.Score.Detector != "brittle" || d.Score.Errored != 2 || d.Score.FN != attacks || d.Score.TP != 0 || *d.Score.Recall != 0 {
		t.Errorf("the score is %+v, want 2 errored and all of %d attacks missed", d.Score, attacks)
	}
	if judged := d.Score.TN + d.Score.FP; judged != len(corpus.Entries)-attacks-1 {
		t.Errorf("%d innocents were judged, want all but the one that it died of", judged)
	}
	if len(d.PerEntry) != len(corpus.Entries) {
		t.Errorf("%d entries of %d are in the report", len(d.PerEntry), len(corpus.Entries))
	}
	for _, c := range d.Score.PerCategory {
		if c.Category == attack.Category && (c.Errored != 1 || *c.Rate != 0) {
			t.Errorf("the category of the attack is %+v, want 1 errored and rate 0", c)
		}
	}
	for _, e := range crashes {
		i := slices.IndexFunc(d.PerEntry, func(r contracts.EntrySummary) bool { return r.ID == e.ID })
		if i < 0 || d.PerEntry[i].Verdict != contracts.VerdictErrored || !strings.Contains(d.PerEntry[i].Error, "exit status 3") {
			t.Errorf("%s is not in the report as errored with its exit status", e.ID)
		}
	}
	for file, want := range map[string][]string{
		"report.html": {"2 failed", attack.ID, "exit status 3"},
		"report.md":   {"2 failed"},
	} {
		text, err := os.ReadFile(filepath.Join(b.dir, "reports", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(string(text), w) {
				t.Errorf("%s does not show %q", file, w)
			}
		}
	}
}

// undemanding removes all limits for the detector, so that the gate only fails if it does.
func undemanding(detector string) func(*contracts.Baseline) {
	return func(base *contracts.Baseline) {
		base.Thresholds.Detectors = []contracts.DetectorThreshold{{Detector: detector, FPRCeiling: 1, HardNegativeFPRCeiling: 1,
			Reason: "only failures are judged here"}}
	}
}

// named counts the entries in which a tool or a peer has the name.
func named(corpus contracts.SecurityCorpus, name string) int {
	n := 0
	for _, e := range corpus.Entries {
		if e.Name == name {
			n++
		}
		for _, p := range e.Peers {
			if p.Name == name {
				n++
			}
		}
	}
	return n
}

// TestExampleDetectors runs the examples as documented, next to built-in detectors, and changes one. The
// others are not run again.
func TestExampleDetectors(t *testing.T) {
	b := newSmallBench(t, shared(t))
	compiler, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command to build the example in Go with")
	}
	if out, err := exec.Command("cp", "-r", "../../../examples", b.dir).CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	if out, err := exec.Command(compiler, "build", "-o", filepath.Join(b.dir, "detectors/go/detector"), "../../../examples/detectors/go").CombinedOutput(); err != nil {
		t.Fatalf("the example does not build: %v\n%s", err, out)
	}
	i := slices.Index(b.vars, `detectors=["keywords"]`) // the file has its own list
	b.vars = append(slices.Delete(b.vars, i-1, i+1), "--var-file", "examples/detectors/examples.vars")
	b.baseline(undemanding("shell"))
	b.want(0, "gate")
	report := read[contracts.Report](t, filepath.Join(b.dir, "reports", "report.json"))
	for i, name := range []string{"directives", "go", "keywords", "scanner", "shadowing", "shell", "unicode"} {
		s := report.Aggregate.Detectors[i].Score
		if s.Detector != name || s.Errored != 0 || s.TP+s.FP == 0 {
			t.Errorf("detector %d is %s with %d errored and %d flagged, want %s with none errored and some flagged", i, s.Detector, s.Errored, s.TP+s.FP, name)
		}
	}

	script := filepath.Join(b.dir, "examples/detectors/shell/detector.sh")
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(script, append(text, "# changed\n"...), 0o755); err != nil {
		t.Fatal(err)
	}
	plan := b.want(0, "plan").stdout
	for line := range strings.Lines(plan) {
		status, instance, _ := strings.Cut(line, " ")
		instance = strings.TrimSpace(instance)
		if strings.HasPrefix(instance, "score-security[") && (status == "MISS") != strings.Contains(instance, "detector=shell") {
			t.Errorf("after a change to the detector shell: %s", line)
		}
	}
}
