package scoreretrieval

import (
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest"
)

func TestResultEnds(t *testing.T) {
	t.Parallel()
	hits := []contracts.SearchHit{{Name: "github:create_issue"}, {Name: "slack:send"}}
	for answer, want := range map[string][]string{
		`{"total": 2, "tools": [{"name":"github:create_issue"}, {"name":"slack:send"}]}`: {
			`{"total": 2, "tools": [{"name":"github:create_issue"}`,
			`{"total": 2, "tools": [{"name":"github:create_issue"}, {"name":"slack:send"}`,
		},
		` [ "create_issue on github" , "send on slack" ] `: {` [ "create_issue on github"`, ` [ "create_issue on github" , "send on slack"`},
		`{"a":{"b":[["create_issue", "send"]]}}`:           {`{"a":{"b":[["create_issue"`, `{"a":{"b":[["create_issue", "send"`},
		`{"servers":["x","y"],"tools":["create_issue","send"]}`: {
			`{"servers":["x","y"],"tools":["create_issue"`, `{"servers":["x","y"],"tools":["create_issue","send"`,
		},
		`["send", "create_issue"]`:                 nil, // another order
		`["create_issue", "send", "x"]`:            nil, // one more than was read of it
		`["create_issue", "send"`:                  {`["create_issue"`, `["create_issue", "send"`},
		"- create_issue\n- send":                   nil,
		`[[[[[["create_issue", "send"]]]]]]`:       nil,
		``:                                         nil,
		`{"create_issue": 1, "send": 2}`:           nil,
		`"[\"create_issue\", \"send\"]"`:           nil,
		`{"tools": ["create_issue", "send"], "x":`: {`{"tools": ["create_issue"`, `{"tools": ["create_issue", "send"`},
		// Cut off within the second result, after its name, and within one more, before it.
		`{"tools":[{"name":"create_issue"},{"name":"send","a":"b` + "\n\n[cut]": {
			`{"tools":[{"name":"create_issue"}`, `{"tools":[{"name":"create_issue"},{"name":"send","a":"b` + "\n\n[cut]",
		},
		`{"tools":[{"name":"create_issue"},{"name":"send"},{"a":"b` + "\n\n[cut]": {
			`{"tools":[{"name":"create_issue"}`, `{"tools":[{"name":"create_issue"},{"name":"send"}`,
		},
		`{"tools":[{"name":"create_issue"},{"a":"b` + "\n\n[cut]": nil, // fewer than were read of it
	} {
		ends := resultEnds([]byte(answer), hits)
		var got []string
		for _, end := range ends {
			got = append(got, answer[:end])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", answer, got, want)
		}
	}
	if ends := resultEnds([]byte(`[]`), nil); ends != nil {
		t.Errorf("no results end at %v", ends)
	}
}

func TestCostOf(t *testing.T) {
	t.Parallel()
	hit := func(name string) contracts.SearchHit { return contracts.SearchHit{Name: name} }
	answer := func(text string, hits ...contracts.SearchHit) undertest.Answer {
		return undertest.Answer{SearchAnswer: contracts.SearchAnswer{Tools: hits}, Text: []byte(text)}
	}
	// hello| world is two tokens.
	first := answer(`hello world`, hit("x:y"))
	second := answer(`["hello world","none","send"]`, hit("a:hello world"), hit("x:none"), hit("slack:send"))
	ranked := []contracts.RankedTool{{ToolID: "a:hello world"}, {ToolID: "slack:send"}} // x:none was dropped
	cost, err := costOf([]undertest.Answer{first, second}, ranked)
	if err != nil {
		t.Fatal(err)
	}
	if cost.Calls != 2 || cost.Bytes != len(first.Text)+len(second.Text) || len(cost.TokensThrough) != 2 {
		t.Errorf("got %+v", cost)
	}
	// [" hello  world ","| none|","| send| "] of which the first result ends within the fourth
	if want := []int{2 + 4, 2 + 8}; !slices.Equal(cost.TokensThrough, want) || cost.Tokens != 2+8 {
		t.Errorf("got %v of %d tokens, want %v", cost.TokensThrough, cost.Tokens, want)
	}

	if cost, err := costOf([]undertest.Answer{answer("- send", hit("slack:send"))}, ranked[1:]); err != nil || cost.TokensThrough != nil || cost.Tokens == 0 {
		t.Errorf("an answer that cannot be cut: %+v, %v", cost, err)
	}
	if cost, err := costOf([]undertest.Answer{answer("", hit("slack:send"))}, nil); err != nil || cost.TokensThrough != nil || cost.Tokens != 0 {
		t.Errorf("an empty answer: %+v, %v", cost, err)
	}
	if cost, err := costOf([]undertest.Answer{answer(strings.Repeat("a", mostCounted+1))}, nil); err != nil || cost != nil {
		t.Errorf("an answer that is too large: %+v, %v", cost, err)
	}
	if cost, err := costOf([]undertest.Answer{{}}, nil); err != nil || cost != nil {
		t.Errorf("an answer without a text: %+v, %v", cost, err)
	}
}
