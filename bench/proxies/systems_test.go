package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest"
)

func TestChoose(t *testing.T) {
	chosen, err := choose(systems, "slop-mcp")
	if err != nil || len(chosen) != 3 || chosen[0].adapter != "" || chosen[1].name != floor || chosen[2].name != "slop-mcp" {
		t.Errorf("got %+v, %v", chosen, err)
	}
	if _, err := choose(systems, "no-such"); err == nil {
		t.Error("an unknown system was accepted")
	}
}

// Every row has an adapter that exists, a name of its own, and what it is pinned by.
func TestSystems(t *testing.T) {
	names := map[string]bool{}
	for _, s := range systems {
		if names[s.name] {
			t.Errorf("%s: there are two", s.name)
		}
		names[s.name] = true
		if s.adapter != "" {
			if _, err := os.Stat(filepath.Join("../../adapters", s.adapter+".hcl")); err != nil {
				t.Error(err)
			}
		}
		if s.source != "" && (s.version == "" || (s.commit == "") == (s.npm == "")) {
			t.Errorf("%s is not pinned: %+v", s.name, s)
		}
	}
}

func TestCommand(t *testing.T) {
	s := system{adapter: "a", source: "b", options: map[string]string{"c": "d"}}
	if got, want := s.command(datasets["v2"]), `touchstone gate --var proxy=a --var proxy_source=../b --var proxy_options.c=d`; got != want {
		t.Errorf("got %s", got)
	}
	s = system{adapter: "a", model: true}
	if got, want := s.command(datasets["real"]), `touchstone gate --var data=real --var proxy=a --var proxy_model="$(touchstone models path)"`; got != want {
		t.Errorf("got %s", got)
	}
}

func TestCheckSource(t *testing.T) {
	dir := t.TempDir()
	s := system{source: "them", npm: "@x/y", version: "1.0.0"}
	check := func(want string) {
		t.Helper()
		err := s.check(t.Context(), dir, "")
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	check("them is not in the directory")
	if err := os.Mkdir(filepath.Join(dir, "them"), 0o755); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{"packages":{"node_modules/@x/y":{"version":"1.0.0"}}}`: "",
		`{"packages":{"node_modules/@x/y":{"version":"1.0.1"}}}`: "at version 1.0.1",
		`{"packages":{}}`: "is not in package-lock.json",
	} {
		if err := os.WriteFile(filepath.Join(dir, "them", "package-lock.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		check(want)
	}
}

func TestCheckModel(t *testing.T) {
	s := system{adapter: "a", model: true}
	if err := s.check(t.Context(), "", ""); err == nil || !strings.Contains(err.Error(), "it needs a sentence model, see -model") {
		t.Errorf("without a model: %v", err)
	}
	if err := s.check(t.Context(), "", "model"); err != nil {
		t.Errorf("with a model: %v", err)
	}
}

// countedClient answers all queries but "bad".
type countedClient struct{ asked *atomic.Int32 }

func (c countedClient) Search(_ context.Context, query string, _ int) (undertest.Answer, error) {
	c.asked.Add(1)
	if query == "bad" {
		return undertest.Answer{}, errors.New("no")
	}
	return undertest.Answer{}, nil
}

// Several clients ask each query once together, and a failed one has no time.
func TestAsk(t *testing.T) {
	var asked atomic.Int32
	b := &bencher{options: options{budget: time.Hour}}
	queries := []contracts.Query{{Query: "bad"}}
	for range 9 {
		queries = append(queries, contracts.Query{Query: "good"})
	}
	c := countedClient{&asked}
	got := b.askAtOnce(t.Context(), []searcher{c, c, c}, queries)
	if asked.Load() != 10 || len(got.times) != 9 || got.failed != 1 {
		t.Errorf("%d asked: %+v", asked.Load(), got)
	}
	var constant atomic.Int32
	got, beside := b.askBeside(t.Context(), c, countedClient{&constant}, queries)
	if asked.Load() != 20 || constant.Load() != 10 || len(got.times) != 9 || len(beside.times) != 9 {
		t.Errorf("%d and %d asked: %+v, %+v", asked.Load(), constant.Load(), got, beside)
	}
	b.budget = -1
	got, beside = b.askBeside(t.Context(), c, c, queries)
	if late := b.askAtOnce(t.Context(), []searcher{c}, queries); len(got.times)+len(beside.times)+len(late.times) != 0 {
		t.Errorf("without time left: %+v, %+v, %+v", got, beside, late)
	}
}

func TestFirstLine(t *testing.T) {
	for text, want := range map[string]string{
		"waiting for 1 of 2\ntouchstone: proxy \"a\" did not index the corpus: 1 differs:\n  b": `proxy "a" did not index the corpus: 1 differs:`,
		"\n  no such thing\nmore": "no such thing",
		" \n":                     "it printed nothing",
	} {
		if got := firstLine(text); got != want {
			t.Errorf("of %q: %q, want %q", text, got, want)
		}
	}
}
