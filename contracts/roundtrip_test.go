package contracts

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRoundTrip(t *testing.T) {
	forEachType(t, func(t *testing.T, c codec) {
		v, err := c.decode("sample", sampleBytes(t, c.typ))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "made", "file.json")
		if err := Write(path, v); err != nil {
			t.Fatal(err)
		}
		back, err := c.read(path)
		if err != nil {
			t.Fatal(err)
		}
		first, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := Write(path, back); err != nil {
			t.Fatal(err)
		}
		second, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, second) {
			t.Errorf("a second writing differs:\n%s", cmp.Diff(string(first), string(second)))
		}
		if !bytes.HasSuffix(first, []byte("}\n")) || bytes.Contains(first, []byte(`\u003c`)) || bytes.Contains(first, []byte("\n  \t")) {
			t.Errorf("not in the canonical form:\n%s", first)
		}
	})
}

// TestRefusals inserts one fault after another into a good file of each type.
func TestRefusals(t *testing.T) {
	forEachType(t, func(t *testing.T, c codec) {
		good := string(sampleBytes(t, c.typ))
		for name, tc := range map[string]struct{ data, want string }{
			"empty":         {"", "is empty"},
			"cut in half":   {good[:len(good)/2], "ends in the middle"},
			"trailing data": {good + "{}", "more data after the end"},
			"mark":          {"\ufeff" + good, "byte order mark"},
			"UTF-8":         {strings.Replace(good, `"`, "\"\xff", 1), "invalid UTF-8 at byte offset 2 (byte 0xff)"},
			"unknown field": {`{"strange_field":1,` + good[1:], `unknown field "strange_field"`},
			"not an object": {"[]", "must be an object"},
			"deep":          {strings.Repeat("[", 5000), "nested deeper than 100 levels"},
			"NaN":           {`{"a":NaN}`, "NaN and Infinity are not JSON"},
			"twice":         {good[:len(good)-1] + "," + good[1:], "occurs twice in the same object"},
			"HTML":          {"<html>", "not JSON: invalid character '<' at start of value"},
		} {
			v, err := c.decode("file.json", []byte(tc.data))
			var fe *FileError
			if !errors.As(err, &fe) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v, want %q", name, err, tc.want)
				continue
			}
			if p := fe.Problems[0]; p.Line < 1 || p.Column < 1 || p.Remedy == "" {
				t.Errorf("%s: incomplete problem %+v", name, p)
			}
			_ = v
		}
	})
}

func TestWriteRefusesBeforeTheDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock.json")
	if err := Write(path, DatasetLock{}); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != "{\n \"frozen\": []\n}\n" {
		t.Errorf("a nil slice became %s", before)
	}
	bad := DatasetLock{Frozen: []FrozenDataset{{Kind: "other", Version: "v1", File: "f", SHA256: "00"}}}
	err = Write(path, bad)
	if err == nil || !strings.Contains(err.Error(), `frozen[0].kind is "other"; must be one of corpus, golden, security, cases`) {
		t.Errorf("bad lock: %v", err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) {
		t.Error("a refused write changed the file")
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestWriteRefusesNaN(t *testing.T) {
	v := Gate{Baseline: "v1", Checks: []GateCheck{{Value: 1}, {Subject: "s", Value: math.NaN()}}}
	err := Write(filepath.Join(t.TempDir(), "gate.json"), v)
	if err == nil || !strings.Contains(err.Error(), "/checks/1/value is NaN") {
		t.Errorf("NaN: %v", err)
	}
}

func TestEncodeLeavesItsArgumentAlone(t *testing.T) {
	v := Gate{Baseline: "v1", Checks: []GateCheck{{Subject: "s", Metric: "mrr", Comparison: ">="}}}
	data, err := Encode("gate.json", &v)
	if err != nil {
		t.Fatal(err)
	}
	if v.Changes != nil || v.Counts != nil || v.Checks[0].Changed != nil {
		t.Error("Encode changed the value")
	}
	for _, want := range []string{`"changes": []`, `"counts": {}`, `"changed": []`} {
		if !bytes.Contains(data, []byte(want)) {
			t.Errorf("no %s in %s", want, data)
		}
	}
}

func TestReadNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "missing.json"), dir} {
		if _, err := Read[Corpus](path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("Read(%s): %v", path, err)
		}
	}
}

func TestExternalData(t *testing.T) {
	shared := filepath.Join("..", "..", "shared", "external")
	if _, err := os.Stat(shared); err != nil {
		t.Skip("the external data is not beside the checkout")
	}
	c, err := Read[Corpus](filepath.Join(shared, "metatool.corpus.json"))
	if err != nil || len(c.Tools) != 199 {
		t.Errorf("corpus: %d tools, %v", len(c.Tools), err)
	}
	g, err := Read[GoldenSet](filepath.Join(shared, "metatool.golden.json"))
	if err != nil || len(g.Queries) != 1411 {
		t.Errorf("golden: %d queries, %v", len(g.Queries), err)
	}
}

func TestCanonicalJSON(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{`{ "b": 1.0, "a": [1e3, -0.5, true, null] }`, `{"a":[1000,-0.5,true,null],"b":1}`},
		{`{"z":{"d":1,"c":"<&>"}}`, `{"z":{"c":"<&>","d":1}}`},
		{`"\u00e9\ud83d\ude00"`, `"é😀"`},
		{`9223372036854775807`, `9223372036854776000`},
	} {
		got, err := CanonicalJSON([]byte(tc.in))
		if err != nil || string(got) != tc.want {
			t.Errorf("CanonicalJSON(%s) = %s, %v; want %s", tc.in, got, err, tc.want)
		}
		again, err := CanonicalJSON(got)
		if err != nil || !bytes.Equal(got, again) {
			t.Errorf("CanonicalJSON is not stable: %s, %v", again, err)
		}
	}
	for _, bad := range []string{"", "{", `{"a":1,"a":2}`, `"\ud800"`, "1 2"} {
		if got, err := CanonicalJSON([]byte(bad)); err == nil {
			t.Errorf("CanonicalJSON(%q) = %s", bad, got)
		}
	}
}
