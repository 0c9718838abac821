package scoresecurity

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/testing/load"
)

// entry returns an entry with the description text. The prefix of its id determines its category, as in
// our corpus.
func entry(id, text string) contracts.SecurityEntry {
	e := contracts.SecurityEntry{
		ID: id, Name: "tool_" + strings.ReplaceAll(id, "-", "_"), Server: "srv",
		Description: text,
		Label:       contracts.LabelBenign,
		Category:    contracts.CategoryBenign,
		Provenance:  contracts.Provenance{Source: "test", License: "Apache-2.0"},
	}
	switch {
	case strings.HasPrefix(id, "tp-"):
		e.Label, e.Category = contracts.LabelMalicious, contracts.CategoryToolPoisoning
	case strings.HasPrefix(id, "pi-"):
		e.Label, e.Category = contracts.LabelMalicious, contracts.CategoryPromptInjection
	case strings.HasPrefix(id, "hn-"):
		e.Category, e.HardNegativeFor = contracts.CategoryHardNegative, contracts.CategoryToolPoisoning
	}
	return e
}

// sample is a small corpus: three attacks, two hard negatives, three plain benign entries.
func sample() []contracts.SecurityEntry {
	return []contracts.SecurityEntry{
		entry("tp-1", "EVIL one"), entry("tp-2", "EVIL two"), entry("pi-1", "EVIL three"),
		entry("hn-1", "quotes an attack"), entry("hn-2", "quotes another"),
		entry("bn-1", "adds"), entry("bn-2", "subtracts"), entry("bn-3", "divides"),
	}
}

