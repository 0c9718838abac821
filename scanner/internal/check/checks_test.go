package check_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/scanner"
	"github.com/touchstone-eval/touchstone/scanner/internal/char"
)

// checkCase is one row of a check's table: a tool, and the expected tier of the
// check's signals: "" for none, "soft" or "hard".
type checkCase struct {
	name string
	tool scanner.Tool
	want string
}

// described makes a tool with only a description.
func described(text string) scanner.Tool {
	return scanner.Tool{Server: "srv", Name: "helper", Description: text}
}

// withSchema makes a tool with a description and an input schema.
func withSchema(text, schema string) scanner.Tool {
	return scanner.Tool{Server: "srv", Name: "helper", Description: text, InputSchema: json.RawMessage(schema)}
}

// runCases runs only one check over its table.
func runCases(t *testing.T, id string, peers []scanner.Tool, cases []checkCase) {
	t.Helper()
	s, err := scanner.New(scanner.WithChecks(id))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := s.ScanOne(c.tool, s.Registry(append([]scanner.Tool{c.tool}, peers...)))
			got := ""
			for _, sig := range f.Signals {
				if sig.Tier == scanner.TierHard || got == "" {
					got = sig.Tier.String()
				}
			}
			if got != c.want {
				t.Errorf("got %q, want %q; signals %+v", got, c.want, f.Signals)
			}
			verifyFinding(t, f)
		})
	}
}

// verifyFinding checks what must hold for every finding on any input.
func verifyFinding(tb testing.TB, f scanner.Finding) {
	tb.Helper()
	if len(f.FailedChecks) > 0 {
		tb.Errorf("checks failed: %v", f.FailedChecks)
	}
	if f.Confidence < 0 || f.Confidence > 1 {
		tb.Errorf("confidence %v is not in 0..1", f.Confidence)
	}
	for _, s := range f.Signals {
		if s.Confidence < 0 || s.Confidence > 1 {
			tb.Errorf("%s: confidence %v is not in 0..1", s.CheckID, s.Confidence)
		}
		for _, text := range []string{s.Evidence, s.Detail} {
			if len(text) > char.MaxEvidence {
				tb.Errorf("%s: %d bytes of text, at most %d", s.CheckID, len(text), char.MaxEvidence)
			}
			if !utf8.ValidString(text) {
				tb.Errorf("%s: %q is not valid UTF-8", s.CheckID, text)
			}
			if i := strings.IndexFunc(text, char.ActsOnDisplay); i >= 0 {
				tb.Errorf("%s: live character in %q", s.CheckID, text)
			}
		}
	}
}

// fuzzCheck fuzzes one check over every text field of a tool.
func fuzzCheck(f *testing.F, id string, seeds ...string) {
	for _, s := range seeds {
		f.Add(s, `{"properties":{"a":{"description":"b"}}}`)
		f.Add("Helper.", `{"properties":{"p":{"default":"`+strings.ReplaceAll(s, `"`, `'`)+`"}}}`)
	}
	s, err := scanner.New(scanner.WithChecks(id), scanner.WithBaseline([]scanner.Tool{described("Helper.")}))
	if err != nil {
		f.Fatal(err)
	}
	peers := []scanner.Tool{{Server: "mail", Name: "send_email", Description: "Send an email."}, {Server: "srv", Name: "other"}}
	reg := s.Registry(peers)
	f.Fuzz(func(t *testing.T, text, schema string) {
		for _, tool := range []scanner.Tool{
			{Server: "srv", Name: "helper", Description: text, InputSchema: json.RawMessage(schema)},
			{Server: text, Name: text, Description: schema, OutputSchema: json.RawMessage(schema), Annotations: json.RawMessage(schema)},
		} {
			first := s.ScanOne(tool, reg)
			verifyFinding(t, first)
			second := s.ScanOne(tool, reg)
			a, _ := json.Marshal(first)
			b, _ := json.Marshal(second)
			if string(a) != string(b) {
				t.Errorf("two scans of one tool differ:\n%s\n%s", a, b)
			}
		}
	})
}
