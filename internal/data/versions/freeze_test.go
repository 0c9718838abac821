package versions

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/data/validation"
)

const emptyLock = `{"frozen": []}`

// good returns a file of the valid data that the tests of validation have.
func good(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "validation", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, path, data string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

// laid are the files of an evaluation. Cases is empty where there are none.
type laid struct{ Corpus, Golden, Security, Cases, Lock string }

// lay writes valid data and a lock file to a new directory.
func lay(t *testing.T, lock string) (laid, string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"corpus.json", "golden.json", "security.json"} {
		write(t, filepath.Join(dir, name), good(t, name))
	}
	in := func(name string) string { return filepath.Join(dir, name+".json") }
	write(t, in("lock"), lock)
	return laid{Corpus: in("corpus"), Golden: in("golden"), Security: in("security"), Lock: in("lock")}, dir
}

// validate validates the files as the stage does.
func validate(t *testing.T, o laid) (*validation.Accepted, error) {
	t.Helper()
	lock, err := validation.ReadLock(o.Lock)
	if err != nil {
		return nil, err
	}
	return validation.All(t.Context(), validation.Options{Corpus: o.Corpus, Golden: o.Golden, Security: o.Security, Cases: o.Cases, Lock: lock})
}

func TestFreeze(t *testing.T) {
	o, dir := lay(t, emptyLock)
	if err := os.Remove(o.Lock); err != nil { // the first freezing makes it
		t.Fatal(err)
	}
	frozen, err := Freeze(o.Lock, []string{o.Security, o.Golden})
	if err != nil {
		t.Fatal(err)
	}
	if len(frozen) != 2 || frozen[0].Kind != "security" || frozen[0].File != "security.json" {
		t.Errorf("%+v", frozen)
	}
	if _, err := Freeze(o.Lock, []string{o.Corpus}); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(o.Lock)
	if err != nil {
		t.Fatal(err)
	}
	lock, err := contracts.Read[contracts.DatasetLock](o.Lock)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, f := range lock.Frozen {
		kinds = append(kinds, f.Kind)
	}
	if strings.Join(kinds, " ") != "corpus golden security" {
		t.Errorf("not sorted: %v", kinds)
	}

	// Freezing the same bytes again changes nothing.
	if _, err := Freeze(o.Lock, []string{o.Corpus}); err != nil {
		t.Fatal(err)
	}
	accepted, err := validate(t, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range accepted.Report.Datasets {
		if d.State != contracts.StateFrozen {
			t.Errorf("%s is %s", d.Kind, d.State)
		}
	}

	// An edit in place is refused, by validation and by freezing.
	write(t, o.Golden, strings.Replace(good(t, "golden.json"), "otters", "badgers", 1))
	want := `golden.json:2:2: version "v9" of the golden dataset is frozen, and this file differs from it`
	for name, err := range map[string]error{
		"All":    second(validate(t, o)),
		"Freeze": second(Freeze(o.Lock, []string{o.Golden})),
	} {
		var invalid *validation.InvalidError
		if !errors.As(err, &invalid) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "touchstone data next") {
			t.Errorf("%s: %v", name, err)
		}
	}
	after, err := os.ReadFile(o.Lock)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) {
		t.Error("a refused freeze changed the lock file")
	}

	// A new version can be frozen.
	next := filepath.Join(dir, "golden_v10.json")
	write(t, next, strings.Replace(good(t, "golden.json"), `"version": "v9"`, `"version": "v10"`, 1))
	if _, err := Freeze(o.Lock, []string{next}); err != nil {
		t.Error(err)
	}
	listed, err := List(o.Lock)
	if err != nil {
		t.Fatal(err)
	}
	var states []string
	for _, l := range listed {
		states = append(states, l.Kind+" "+l.Version+" "+l.State)
	}
	if got := strings.Join(states, ", "); got != "corpus v9 frozen, golden v10 frozen, golden v9 changed, security v9 frozen" {
		t.Errorf("List: %s", got)
	}
}

func second[A any](_ A, err error) error { return err }