func corpusFile(t *testing.T, entries []contracts.SecurityEntry) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "security.json")
	err := contracts.Write(path, contracts.SecurityCorpus{
		Version:       "test",
		GeneratedFrom: contracts.GeneratedFrom{Source: "test"},
		Entries:       entries,
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// runFake scores a fake detector and returns the report.
func runFake(t *testing.T, entries []contracts.SecurityEntry, mode ...string) contracts.SecurityReport {
	t.Helper()
	return runWith(t, Options{
		Security: corpusFile(t, entries),
		Detector: mode[0],
		Argv:     append([]string{os.Args[0], "fake"}, mode...),
	})
}

func runWith(t *testing.T, opts Options) contracts.SecurityReport {
	t.Helper()
	opts.Out = filepath.Join(t.TempDir(), "report.json")
	if opts.EntryTimeout == 0 {
		opts.EntryTimeout = time.Minute
	}
	if err := Run(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	report, err := contracts.Read[contracts.SecurityReport](opts.Out)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func find(t *testing.T, r contracts.SecurityReport, id string) contracts.EntryResult {
	t.Helper()
	i := slices.IndexFunc(r.PerEntry, func(e contracts.EntryResult) bool { return e.ID == id })
	if i < 0 {
		t.Fatalf("the report has no entry %s", id)
	}
	return r.PerEntry[i]
}

func wantCounts(t *testing.T, s contracts.DetectorScore, tp, fp, tn, fn, errored int) {
	t.Helper()
	if s.TP != tp || s.FP != fp || s.TN != tn || s.FN != fn || s.Errored != errored {
		t.Errorf("tp %d fp %d tn %d fn %d errored %d, want %d %d %d %d %d",
			s.TP, s.FP, s.TN, s.FN, s.Errored, tp, fp, tn, fn, errored)
	}
}

func wantRate(t *testing.T, name string, got *float64, want float64) {
	t.Helper()
	switch {
	case got == nil:
		t.Errorf("%s is undefined, want %v", name, want)
	case *got < want-1e-9 || *got > want+1e-9:
		t.Errorf("%s = %v, want %v", name, *got, want)
	}
}

func wantUndefined(t *testing.T, name string, got *float64) {
	t.Helper()
	if got != nil {
		t.Errorf("%s = %v, want it undefined", name, *got)
	}
}

func TestPerfectDetector(t *testing.T) {
	r := runFake(t, sample(), "honest")
	wantCounts(t, r.Detector, 3, 0, 5, 0, 0)
	wantRate(t, "recall", r.Detector.Recall, 1)
	wantRate(t, "fpr", r.Detector.FPR, 0)
	for _, at := range r.Detector.PrecisionAt {
		wantRate(t, "precision at base rate", at.Precision, 1)
	}
}

func TestFlagsEverything(t *testing.T) {
	r := runFake(t, sample(), "all")
	wantCounts(t, r.Detector, 3, 5, 0, 0, 0)
	wantRate(t, "recall", r.Detector.Recall, 1)
	wantRate(t, "precision", r.Detector.Precision, 3.0/8)
	wantRate(t, "fpr", r.Detector.FPR, 1)
	wantRate(t, "fpr on hard negatives", r.Detector.FPRHardNegative, 1)
	wantRate(t, "fpr on plain benign", r.Detector.FPRBenign, 1)
	var oneIn []int
	for _, at := range r.Detector.PrecisionAt {
		oneIn = append(oneIn, at.OneIn)
		wantRate(t, "precision at base rate", at.Precision, 1/float64(at.OneIn))
	}
	if !slices.Equal(oneIn, []int{100, 1000}) {
		t.Errorf("base rates %v, want one in 100 and one in 1000", oneIn)
	}
}

func TestFlagsNothing(t *testing.T) {
	r := runFake(t, sample(), "none")
	wantCounts(t, r.Detector, 0, 0, 5, 3, 0)
	wantRate(t, "recall", r.Detector.Recall, 0)
	wantUndefined(t, "precision", r.Detector.Precision)
	for _, at := range r.Detector.PrecisionAt {
		wantUndefined(t, "precision at base rate", at.Precision)
	}
}

func TestNoisyDetector(t *testing.T) {
	r := runFake(t, sample(), "noisy")
	wantCounts(t, r.Detector, 3, 2, 3, 0, 0)
	wantRate(t, "recall", r.Detector.Recall, 1)
	wantRate(t, "fpr", r.Detector.FPR, 2.0/5)
	wantRate(t, "fpr on hard negatives", r.Detector.FPRHardNegative, 1)
	wantRate(t, "fpr on plain benign", r.Detector.FPRBenign, 0)
	if v := find(t, r, "hn-1").Verdict; v != contracts.VerdictFlagged {
		t.Errorf("the false positive hn-1 is shown as %s", v)
	}
}

func TestPartsThatAreMissing(t *testing.T) {
	onlyBenign := runFake(t, []contracts.SecurityEntry{entry("bn-1", "adds")}, "all")
	wantUndefined(t, "recall", onlyBenign.Detector.Recall)
	wantUndefined(t, "fpr on hard negatives", onlyBenign.Detector.FPRHardNegative)
	wantRate(t, "fpr on plain benign", onlyBenign.Detector.FPRBenign, 1)
	onlyAttacks := runFake(t, []contracts.SecurityEntry{entry("tp-1", "EVIL")}, "all")
	wantUndefined(t, "fpr", onlyAttacks.Detector.FPR)
}

func TestCategories(t *testing.T) {
	r := runFake(t, append(sample(), entry("tp-3", "subtle")), "noisy")
	got, err := json.Marshal(r.Detector.PerCategory)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"category":"tool_poisoning","total":3,"flagged":2,"errored":0,"rate":0.6666666666666666},` +
		`{"category":"prompt_injection","total":1,"flagged":1,"errored":0,"rate":1},` +
		`{"category":"hard_negative","total":2,"flagged":2,"errored":0,"rate":1},` +
		`{"category":"benign","total":3,"flagged":0,"errored":0,"rate":0}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The report says how an attack works and what carries it.
func TestTechniqueAndCarrier(t *testing.T) {
	described := entry("tp-1", "EVIL")
	described.Technique, described.Carrier = "hidden-order", contracts.CarrierDescription
	r := runFake(t, []contracts.SecurityEntry{described, entry("b-1", "plain")}, "all")
	for _, e := range r.PerEntry {
		if e.ID == "tp-1" && (e.Technique != "hidden-order" || e.Carrier != contracts.CarrierDescription) || e.ID == "b-1" && e.Technique+e.Carrier != "" {
			t.Errorf("%+v", e)
		}
	}
}

// If a detector fails on an entry, in any way, only that entry is affected. A failure on an attack is a
// miss, a failure on a benign entry does not count. All other entries get the same verdict as without it.
func TestFailuresStayWithTheirEntry(t *testing.T) {
	t.Parallel() // it mostly waits
	say := func(verdict string) []string { return []string{"say", verdict} }
	tests := []struct {
		name   string
		mode   []string
		reason string
	}{
		{"crash", []string{"crash"}, "exit status 3"},
		{"hang", []string{"hang"}, "gave no verdict within"},
		{"closes its output", []string{"close"}, "closed its output"},
		{"stops reading", []string{"deaf"}, "gave no verdict within"},
		{"endless line", []string{"endless"}, "more than 1048576 bytes"},
		{"not JSON", say("Warning: model is warming up"), "answered something other than a verdict"},
		{"empty line", say(""), "answered something other than a verdict"},
		{"a list", say(`[]`), "answered something other than a verdict"},
		{"two objects", say(`{"protocol":1,"id":"ID","flagged":true} {}`), "answered something other than a verdict"},
		{"same key twice", say(`{"protocol":1,"id":"ID","flagged":true,"flagged":false}`), "answered something other than a verdict"},
		{"mistyped field", say(`{"protocol":1,"id":"ID","flaged":true}`), "flaged"},
		{"no flagged", say(`{"protocol":1,"id":"ID"}`), "flagged"},
		{"flagged is text", say(`{"protocol":1,"id":"ID","flagged":"no"}`), "flagged"},
		{"wrong id", say(`{"protocol":1,"id":"r999","flagged":true}`), "id of another request"},
		{"other protocol", say(`{"protocol":2,"id":"ID","flagged":true}`), "protocol"},
		{"flagged and error", say(`{"protocol":1,"id":"ID","flagged":true,"error":"no idea"}`), "flagged and error"},
		{"confidence too high", say(`{"protocol":1,"id":"ID","flagged":true,"confidence":1.5}`), "confidence"},
		{"confidence below zero", say(`{"protocol":1,"id":"ID","flagged":true,"confidence":-0.1}`), "confidence"},
		{"confidence not a number", say(`{"protocol":1,"id":"ID","flagged":true,"confidence":NaN}`), "answered something other than a verdict"},
		{"says that it cannot", say(`{"protocol":1,"id":"ID","flagged":false,"error":"unsupported language"}`), "said: unsupported language"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			entries := append(sample(), entry("tp-9", "EVIL TRIGGER"), entry("bn-9", "TRIGGER"))
			timeout := time.Minute
			if tt.reason == "gave no verdict within" {
				timeout = load.Stretch(500 * time.Millisecond)
			}
			r := runWith(t, Options{
				Security:     corpusFile(t, entries),
				Detector:     "broken",
				Argv:         append([]string{os.Args[0], "fake"}, tt.mode...),
				EntryTimeout: timeout,
			})
			wantCounts(t, r.Detector, 3, 0, 5, 1, 2)
			wantRate(t, "recall", r.Detector.Recall, 3.0/4)
			wantRate(t, "fpr", r.Detector.FPR, 0)
			for _, id := range []string{"tp-9", "bn-9"} {
				e := find(t, r, id)
				if e.Verdict != contracts.VerdictErrored || !strings.Contains(e.Error, tt.reason) {
					t.Errorf("%s: verdict %s, error %q, want errored with %q", id, e.Verdict, e.Error, tt.reason)
				}
			}
			for _, c := range r.Detector.PerCategory {
				wrong := c.Category == contracts.CategoryBenign && (c.Errored != 1 || c.Total != 4) ||
					c.Category == contracts.CategoryToolPoisoning && (c.Errored != 1 || *c.Rate != 2.0/3)
				if wrong {
					t.Errorf("category counted wrongly: %+v", c)
				}
			}
		})
	}
}

// An extra answer shifts all later ones. It costs one entry and not the rest of the run.
func TestOneAnswerTooMany(t *testing.T) {
	entries := append(sample(), entry("bn-9", "TRIGGER"))
	r := runFake(t, entries, "twice")
	if r.Detector.Errored > 1 {
		t.Errorf("%d entries errored, want at most the one after the answer too many", r.Detector.Errored)
	}
	if v := find(t, r, "bn-9").Verdict; v != contracts.VerdictFlagged {
		t.Errorf("bn-9 is %s, want its first answer", v)
	}
}

func TestMostlyErroredIsAnError(t *testing.T) {
	out := filepath.Join(t.TempDir(), "report.json")
	err := Run(t.Context(), Options{
		Security: corpusFile(t, sample()), Detector: "misused", Out: out,
		Argv: []string{os.Args[0], "fake", "usage"},
	})
	if err == nil {
		t.Fatal("a detector that fails on everything was scored")
	}
	for _, want := range []string{"more than half", "exit status 64", `usage: give me \u{1B}[31ma model`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error lacks %q:\n%v", want, err)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a report was written nevertheless")
	}
}

// A detector that hangs is stopped long before half of a large corpus has timed out.
func TestHangingDetectorIsGivenUp(t *testing.T) {
	t.Parallel() // it mostly waits
	var entries []contracts.SecurityEntry
	for n := range 40 {
		entries = append(entries, entry(fmt.Sprintf("tp-%d", n), "EVIL TRIGGER"))
	}
	err := Run(t.Context(), Options{
		Security: corpusFile(t, entries), Detector: "stuck", Out: filepath.Join(t.TempDir(), "report.json"),
		Argv: []string{os.Args[0], "fake", "hang"}, EntryTimeout: 100 * time.Millisecond,
	})
	if err == nil || !strings.Contains(err.Error(), "detector stuck: hangs: 5 consecutive entries had no verdict within 100ms") {
		t.Errorf("got %v", err)
	}
}

func TestBadOptions(t *testing.T) {
	good := corpusFile(t, sample())
	empty := filepath.Join(t.TempDir(), "cut.json")
	if err := os.WriteFile(empty, []byte(`{"version":"v1","entr`), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		opts Options
		want string
	}{
		{"no such detector", Options{Security: good, Detector: "oracle"}, "scanner, unicode, directives, shadowing, keywords"},
		{"no such program", Options{Security: good, Detector: "mine", Argv: []string{"/nonexistent/detector"}}, "/nonexistent/detector"},
		{"command without a name", Options{Security: good, Argv: []string{"true"}}, "--detector"},
		{"name with a space", Options{Security: good, Detector: "my own", Argv: []string{"true"}}, "without spaces"},
		{"negative run", Options{Security: good, Detector: "keywords", Run: -1}, "--run"},
		{"negative timeout", Options{Security: good, Detector: "keywords", EntryTimeout: -1}, "--entry-timeout"},
		{"no such corpus", Options{Security: good + ".missing", Detector: "keywords"}, ".missing"},
		{"corpus cut in half", Options{Security: empty, Detector: "keywords"}, "cut.json"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.opts.Out = filepath.Join(t.TempDir(), "report.json")
			err := Run(t.Context(), tt.opts)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// The request to the detector must not reveal the expected verdict.
func TestRequestGivesNothingAway(t *testing.T) {
	log := filepath.Join(t.TempDir(), "requests")
	entries := []contracts.SecurityEntry{
		entry("hn-zebra", "a\u200bb <tag> & more"), entry("tp-zebra", "EVIL"), entry("bn-zebra", "fine"),
	}
	for i := range entries {
		entries[i].Name = "run"
	}
	entries[0].Peers = []contracts.Peer{{Server: "other", Name: "run", Description: "Runs.", InputSchema: json.RawMessage(`{"type": "object"}`)}}
	entries[0].Approved = &contracts.Approved{Description: "Ran."}
	runFake(t, entries, "record", log)
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"zebra", "malicious", "benign", "hard_negative", "poisoning", "provenance", "label", "category"} {
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("requests contain %q:\n%s", secret, data)
		}
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if !bytes.HasPrefix(line, []byte(`{"protocol":1,"id":"r`+strconv.Itoa(n)+`","tool":{`)) {
			t.Errorf("request %d does not begin with protocol, id and tool: %s", n, line)
		}
		r, err := contracts.Decode[contracts.DetectorRequest]("request", line)
		if err != nil {
			t.Errorf("request %d: %v", n, err)
		}
		if r.Approved != nil && (len(r.Peers) != 1 || r.Tool.Description != entries[0].Description) {
			t.Errorf("request %d lost something: %s", n, line)
		}
	}
	if n != len(entries) || !bytes.Contains(data, []byte("<tag> & more")) {
		t.Errorf("want %d requests with < and & as they are:\n%s", len(entries), data)
	}
}

// The number of the run determines the order of entries, and nothing else.
func TestOrderFollowsTheRun(t *testing.T) {
	corpus := corpusFile(t, sample())
	orders := map[int]string{}
	reports := map[int][]byte{}
	for _, run := range []int{1, 2, 1} {
		log := filepath.Join(t.TempDir(), "requests")
		out := filepath.Join(t.TempDir(), "report.json")
		err := Run(t.Context(), Options{
			Security: corpus, Detector: "d", Run: run, Out: out,
			Argv: []string{os.Args[0], "fake", "record", log},
		})
		if err != nil {
			t.Fatal(err)
		}
		order, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		report, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if old, ok := orders[run]; ok && (old != string(order) || !bytes.Equal(reports[run], report)) {
			t.Errorf("run %d was not repeated exactly", run)
		}
		orders[run], reports[run] = string(order), report
	}
	if orders[1] == orders[2] {
		t.Error("runs 1 and 2 show the entries in the same order")
	}
	if !bytes.Equal(bytes.Replace(reports[2], []byte(`"run": 2`), []byte(`"run": 1`), 1), reports[1]) {
		t.Error("a detector without a memory scores differently in another order")
	}
	r, err := contracts.Decode[contracts.SecurityReport]("report", reports[1])
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(r.PerEntry, func(a, b contracts.EntryResult) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("per_entry is not sorted by id")
	}
}

// The text of a detector is shown in terminals and pages.
func TestReportIsRenderSafe(t *testing.T) {
	long := strings.Repeat("é", maxEvidence)
	entries := []contracts.SecurityEntry{entry("tp-1", "TRIGGER\n EVIL\u202e")}
	r := runFake(t, entries, "say", `{"protocol":1,"id":"ID","flagged":true,"confidence":0.5,`+
		`"signals":["a\u001b[2Jb"],"evidence":"x\u202ey\u200bz\u0007\udb40\udc41`+long+`"}`)
	e := find(t, r, "tp-1")
	if want := `x\u{202E}y\u{200B}z\u{7}\u{E0041}é`; !strings.HasPrefix(e.Evidence, want) {
		t.Errorf("evidence %q, want it to begin with %q", e.Evidence, want)
	}
	if len(e.Evidence) > maxEvidence || !strings.HasSuffix(e.Evidence, "…") {
		t.Errorf("evidence has %d bytes, want at most %d and a sign of the cut", len(e.Evidence), maxEvidence)
	}
	if want := `srv:tool_tp_1: TRIGGER EVIL\u{202E}`; e.Text != want {
		t.Errorf("text %q, want %q", e.Text, want)
	}
	if e.Signals[0] != `a\u{1B}[2Jb` || e.Confidence != 0.5 {
		t.Errorf("signals %q, confidence %v", e.Signals, e.Confidence)
	}
}

func TestInterrupt(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	ctx, cancel := context.WithCancel(t.Context())
	out := filepath.Join(t.TempDir(), "report.json")
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, Options{
			Security: corpusFile(t, sample()), Detector: "d", Out: out, EntryTimeout: time.Hour,
			Argv: []string{os.Args[0], "fake", "pid", pids},
		})
	}()
	pid := waitForPID(t, pids)
	cancel()
	if err := <-done; err == nil || !strings.Contains(err.Error(), "interrupted after 0 of 8") {
		t.Errorf("error %v, want that it was interrupted", err)
	}
	waitGone(t, pid)
	if _, err := os.Stat(out); err == nil {
		t.Error("an interrupted run wrote a report")
	}
}

// If the stage is killed, no detector is left, not even one that does not notice the end of its input.
func TestKilledStage(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	stage := exec.Command(os.Args[0], "score", "--security", corpusFile(t, sample()), "--detector", "d",
		"--run", "1", "--out", filepath.Join(t.TempDir(), "report.json"), "--", os.Args[0], "fake", "pid", pids)
	if err := stage.Start(); err != nil {
		t.Fatal(err)
	}
	pid := waitForPID(t, pids)
	stage.Process.Kill()
	stage.Wait()
	waitGone(t, pid)
}

func waitForPID(t *testing.T, path string) int {
	t.Helper()
	for range 6000 {
		data, err := os.ReadFile(path)
		if err == nil && bytes.HasSuffix(data, []byte("\n")) {
			pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the detector did not start")
	return 0
}

func waitGone(t *testing.T, pid int) {
	t.Helper()
	for range 6000 {
		p, err := os.FindProcess(pid)
		if err != nil || p.Signal(syscall.Signal(0)) != nil || zombie(pid) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("the detector %d is still running", pid)
}

// zombie reports whether the process has ended and only waits to be reaped.
func zombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && bytes.Contains(stat, []byte(") Z "))
}

func TestCommand(t *testing.T) {
	out := filepath.Join(t.TempDir(), "report.json")
	cmd := Command()
	cmd.SetArgs([]string{"--security", corpusFile(t, sample()), "--detector", "keywords", "--run", "3", "--out", out})
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := contracts.Read[contracts.SecurityReport](out)
	if err != nil {
		t.Fatal(err)
	}
	if r.Run != 3 || r.Detector.Detector != "keywords" || len(r.PerEntry) != 8 || r.SecurityVersion != "test" {
		t.Errorf("run %d, detector %s, %d entries of version %s", r.Run, r.Detector.Detector, len(r.PerEntry), r.SecurityVersion)
	}
	cmd = Command()
	cmd.SetArgs([]string{"--security", "x", "--detector", "d", "--run", "1", "--out", out, "python3", "detect.py"})
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "must follow --") {
		t.Errorf("error %v, want that a command goes after --", err)
	}
}

// A report in which "scanner" is another detector would be misread.
func TestCommandUnderOurName(t *testing.T) {
	err := Run(t.Context(), Options{
		Security: corpusFile(t, sample()), Out: filepath.Join(t.TempDir(), "r.json"),
		Detector: "scanner", Argv: []string{os.Args[0], "fake", "honest"},
	})
	if err == nil || !strings.Contains(err.Error(), "another name") {
		t.Errorf("error %v, want one that asks for another name", err)
	}
}
