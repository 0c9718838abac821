package label

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/touchstone-eval/touchstone/contracts"
)

// small is a pool of two queries over two tools.
func small(t *testing.T) Options {
	t.Helper()
	corpus := contracts.Corpus{Version: "v1", GeneratedFrom: contracts.GeneratedFrom{Source: "the test"}}
	for _, name := range []string{"boil", "chop"} {
		corpus.Tools = append(corpus.Tools, contracts.Tool{
			ToolID: "kitchen:" + name, Server: "kitchen", Tool: name, Description: "About <b>" + name + "</b>.",
			Schema: []byte(`{"type":"object","properties":{"amount":{"type":"number","description":"how much"},"unit":{"enum":["g","ml"]}},"required":["amount"]}`),
		})
	}
	pool := contracts.Pool{CorpusVersion: "v1", Depth: 2, Retrievers: []string{"a"}}
	for _, id := range []string{"q1", "q2"} {
		pool.Items = append(pool.Items, contracts.PoolItem{ID: id, Query: "the <i>text</i> of " + id, Tools: []string{"kitchen:chop", "kitchen:boil"},
			By: map[string][]contracts.ToolID{"a": {"kitchen:boil", "kitchen:chop"}}})
	}
	return Options{Pool: pool, Corpus: corpus, Judge: "a person", Out: filepath.Join(t.TempDir(), "judged.json")}
}

