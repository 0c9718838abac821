package written

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/model"
	"github.com/touchstone-eval/touchstone/internal/selection/model/modeltest"
)

var wrong = Run{
	Case: selection.Case{Query: "Remind me of the dentist", Expected: []selection.Call{{Server: "s", Tool: "remind"}}},
	Tools: []selection.Tool{
		{Server: "s", Name: "remind", Description: "Add", InputSchema: json.RawMessage(`{}`)},
		{Server: "s", Name: "note", Description: "Keep a note", InputSchema: json.RawMessage(`{}`)},
	},
	Selected:   &selection.MadeCall{Server: "s", Tool: "note"},
	Evaluation: selection.Evaluation{Classification: selection.FN, Reasoning: "The model called note."},
}

func TestRecommend(t *testing.T) {
	for name, tc := range map[string]struct{ arguments, want string }{
		"good":     {`{"recommendations":[{"server":"s","tool":"remind","priority":"high","text":"Say that it reminds."}]}`, ""},
		"empty":    {`{"recommendations":[]}`, ""},
		"unknown":  {`{"recommendations":[{"server":"s","tool":"x","priority":"high","text":"a"}]}`, "was not on offer"},
		"priority": {`{"recommendations":[{"server":"s","tool":"note","priority":"urgent","text":"a"}]}`, "without a text or a priority"},
		"form":     {`{"recommendations":"none"}`, "cannot be read"},
		"text":     {`recommendations: none`, "nothing that can be read"},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.Serve(t, func(r modeltest.Request) modeltest.Reply {
				for _, part := range []string{"Remind me of the dentist", "Keep a note", "The model called note."} {
					if !strings.Contains(r.Query, part) {
						t.Errorf("the model is not told %q: %s", part, r.Query)
					}
				}
				return modeltest.Reply{Calls: []modeltest.Call{{Tool: r.Tools[0], Arguments: tc.arguments}}}
			})
			settings := selection.Settings{Provider: "compatible", Model: "m", Timeout: 30, BaseURL: s.BaseURL()}
			m, err := model.New(settings, model.Options{})
			if err != nil {
				t.Fatal(err)
			}
			list, err := Recommend(t.Context(), m, settings, wrong)
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("%+v, %v", list, err)
			}
			for _, r := range list {
				if !r.FromModel || r.Tool != "remind" || r.Text != "Say that it reminds." {
					t.Errorf("%+v", r)
				}
			}
		})
	}
	if _, err := Recommend(t.Context(), nil, selection.Settings{Provider: "lexical"}, wrong); err == nil {
		t.Error("the baseline writes advice")
	}
}

func FuzzAccept(f *testing.F) {
	f.Add(`{"recommendations":[{"server":"s","tool":"remind","priority":"high","text":"a"}]}`)
	f.Add(`{"recommendations":null}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, text string) {
		list, err := wrong.accept(json.RawMessage(text))
		for _, r := range list {
			if err != nil || !r.FromModel || r.Server != "s" || r.Text == "" || len(r.Text) > maxText+10 {
				t.Errorf("%+v, %v", r, err)
			}
		}
	})
}
