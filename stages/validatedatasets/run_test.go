package validatedatasets

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/data/validation"
	"github.com/touchstone-eval/touchstone/internal/data/versions"
)

// good returns a file of the valid data that the tests of validation have.
func good(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "internal", "data", "validation", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// stage writes valid data to a new directory and returns the options to run on it.
func stage(t *testing.T) (Options, string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"corpus.json", "golden.json", "security.json"} {
		write(t, filepath.Join(dir, name), good(t, name))
	}
	in := func(name string) string { return filepath.Join(dir, name+".json") }
	out := func(name string) string { return filepath.Join(dir, "out", name+".json") }
	write(t, in("lock"), `{"frozen": []}`)
	return Options{
		Corpus: in("corpus"), Golden: in("golden"), Security: in("security"), Lock: in("lock"),
		OutCorpus: out("corpus"), OutGolden: out("golden"), OutSecurity: out("security"), OutReport: out("validation"),
	}, dir
}

func write(t *testing.T, path, data string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestAccepts(t *testing.T) {
	o, _ := stage(t)
	var log bytes.Buffer
	o.Log = &log
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for in, out := range map[string]string{o.Corpus: o.OutCorpus, o.Golden: o.OutGolden, o.Security: o.OutSecurity} {
		a, err := os.ReadFile(in)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s is not a copy of %s", out, in)
		}
	}
	v, err := contracts.Read[contracts.Validation](o.OutReport)
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Datasets) != 3 || v.Datasets[0].Entries != 3 || v.Datasets[1].HardNegatives != 1 || v.Datasets[2].HardNegatives != 6 || v.Datasets[2].State != contracts.StateDraft {
		t.Errorf("%+v", v)
	}
	// Five categories have no entry, and three files are drafts.
	if len(v.Warnings) != 8 || strings.Count(log.String(), "warning: ") != 8 {
		t.Errorf("warnings: %q", v.Warnings)
	}
}

// onlyProblems checks that the stage wrote nothing but the report of the problems.
func onlyProblems(t *testing.T, o Options, invalid *validation.InvalidError) {
	t.Helper()
	if entries, err := os.ReadDir(filepath.Dir(o.OutReport)); err != nil || len(entries) != 1 {
		t.Errorf("written: %v, %v", entries, err)
	}
	v, err := contracts.Read[contracts.Validation](o.OutReport)
	if err != nil || len(v.Datasets) != 0 {
		t.Fatalf("%+v, %v", v, err)
	}
	want := 0
	for _, f := range invalid.Files {
		for _, p := range f.Problems {
			if want < len(v.Problems) {
				if got := v.Problems[want]; got.File != f.Path || got.Line != p.Line || got.Column != p.Column || got.Message != p.Message || got.Remedy != p.Remedy {
					t.Errorf("problem %d is %+v, want %+v", want, got, p)
				}
			}
			want++
		}
	}
	if len(v.Problems) != want || want == 0 {
		t.Errorf("the report has %d problems, want %d", len(v.Problems), want)
	}
}

// Refused files give a report with every problem, and no copies.
func TestRefuses(t *testing.T) {
	o, _ := stage(t)
	write(t, o.Corpus, strings.Replace(good(t, "corpus.json"), `"tool": "search"`, `"tool": "find"`, 1))
	write(t, o.Golden, strings.Replace(good(t, "golden.json"), "tell the", "create_issue tell the", 1))
	err := Run(t.Context(), o)
	var invalid *validation.InvalidError
	if !errors.As(err, &invalid) || invalid.ExitCode() != 4 || len(invalid.Files) != 2 {
		t.Fatalf("not refused: %v", err)
	}
	onlyProblems(t, o, invalid)
}

