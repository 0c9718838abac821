package scoreretrieval

import (
	"slices"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
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
		`{"tools": ["create_issue", "send"], "x":`: nil,
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