func TestFreezeRefuses(t *testing.T) {
	o, dir := lay(t, emptyLock)
	goodCorpus, goodGolden := good(t, "corpus.json"), good(t, "golden.json")
	named := func(name, data string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, path, data)
		return path
	}
	for _, tc := range []struct{ name, path, want string }{
		{"no dataset", o.Lock, "is not a dataset"},
		{"no JSON", named("half.json", goodCorpus[:100]), "ends in the middle"},
		{"no version", named("plain.json", strings.Replace(goodGolden, `"version": "v9",`, "", 1)), "has no version"},
		{"no corpus", named("alone/golden.json", goodGolden), "neither given nor in the same directory"},
		{"invalid", named("bad.json", strings.Replace(goodGolden, "web:search", "web:serch", 1)), "dangling label"},
		{"missing", filepath.Join(dir, "none.json"), "none.json"},
	} {
		if _, err := Freeze(o.Lock, []string{tc.path}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %s", tc.name, err, tc.want)
		}
	}
	other := named("other.json", strings.Replace(goodCorpus, "Find pages", "Look", 1))
	if _, err := Freeze(o.Lock, []string{o.Corpus, other}); err == nil || !strings.Contains(err.Error(), "are both corpus v9 but differ") {
		t.Errorf("two of one version: %v", err)
	}
	if data, err := os.ReadFile(o.Lock); err != nil || string(data) != emptyLock {
		t.Errorf("the lock file changed: %s, %v", data, err)
	}
}

func TestBadLock(t *testing.T) {
	sum := strings.Repeat("0", 64)
	line := `{"kind": "corpus", "version": "v1", "file": "c.json", "sha256": "` + sum + `"}`
	for name, tc := range map[string]struct{ lock, want string }{
		"twice":  {`{"frozen": [` + line + `,` + line + `]}`, "corpus v1 is frozen twice"},
		"kind":   {strings.Replace(`{"frozen": [`+line+`]}`, `"corpus"`, `"corpse"`, 1), `did you mean "corpus"?`},
		"broken": {`{`, "ends in the middle"},
	} {
		o, _ := lay(t, tc.lock)
		_, err := validate(t, o)
		var invalid *validation.InvalidError
		if !errors.As(err, &invalid) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	o, _ := lay(t, `{"frozen": [`+line+`]}`)
	listed, err := List(o.Lock)
	if err != nil || len(listed) != 4 || listed[0].State != "missing" {
		t.Errorf("a frozen file that is gone: %+v, %v", listed, err)
	}
}

// TestFreezeCases freezes a set, and refuses it once it has changed.
func TestFreezeCases(t *testing.T) {
	o, dir := lay(t, emptyLock)
	goodCases := good(t, "cases_v9.json")
	o.Cases = filepath.Join(dir, "cases_v9.json")
	write(t, o.Corpus, good(t, "cases_corpus.json"))
	write(t, o.Cases, goodCases)
	added, err := Freeze(o.Lock, []string{o.Cases})
	if err != nil || len(added) != 1 || added[0].File != "cases_v9.json" {
		t.Fatalf("%v, %v", added, err)
	}
	all, err := List(o.Lock)
	if i := slices.IndexFunc(all, func(l Listed) bool { return l.Kind == contracts.KindCases }); err != nil || i < 0 || all[i].State != contracts.StateFrozen || all[i].Entries != 3 {
		t.Errorf("%+v, %v", all, err)
	}
	write(t, o.Cases, strings.Replace(goodCases, "good night", "good day", 1))
	if _, err := validate(t, o); err == nil || !strings.Contains(err.Error(), `version "v9" of the cases dataset is frozen, and this file differs from it`) {
		t.Errorf("%v", err)
	}
	// A set without its corpus cannot be checked.
	alone := filepath.Join(t.TempDir(), "cases_v9.json")
	write(t, alone, goodCases)
	if _, err := Freeze(o.Lock, []string{alone}); err == nil || !strings.Contains(err.Error(), `is made for corpus "v9", which is neither given nor in the same directory`) {
		t.Errorf("%v", err)
	}
}
