package scoresecurity

import (
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

// A detector sees the definition and its situation, and nothing that describes
// the entry.
func TestRequestHoldsTheDefinitionOnly(t *testing.T) {
	line, err := requestLine(requestFor("r1", contracts.SecurityEntry{
		ID: "secret-id", Description: "Adds.", ServerInstructions: "Add first.", Label: contracts.LabelMalicious, Category: contracts.CategoryToolPoisoning,
		Severity: "high", Technique: "fake-note", Carrier: contracts.CarrierServerInstructions, Twin: "innocent-id", Rationale: "because",
		Provenance: contracts.Provenance{Source: "us", License: "MIT", Reference: "https://example.org"},
	}))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"protocol":1,"id":"r1","tool":{"description":"Adds."},"server_instructions":"Add first."}`
	if got := strings.TrimSpace(string(line)); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
