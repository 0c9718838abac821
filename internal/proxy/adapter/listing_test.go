package adapter_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/adapter"
)

// listed returns the tools of a listing with the given attributes, with answers by URL.
func listed(t *testing.T, attributes string, answers map[string]string) (ids []string, partial bool, err error) {
	t.Helper()
	text := strings.Replace(small, "path  = \"/tools\"", attributes, 1)
	r := run(t, text, adapter.Setting{Upstreams: []contracts.Upstream{{Name: "a"}, {Name: "b"}}})
	list, err := r.Listing()
	if err != nil {
		return nil, false, err
	}
	for {
		q, more, err := list.Question()
		if err != nil || !more {
			tools, partial := list.Tools()
			for _, t := range tools {
				ids = append(ids, t.ID)
			}
			return ids, partial, err
		}
		if err := list.Add(adapter.Answer{Text: []byte(answers[q.URL])}); err != nil {
			return nil, false, err
		}
	}
}

func TestListInSeveralRequests(t *testing.T) {
	for name, tc := range map[string]struct {
		attributes string
		answers    map[string]string
		want       string
	}{
		"one request": {`path = "/t"`, map[string]string{"/t": `[{"id": "a:x"}, {"id": "a:x"}]`}, "[a:x a:x] false <nil>"},
		"for each upstream": {"for_each = upstreams\n path = \"/t\"\n params = { of = each.name }",
			map[string]string{"/t?of=a": `[{"id": "a:x"}]`, "/t?of=b": `[{"id": "b:y"}]`}, "[a:x b:y] false <nil>"},
		"queries that overlap": {"for_each = [\"file\", \"mail\"]\n path = \"/t\"\n params = { q = each }",
			map[string]string{"/t?q=file": `[{"id": "a:x"}, {"id": "a:y"}]`, "/t?q=mail": `[{"id": "a:y"}, {"id": "a:z"}]`},
			"[a:x a:y a:z] false <nil>"},
		"pages": {"path = \"/t\"\n params = { page = cursor }\n next = length(answer) < 2 ? null : \"2\"",
			map[string]string{"/t": `[{"id": "a:x"}, {"id": "a:y"}]`, "/t?page=2": `[{"id": "a:z"}]`}, "[a:x a:y a:z] false <nil>"},
		"a limit": {"path = \"/t\"\n max_items = 2", map[string]string{"/t": `[{"id": "a:x"}, {"id": "a:y"}]`}, "[a:x a:y] true <nil>"},
		"below the limit": {"path = \"/t\"\n max_items = 3", map[string]string{"/t": `[{"id": "a:x"}, {"id": "a:y"}]`},
			"[a:x a:y] false <nil>"},
		"an endless list":    {"path = \"/t\"\n next = 1", map[string]string{"/t": `[]`}, "the list is endless"},
		"no list to go over": {"for_each = expected\n path = \"/t\"", nil, "for_each is a number but must be a list"},
		"no cursor":          {"path = \"/t\"\n next = answer", map[string]string{"/t": `[]`}, "next is a list"},
	} {
		ids, partial, err := listed(t, tc.attributes, tc.answers)
		if got := fmt.Sprint(ids, partial, err); !strings.Contains(got, tc.want) {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
}

// The limit of a query can be used where the answer is read, for a proxy that has none.
func TestLimitOfItems(t *testing.T) {
	text := strings.Replace(small, "items  = answer.found", "items = slice(answer, 0, min(limit, length(answer)))\n max_limit = 3", 1)
	text = strings.Replace(text, "  score  = item.score", "", 1)
	r := run(t, text, adapter.Setting{})
	asked := r.Limited(adapter.Asked{Path: "rest", Query: "q", Limit: 10})
	if asked.Limit != 3 {
		t.Errorf("the limit is %d", asked.Limit)
	}
	asked.Limit = 1
	answer, err := r.Hits(asked, adapter.Answer{Text: []byte(`[{"s":"a","n":"x"},{"s":"a","n":"y"}]`)})
	if err != nil || len(answer.Tools) != 1 {
		t.Errorf("got %+v, %v", answer, err)
	}
}

// An adapter of two lines, and what it stands for.
func TestShorthand(t *testing.T) {
	a, err := adapter.Parse([]byte("contract = \"lines\"\ncommand = [\"python3\", \"${kept}/search.py\"]\n"), "dir/mine.hcl")
	if err != nil {
		t.Fatal(err)
	}
	if a.Name != "mine" || a.Contract != adapter.Lines || a.Build == nil || len(a.Build.Keep) != 1 || a.Build.Keep[0] != "." {
		t.Errorf("got %+v", a)
	}
	text, err := a.Portable(func(string) bool { return true })
	if err != nil || !strings.HasPrefix(string(text), "name = \"mine\"\n") {
		t.Errorf("got %s, %v", text, err)
	}
	for bad, want := range map[string]string{
		"contract = \"lines\"\ncommand = [\"x\"]\nstart {\n command = [\"y\"]\n}":             "two commands",
		"contract = \"lines\"\ncommand = [kept]\nbuild {\n binary = \"x\"\n}":                 "keeps no files",
		"contract = \"lines\"\ncommand = [\"x\"]\nbuild {\n keep = [\"../x\"]\n}":             "not inside",
		"contract = \"lines\"\ncommand = [\"x\"]\nbuild {\n}":                                 "nothing is kept",
		"contract = \"lines\"\ncommand = [\"x\"]\nmcp {\n}":                                   "not used by the lines contract",
		"contract = \"lines\"\ncommand = [query]":                                             `"query" is not available here`,
		small + "\nreplay {\n page_size = 0\n}":                                               "invalid page size",
		strings.Replace(small, `path  = "/tools"`, "path = \"/tools\"\nmax_items = -1", 1):    "max_items is -1",
		strings.Replace(small, `path  = "/tools"`, "path = \"/tools\"\nmax_limit = 5", 1):     "the limit of a list is max_items",
		strings.Replace(small, "score  = item.score", "score = item.score\nnext = answer", 1): "next, max_items",
	} {
		if _, err := adapter.Parse([]byte(bad), "x.hcl"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", bad, err, want)
		}
	}
}