func open(t *testing.T, o Options) *Session {
	t.Helper()
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func judge(t *testing.T, s *Session, query, tool string, grade int) {
	t.Helper()
	if err := s.Judge(query, tool, grade); err != nil {
		t.Fatal(err)
	}
}

func TestSession(t *testing.T) {
	o := small(t)
	s := open(t, o)
	judge(t, s, "q1", "kitchen:chop", 0)
	judge(t, s, "q1", "kitchen:boil", 1)
	judge(t, s, "q1", "kitchen:boil", 2)
	if p := s.Progress(); p != (Progress{Judge: "a person", Items: 2, Pairs: 4, Done: 2, Next: 1}) {
		t.Errorf("%+v", p)
	}
	for _, bad := range []struct {
		query, tool string
		grade       int
		want        string
	}{{"q1", "kitchen:boil", 3, "3 is not a grade"}, {"q9", "kitchen:boil", 1, `no tool "kitchen:boil" for a query "q9"`}, {"q1", "kitchen:fry", 1, `no tool "kitchen:fry"`}} {
		if err := s.Judge(bad.query, bad.tool, bad.grade); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	// Undo gives back the grade before, and then none.
	for _, want := range []string{"0 1", "0 -", "- -"} {
		if undone, ok, err := s.Undo(); err != nil || !ok || undone.Item != 0 {
			t.Fatalf("%+v %v %v", undone, ok, err)
		}
		item, _ := s.Item(0)
		got := ""
		for _, tool := range item.Tools {
			if tool.Relevance == nil {
				got += " -"
			} else {
				got += fmt.Sprint(" ", *tool.Relevance)
			}
		}
		if got != " "+want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if _, ok, err := s.Undo(); ok || err != nil {
		t.Errorf("undid nothing: %v %v", ok, err)
	}
	judge(t, s, "q2", "kitchen:boil", 2)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	exported, err := contracts.Read[contracts.Judgements](o.Out)
	if err != nil {
		t.Fatal(err)
	}
	want := contracts.Judgements{CorpusVersion: "v1", Judge: "a person", Judged: []contracts.JudgedQuery{
		{ID: "q2", Query: "the <i>text</i> of q2", Labels: []contracts.Label{{ToolID: "kitchen:boil", Relevance: 2}}},
	}}
	if diff := cmp.Diff(want, exported); diff != "" {
		t.Error(diff)
	}
}

// The journal has every judgement at once. What a kill cuts off is removed.
func TestJournalContinues(t *testing.T) {
	o := small(t)
	s := open(t, o)
	judge(t, s, "q1", "kitchen:chop", 0)
	judge(t, s, "q1", "kitchen:boil", 2)
	if _, err := Open(o); err == nil || !strings.Contains(err.Error(), "another process writes the journal") {
		t.Errorf("a second session: %v", err)
	}
	data, err := os.ReadFile(o.Out + ".journal")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.journal.close(); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	for cut := len(data); cut > len(data)-len(lines[2]); cut-- {
		if err := os.WriteFile(o.Out+".journal", data[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		s := open(t, o)
		want := 2
		if cut < len(data) {
			want = 1
		}
		if got := s.Progress().Done; got != want {
			t.Fatalf("%d judgements after %d of %d bytes, want %d", got, cut, len(data), want)
		}
		judge(t, s, "q1", "kitchen:boil", 1)
		if err := s.journal.close(); err != nil {
			t.Fatal(err)
		}
		again := open(t, o)
		if item, _ := again.Item(0); again.Progress().Done != 2 || *item.Tools[1].Relevance != 1 {
			t.Fatalf("a judgement after a cut journal is lost: %+v", item)
		}
		if err := again.journal.close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Undo goes back over a restart, and what was undone stays so.
func TestUndoAfterARestart(t *testing.T) {
	o := small(t)
	restart := func(s *Session) *Session {
		t.Helper()
		if s != nil {
			if err := s.journal.close(); err != nil {
				t.Fatal(err)
			}
		}
		return open(t, o)
	}
	grades := func(s *Session) string {
		item, _ := s.Item(0)
		said := ""
		for _, tool := range item.Tools {
			if tool.Relevance == nil {
				said += "-"
			} else {
				said += fmt.Sprint(*tool.Relevance)
			}
		}
		return said
	}
	s := restart(nil)
	judge(t, s, "q1", "kitchen:chop", 0)
	judge(t, s, "q1", "kitchen:boil", 1)
	judge(t, s, "q1", "kitchen:boil", 2)
	for _, want := range []string{"01", "0-", "--"} {
		s = restart(s)
		undone, ok, err := s.Undo()
		if err != nil || !ok || undone.Item != 0 {
			t.Fatalf("%+v %v %v", undone, ok, err)
		}
		if got := grades(s); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	s = restart(s)
	if _, ok, err := s.Undo(); ok || err != nil || grades(s) != "--" {
		t.Errorf("undid nothing: %v %v", ok, err)
	}
	judge(t, s, "q1", "kitchen:chop", 2)
	if s = restart(s); grades(s) != "2-" {
		t.Errorf("%s", grades(s))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestDisputed(t *testing.T) {
	o := small(t)
	labels := func(chop, boil int) map[string]map[contracts.ToolID]int {
		return map[string]map[contracts.ToolID]int{"q1": {"kitchen:chop": chop, "kitchen:boil": boil}}
	}
	first, second := Judged{"A", labels(0, 2)}, Judged{"B", labels(0, 1)}
	pool, given, err := Disputed(o.Pool, first, second)
	if err != nil {
		t.Fatal(err)
	}
	if len(pool.Items) != 1 || len(pool.Items[0].Tools) != 1 || pool.Items[0].Tools[0] != "kitchen:boil" {
		t.Errorf("%+v", pool.Items)
	}
	if diff := cmp.Diff([]Given{{"A", 2}, {"B", 1}}, given["q1"]["kitchen:boil"]); diff != "" {
		t.Error(diff)
	}
	if _, _, err := Disputed(o.Pool, first, first); err == nil || !strings.Contains(err.Error(), "nothing to settle") {
		t.Errorf("judges who agree: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	o := small(t)
	if err := open(t, o).journal.close(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Options){
		`has the labels of "a person" over corpus "v1", and not of "another"`: func(o *Options) { o.Judge = "another" },
		`the pool is over corpus "v1", but this is corpus "v2"`:               func(o *Options) { o.Corpus.Version = "v2" },
		`the corpus has no tool "kitchen:boil"`: func(o *Options) {
			o.Corpus.Tools = o.Corpus.Tools[1:]
		},
		"the pool has the query q1 twice": func(o *Options) { o.Pool.Items = append(slices.Clone(o.Pool.Items), o.Pool.Items[0]) },
		"the pool has no tool to label":   func(o *Options) { o.Pool.Items = nil },
	} {
		changed := o
		change(&changed)
		if _, err := Open(changed); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for text, want := range map[string]string{
		"{}\n": "is not a journal of labels",
		`{"judge":"a person","corpus_version":"v1"}` + "\nnonsense\n": "journal:2: the line is not a label",
	} {
		if err := os.WriteFile(o.Out+".journal", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestSecond(t *testing.T) {
	pool := small(t).Pool
	for i := range 400 {
		pool.Items = append(pool.Items, contracts.PoolItem{ID: fmt.Sprint("more", i), Query: "x", Tools: []string{"kitchen:boil"}})
	}
	first := map[string]map[contracts.ToolID]int{"q1": {"kitchen:boil": 2}}
	for i := range 400 {
		first[fmt.Sprint("more", i)] = map[contracts.ToolID]int{"kitchen:boil": 0}
	}
	all, err := Second(pool, first, 1)
	if err != nil || len(all.Items) != 401 || !slices.Equal(all.Items[0].Tools, []string{"kitchen:boil"}) {
		t.Errorf("%d items, %v", len(all.Items), err)
	}
	part, err := Second(pool, first, 0.25)
	if err != nil || len(part.Items) < 70 || len(part.Items) > 130 {
		t.Errorf("%d items of a quarter, %v", len(part.Items), err)
	}
	if _, err := Second(pool, nil, 1); err == nil {
		t.Error("nobody was the first judge")
	}
}

func FuzzReadJournal(f *testing.F) {
	f.Add([]byte(`{"judge":"j","corpus_version":"v"}` + "\n" + `{"query":"q","tool":"a:b","relevance":2}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "journal")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, size, err := readJournal(path, header{"j", "v"}); err == nil && size > int64(len(data)) {
			t.Errorf("%d of %d bytes", size, len(data))
		}
	})
}
