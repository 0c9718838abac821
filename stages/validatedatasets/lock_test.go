package validatedatasets

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

func TestFreeze(t *testing.T) {
	o, dir := stage(t, goodCorpus, goodGolden, goodSecurity(), emptyLock)
	if err := os.Remove(o.Lock); err != nil { // the first freezing makes it
		t.Fatal(err)
	}
	frozen, err := Freeze(o.Lock, "", []string{o.Security, o.Golden})
	if err != nil {
		t.Fatal(err)
	}
	if len(frozen) != 2 || frozen[0].Kind != "security" || frozen[0].File != "security.json" {
		t.Errorf("%+v", frozen)
	}
	if _, err := Freeze(o.Lock, "corpus", []string{o.Corpus}); err != nil {
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
	if _, err := Freeze(o.Lock, "", []string{o.Corpus}); err != nil {
		t.Fatal(err)
	}
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	v, err := contracts.Read[contracts.Validation](o.OutReport)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range v.Datasets {
		if d.State != contracts.StateFrozen {
			t.Errorf("%s is %s", d.Kind, d.State)
		}
	}

	// An edit in place is refused, by validation and by freezing.
	if err := os.WriteFile(o.Golden, []byte(strings.Replace(goodGolden, "otters", "badgers", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	want := `golden.json:2:2: version "v9" of the golden dataset is frozen, and this file differs from it`
	for name, err := range map[string]error{
		"Run":    Run(context.Background(), o),
		"Freeze": second(Freeze(o.Lock, "", []string{o.Golden})),
	} {
		var invalid *InvalidError
		if !errors.As(err, &invalid) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "touchstone datasets next") {
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
	if err := os.WriteFile(next, []byte(strings.Replace(goodGolden, `"version": "v9"`, `"version": "v10"`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Freeze(o.Lock, "", []string{next}); err != nil {
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
	o, dir := stage(t, goodCorpus, goodGolden, goodSecurity(), emptyLock)
	write := func(name, data string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tc := range []struct{ name, kind, path, want string }{
		{"kind", "golden", o.Corpus, "is a corpus dataset, not golden"},
		{"no dataset", "", o.Lock, "is not a dataset"},
		{"no JSON", "", write("half.json", goodCorpus[:100]), "ends in the middle"},
		{"no version", "", write("plain.json", strings.Replace(goodGolden, `"version": "v9",`, "", 1)), "has no version"},
		{"no corpus", "", write("alone/golden.json", goodGolden), "neither given nor in the same directory"},
		{"invalid", "", write("bad.json", strings.Replace(goodGolden, "web:search", "web:serch", 1)), "dangling label"},
		{"missing", "", filepath.Join(dir, "none.json"), "none.json"},
	} {
		if _, err := Freeze(o.Lock, tc.kind, []string{tc.path}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %s", tc.name, err, tc.want)
		}
	}
	other := write("other.json", strings.Replace(goodCorpus, "Find pages", "Look", 1))
	if _, err := Freeze(o.Lock, "", []string{o.Corpus, other}); err == nil || !strings.Contains(err.Error(), "are both corpus v9 but differ") {
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
		o, _ := stage(t, goodCorpus, goodGolden, goodSecurity(), tc.lock)
		err := Run(context.Background(), o)
		var invalid *InvalidError
		if !errors.As(err, &invalid) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	o, _ := stage(t, goodCorpus, goodGolden, goodSecurity(), `{"frozen": [`+line+`]}`)
	listed, err := List(o.Lock)
	if err != nil || len(listed) != 4 || listed[0].State != "missing" {
		t.Errorf("a frozen file that is gone: %+v, %v", listed, err)
	}
}