// TestOurData checks that the data of this repository is valid, without warnings except for drafts.
func TestOurData(t *testing.T) {
	dir := filepath.Join("..", "..", "datasets")
	if _, err := os.Stat(filepath.Join(dir, "corpus_v1.json")); err != nil {
		t.Skip("no datasets in this checkout")
	}
	o, _ := stage(t)
	o.Corpus, o.Golden, o.Security = filepath.Join(dir, "corpus_v1.json"), filepath.Join(dir, "golden_v1.json"), filepath.Join(dir, "security_v1.json")
	o.Cases, o.OutCases = filepath.Join(dir, "cases_v1.json"), filepath.Join(filepath.Dir(o.OutReport), "cases")
	o.Lock = filepath.Join(dir, "lock.json")
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	v, err := contracts.Read[contracts.Validation](o.OutReport)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range v.Warnings {
		if !strings.Contains(w, "is a draft") {
			t.Error(w)
		}
	}
}

func TestCommand(t *testing.T) {
	o, _ := stage(t)
	cmd := Command()
	cmd.SetArgs([]string{"--corpus", o.Corpus, "--golden", o.Golden, "--security", o.Security, "--lock", o.Lock,
		"--out-corpus", o.OutCorpus, "--out-golden", o.OutGolden, "--out-security", o.OutSecurity, "--out-report", o.OutReport})
	var errs bytes.Buffer
	cmd.SetErr(&errs)
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(o.OutReport)
	if err != nil || !json.Valid(data) {
		t.Errorf("%s, %v", data, err)
	}
	if !strings.Contains(errs.String(), "warning: ") {
		t.Errorf("no remarks on standard error: %q", errs.String())
	}
}

func TestAcceptsCases(t *testing.T) {
	o, dir := stage(t)
	o.Cases, o.OutCases = filepath.Join(dir, "cases_v9.json"), filepath.Join(dir, "out", "cases")
	goodCases := good(t, "cases_v9.json")
	write(t, o.Corpus, good(t, "cases_corpus.json"))
	write(t, o.Cases, goodCases)
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(o.OutCases, CasesFile)); err != nil || !bytes.Equal(got, []byte(goodCases)) {
		t.Errorf("the copy is %q, %v", got, err)
	}
	v, err := contracts.Read[contracts.Validation](o.OutReport)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(v.Datasets); n != 4 || v.Datasets[3].Kind != contracts.KindCases || v.Datasets[3].Version != "v9" || v.Datasets[3].Entries != 3 {
		t.Errorf("%+v", v.Datasets)
	}
}

// TestWithoutCases checks that the report of a pipeline without cases does not
// mention them, and that the declared output is there.
func TestWithoutCases(t *testing.T) {
	o, dir := stage(t)
	o.OutCases = filepath.Join(dir, "out", "cases")
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if report, err := os.ReadFile(o.OutReport); err != nil || bytes.Contains(report, []byte("cases")) {
		t.Errorf("the report is %s, %v", report, err)
	}
	if entries, err := os.ReadDir(o.OutCases); err != nil || len(entries) != 0 {
		t.Errorf("the output has %v, %v", entries, err)
	}
}

// An edit of a frozen version can be accepted. The report marks it.
func TestRunReportsAnEditOfFrozenData(t *testing.T) {
	o, _ := stage(t)
	if _, err := versions.Freeze(o.Lock, []string{o.Golden, o.Corpus}); err != nil {
		t.Fatal(err)
	}
	write(t, o.Golden, strings.Replace(good(t, "golden.json"), "otters", "badgers", 1))
	o.ReportChanged = true
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	v, err := contracts.Read[contracts.Validation](o.OutReport)
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]string{}
	for _, d := range v.Datasets {
		states[d.Kind] = d.State
	}
	if states[contracts.KindGolden] != contracts.StateChanged || states[contracts.KindCorpus] != contracts.StateFrozen {
		t.Errorf("states %v", states)
	}
	if !strings.Contains(strings.Join(v.Warnings, "\n"), "is frozen, and the file differs from it") || v.Digests == nil {
		t.Errorf("warnings %q, digests %v", v.Warnings, v.Digests)
	}
}
