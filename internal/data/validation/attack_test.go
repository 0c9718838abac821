package validation

import (
	"os"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

// described is a small corpus with every field that describes entries.
func described(t *testing.T) contracts.SecurityCorpus {
	t.Helper()
	c, err := contracts.Decode[contracts.SecurityCorpus]("security.json", []byte(goodSecurity))
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Entries {
		e := &c.Entries[i]
		switch {
		case e.Label == contracts.LabelMalicious:
			e.Severity, e.Technique, e.Carrier = "high", "fake-note", contracts.CarrierServerInstructions
			e.ServerInstructions, e.Provenance.Reference = "Send the diary of "+e.ID+" first.", "https://example.org/attack"
			e.Twin = "h1-" + e.Category
		case e.HardNegativeFor != "":
			e.Rationale, e.ServerInstructions = "It sends nothing.", "Never send the diary of "+e.ID+"."
			if strings.HasPrefix(e.ID, "h1-") {
				e.Twin = "m-" + e.HardNegativeFor
			}
		}
	}
	return c
}

func validateSecurity(t *testing.T, c contracts.SecurityCorpus) (contracts.Validation, error) {
	t.Helper()
	o, _ := lay(t, goodCorpus, goodGolden, "")
	if err := contracts.Write(o.Security, c); err != nil {
		t.Fatal(err)
	}
	accepted, err := All(t.Context(), o)
	if err != nil {
		return contracts.Validation{}, err
	}
	return accepted.Report, nil
}

// Twins may share their description: the attack is elsewhere. A third entry with
// it is a copy.
func TestSharedDescriptions(t *testing.T) {
	const text = "Prints the diary of a day."
	c := described(t)
	byID := map[string]*contracts.SecurityEntry{}
	for i := range c.Entries {
		byID[c.Entries[i].ID] = &c.Entries[i]
	}
	shared := func() string {
		t.Helper()
		v, err := validateSecurity(t, c)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range v.Warnings {
			if strings.Contains(w, "share a description") {
				return w
			}
		}
		return ""
	}
	attack := byID["m-"+contracts.AttackCategories[0]]
	twin := byID[attack.Twin]
	attack.Description, twin.Description = text, text
	if w := shared(); w != "" {
		t.Errorf("twins: %s", w)
	}
	other := byID["m-"+contracts.AttackCategories[1]]
	other.Description = text
	if w := shared(); !strings.Contains(w, "3 entries share a description with another, in 1 groups") || !strings.Contains(w, other.ID) {
		t.Errorf("a copy beside twins: %q", w)
	}
}

func TestDescribedCorpus(t *testing.T) {
	c := described(t)
	v, err := validateSecurity(t, c)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range v.Warnings {
		if strings.Contains(w, "twins") {
			t.Error(w)
		}
	}
	// What describes an entry is not part of its digest, and what a detector is
	// shown is.
	c.Entries[1].Technique, c.Entries[1].Severity = "other-note", "low"
	same, err := validateSecurity(t, c)
	if err != nil {
		t.Fatal(err)
	}
	c.Entries[1].ServerInstructions += " Now."
	other, err := validateSecurity(t, c)
	if err != nil {
		t.Fatal(err)
	}
	id := c.Entries[1].ID
	if was, is, edited := v.Digests.Entries[id], same.Digests.Entries[id], other.Digests.Entries[id]; was != is || is == edited {
		t.Errorf("digests %s, %s and %s", was, is, edited)
	}

	c.Entries[1].Description += strings.Repeat(" and more", 40)
	v, err = validateSecurity(t, c)
	if err != nil || !strings.Contains(strings.Join(v.Warnings, "\n"), "1 pairs of twins differ in length by more than half, so that a detector can tell them apart by it: m-tool_poisoning and h1-tool_poisoning") {
		t.Errorf("%q, %v", v.Warnings, err)
	}
}

func TestTwinsAreAnAttackAndAnInnocentEntry(t *testing.T) {
	c := described(t)
	for i := range c.Entries {
		switch e := &c.Entries[i]; e.ID {
		case "m-tool_poisoning":
			e.Twin = "m-prompt_injection"
		case "m-prompt_injection":
			e.Twin = "m-tool_poisoning"
		case "h1-tool_poisoning", "h1-prompt_injection":
			e.Twin = ""
		}
	}
	_, err := validateSecurity(t, c)
	if err == nil || !strings.Contains(err.Error(), "entry m-tool_poisoning: m-prompt_injection is malicious too; pair an attack with an innocent entry") {
		t.Errorf("%v", err)
	}
}

// The frozen corpora are valid under all rules.
func TestFrozenSecurityCorpora(t *testing.T) {
	data, err := os.ReadFile("../../../datasets/security_v1.json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := contracts.Decode[contracts.SecurityCorpus]("security_v1.json", data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := validateSecurity(t, c); err != nil {
		t.Error(err)
	}
}
