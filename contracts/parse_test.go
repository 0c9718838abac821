package contracts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestPlaces(t *testing.T) {
	for _, tc := range []struct{ name, data, want string }{
		{"label", "{\"corpus_version\": \"v1\",\n \"queries\": [\n  {\"id\": \"q1\", \"query\": \"x\", \"labels\": [{\"tool_id\": \"a:b\", \"relevance\": 7}]}]}",
			"f.json:3:60: entry q1: labels[0].relevance is 7, must be at most 2; expected: 2 the right tool, 1 acceptable, 0 not relevant"},
		{"did you mean", "{\"corpus_version\": \"v1\",\n \"querys\": []}",
			"f.json:1:1: the field \"queries\" is missing; add it: The queries\nf.json:2:2: unknown field \"querys\"; did you mean \"queries\"?"},
		{"type", `{"corpus_version": "v1", "queries": "none"}`,
			"f.json:1:26: queries is a string, must be an array; expected: The queries"},
		{"columns are characters", `{"corpus_version": "äöü", "queries": 1}`,
			"f.json:1:27: queries is a number, must be an array; expected: The queries"},
		{"tool id", `{"corpus_version": "v1", "queries": [{"id":"q1","query":"x","labels":[{"tool_id":"nocolon","relevance":1}]}]}`,
			`f.json:1:72: entry q1: labels[0].tool_id is "nocolon"; must match ^[^:\x00-\x1f\x7f-\x9f]+:[^\x00-\x1f\x7f-\x9f]+$: A tool as "<server>:<tool>", without control characters`},
		{"syntax", "{\"corpus_version\": \"v1\",\n \"queries\": [1 2]}",
			"f.json:2:16: not JSON: invalid character '2' after array element (expecting ',' or ']'); correct the syntax here"},
		{"cut", "{\"corpus_version\": \"v1\",\n \"queries\": [",
			"f.json:2:14: the file ends in the middle; the file is cut off; restore it or write it again"},
		{"surrogate", `{"corpus_version": "\ud800"}`,
			"f.json:1:21: \\u is not followed by a character's four hexadecimal digits; a character outside the basic plane is written as a pair of surrogates, or as itself"},
		{"control", "{\"corpus_version\": \"a\tb\"}",
			"f.json:1:22: control character U+0009 inside a string; write it as an escape, such as \\n"},
		{"leading zero", `{"corpus_version": 01}`, "f.json:1:21: not JSON: invalid character '1' after object value (expecting ',' or '}'); correct the syntax here"},
		{"minus infinity", `{"corpus_version": -Infinity}`, "f.json:1:20: NaN and Infinity are not JSON numbers; leave the field out where there is no value"},
		{"float for int", `{"corpus_version": "v1", "queries": [{"id":"q1","query":"x","labels":[{"tool_id":"a:b","relevance":1.0}]}]}`,
			"f.json:1:103: queries.labels.relevance cannot be number 1.0; write a whole number in plain digits"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Decode[GoldenSet]("f.json", []byte(tc.data))
			if err == nil || err.Error() != tc.want {
				t.Errorf("got  %v\nwant %s", err, tc.want)
			}
		})
	}
}

func TestEveryProblemAtOnceButTwentyShown(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"corpus_version":"v1","queries":[`)
	for i := range 30 {
		fmt.Fprintf(&b, `{"id":"q%d","query":"","labels":[]},`, i)
	}
	b.WriteString(`{"id":"last","query":"x","labels":[{"tool_id":"a:b","relevance":1}]}]}`)
	v, err := Decode[GoldenSet]("f.json", []byte(b.String()))
	var fe *FileError
	if !errors.As(err, &fe) || len(fe.Problems) != 60 {
		t.Fatalf("%v", err)
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 21 || lines[20] != "f.json: and 40 more" {
		t.Errorf("%d lines, the last is %q", len(lines), lines[len(lines)-1])
	}
	if len(v.Queries) != 31 {
		t.Errorf("the value has %d queries", len(v.Queries))
	}
}

func TestHugeDescription(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads 100 MiB")
	}
	data := []byte(`{"version":"v1","generated_from":{"source":"s"},"tools":[{"tool_id":"a:b","server":"a","tool":"b","schema":{},"description":"`)
	data = append(data, bytes.Repeat([]byte{'x'}, 100<<20)...)
	data = append(data, `"}]}`...)
	path := filepath.Join(t.TempDir(), "corpus.json")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Read[Corpus](path)
	want := path + ":1:125: entry a:b: the text is 100.0 MiB long, the most is 1 MiB; shorten it"
	if err == nil || err.Error() != want {
		t.Fatalf("got %.300v\nwant %s", err, want)
	}
}

func TestHugeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "corpus.json")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(maxFile + 1); err != nil { // sparse: a sparse file uses no disk space
		t.Fatal(err)
	}
	f.Close()
	_, err = Read[Corpus](path)
	if err == nil || !strings.Contains(err.Error(), "larger than 128 MiB") {
		t.Errorf("%.300v", err)
	}
}

// TestErrorsAreSafeToPrint: what a file says must not reach a terminal raw.
// Ids stand in logs, in tables and in the names of test cases. One that moves
// the cursor or begins a line of its own is no id.
func TestIDsArePrintable(t *testing.T) {
	golden := `{"corpus_version":"v1","queries":[{"id":"%s","query":"x","labels":[{"tool_id":"%s","relevance":2}]}]}`
	for _, tc := range []struct {
		query, tool string
		ok          bool
	}{
		{"q1", "server:some tool", true}, {"é-ß", "сервер:工具", true},
		{`q\u001b[2J`, "s:t", false}, {`q\u0085`, "s:t", false}, {"q1", `s\n::error::x:t`, false}, {"q1", `s:t\u001b[2J`, false}, {"q1", `s:t\n`, false},
	} {
		_, err := Decode[GoldenSet]("golden", fmt.Appendf(nil, golden, tc.query, tc.tool))
		if (err == nil) != tc.ok {
			t.Errorf("%q and %q: %v", tc.query, tc.tool, err)
		}
	}
}

func TestErrorsAreSafeToPrint(t *testing.T) {
	_, err := Decode[GoldenSet]("f.json", []byte(`{"\u001b[31m\u202ered\u0085":1}`))
	if err == nil || strings.ContainsAny(err.Error(), "\x1b\u202e\u0085") {
		t.Errorf("%q", err)
	}
	_, err = Decode[GoldenSet]("f.json", []byte(`{"`+strings.Repeat("x", 100_000)+`":1}`))
	if err == nil || len(err.Error()) > 1000 {
		t.Errorf("an error of %d bytes", len(err.Error()))
	}
}

// FuzzParse compares what the parser makes of a text with encoding/json. It
// may refuse more; what it takes has to be the same.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,-0.5e3,"\u00e9\ud83d\ude00\n",true,null,{}]}`, `[]`, `"x"`, `-0`, `1E+2`, `{"a":1,"a":2}`, `"\ud800"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, p := parse(data)
		var want any
		err := json.Unmarshal(data, &want)
		if p.failed == nil && len(p.problems) == 0 {
			if err != nil {
				t.Fatalf("took what encoding/json refuses: %v", err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("got %v, want %v", got, want)
			}
		}
	})
}

// FuzzDecode feeds any bytes to every type: an error has a place and says
// something; what is taken can be written and read again.
func FuzzDecode(f *testing.F) {
	names := SchemaNames()
	for i, name := range names {
		for typ, n := range schemaNames {
			if n == name {
				f.Add(uint8(i), sampleBytes(f, typ))
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		c, ok := codecs[names[int(which)%len(names)]]
		if !ok {
			return
		}
		v, err := c.decode("fuzz.json", data)
		if err != nil {
			var fe *FileError
			if !errors.As(err, &fe) || len(fe.Problems) == 0 || len(err.Error()) > 100_000 {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		out, err := Encode("fuzz.json", v)
		if err != nil {
			t.Fatalf("taken and not written: %v", err)
		}
		if _, err := c.decode("again.json", out); err != nil {
			t.Fatalf("written and not read: %v", err)
		}
	})
}

func BenchmarkReadReport(b *testing.B) {
	metrics := RetrievalMetrics{"recall_at_1": 0.1234567, "recall_at_3": .333333333, "recall_at_5": .55555555, "recall_at_10": 1, "mrr": .123456789, "ndcg_at_10": .8765432101, "map": .2468}
	sum := strings.Repeat("0", 64)
	r := RetrievalReport{CorpusVersion: "v1", GoldenVersion: "v1", CorpusSHA256: sum, GoldenSHA256: sum, Proxy: "p", ProxyIdentity: "i", SearchPath: SearchMCP, Metrics: metrics}
	for i := range 10_000 {
		q := QueryResult{ID: fmt.Sprint("q", i), Query: "some words about the thing to do here", Labels: []Label{{"a:b", 2}, {"c:d", 1}}, Metrics: metrics}
		for k := 1; k <= 10; k++ {
			q.Ranked = append(q.Ranked, RankedTool{Rank: k, ToolID: "server:tool_name", Score: 12.3456789 / float64(k)})
		}
		r.PerQuery = append(r.PerQuery, q)
	}
	data, err := Encode("report.json", r)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Decode[RetrievalReport]("report.json", data); err != nil {
			b.Fatal(err)
		}
	}
}

func TestTooManyValues(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads five million values")
	}
	_, p := parse([]byte("[" + strings.Repeat("1,", maxValues) + "1]"))
	if p.failed == nil || !strings.Contains(p.failed.Message, "more than 5242880 values") {
		t.Errorf("%+v, want a problem", p.failed)
	}
}
