package validation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/contracts"
)

// checkDescribed refuses a description of an attack on an entry that is none, a
// carrier that the entry does not have, and a rationale on anything but a hard
// negative.
func checkDescribed(d *dataset[contracts.SecurityCorpus], at string, e *contracts.SecurityEntry) {
	for _, field := range []struct{ name, value string }{{"severity", e.Severity}, {"technique", e.Technique},
		{"carrier", e.Carrier}} {
		if field.value != "" && e.Label == contracts.LabelBenign {
			d.refuse(at+"/"+field.name, e.ID, fmt.Sprintf("a benign entry has a %s", field.name),
				"remove it, or correct the label")
		}
	}

	if e.Rationale != "" && e.Category != "" && e.Category != contracts.CategoryHardNegative {
		d.refuse(at+"/rationale", e.ID, fmt.Sprintf("an entry of the category %s has a rationale", e.Category),
			"use the category hard_negative, or remove the field")
	}

	if field := carriedBy(e); field != "" {
		d.refuse(at+"/carrier", e.ID, fmt.Sprintf("the carrier is %s, but the entry has no %s", e.Carrier, field),
			"name the part that carries the attack, or add the part")
	}
}

// carriedBy returns the field that an entry's carrier is in and that the entry
// lacks, or "".
func carriedBy(e *contracts.SecurityEntry) string {
	missing := map[string]struct {
		field string
		is    bool
	}{
		contracts.CarrierDescription: {"description", e.Description == ""},
		contracts.CarrierParameter:   {"input_schema", len(e.InputSchema) == 0},
		contracts.CarrierEnum: {"enum in its schemas", !bytes.Contains(e.InputSchema, []byte(`"enum"`)) &&
			!bytes.Contains(e.OutputSchema, []byte(`"enum"`))},
		contracts.CarrierOutputSchema:       {"output_schema", len(e.OutputSchema) == 0},
		contracts.CarrierName:               {"name", e.Name == "" && e.Server == ""},
		contracts.CarrierAnnotations:        {"annotations", len(e.Annotations) == 0},
		contracts.CarrierServerInstructions: {"server_instructions", e.ServerInstructions == ""},
	}
	if m := missing[e.Carrier]; m.is {
		return m.field
	}

	return ""
}

// checkAllDescribed requires that a corpus that describes one of its entries, by
// severity, technique, carrier or rationale, describes all of them: figures by
// carrier or technique would otherwise be about an unknown part of the corpus.
func checkAllDescribed(d *dataset[contracts.SecurityCorpus]) {
	entries := d.value.Entries
	if !slices.ContainsFunc(entries, func(e contracts.SecurityEntry) bool {
		return e.Severity != "" || e.Technique != "" || e.Carrier != "" || e.Rationale != ""
	}) {
		return
	}

	for i := range entries {
		e := &entries[i]
		attack, hard := e.Label == contracts.LabelMalicious, e.Category == contracts.CategoryHardNegative
		for _, field := range []struct {
			name, value string
			needed      bool
		}{
			{"severity", e.Severity, attack}, {"technique", e.Technique, attack}, {"carrier", e.Carrier, attack},
			{"hard_negative_for", e.HardNegativeFor, hard}, {"rationale", e.Rationale, hard},
		} {
			if at := fmt.Sprintf("/entries/%d", i); field.needed && field.value == "" &&
				!d.fromSchema[at+"/"+field.name] {
				d.refuse(at, e.ID, fmt.Sprintf("the field %q is missing, and this corpus describes its attacks and "+
					"hard negatives", field.name), "add it, or describe no entry of this corpus")
			}
		}
	}
}

// checkTwins refuses pairs that are none, and returns a warning about pairs of
// which one is much longer. A detector must not tell them apart by their length.
func checkTwins(d *dataset[contracts.SecurityCorpus]) (warnings []string) {
	entries := d.value.Entries
	at := make(map[string]int, len(entries))
	for i := range entries {
		at[entries[i].ID] = i
	}

	var uneven []string
	for i := range entries {
		e := &entries[i]
		if e.Twin == "" {
			continue
		}

		place := fmt.Sprintf("/entries/%d/twin", i)
		j, known := at[e.Twin]
		if !known {
			d.refuse(place, e.ID, fmt.Sprintf("there is no entry %q", e.Twin),
				"name the other entry of the pair, or remove the field")
			continue
		}

		twin := &entries[j]
		switch {
		case i == j:
			d.refuse(place, e.ID, "the entry is its own twin", "name the other entry of the pair")
		case twin.Twin != e.ID:
			d.refuse(place, e.ID, fmt.Sprintf("the twin of %s is %q", twin.ID, twin.Twin),
				"let the two entries name each other")
		case e.Label == twin.Label && e.Label != "":
			if i < j {
				d.refuse(place, e.ID, fmt.Sprintf("%s is %s too", twin.ID, twin.Label),
					"pair an attack with an innocent entry")
			}
		case i < j && unevenLengths(e, twin):
			uneven = append(uneven, e.ID+" and "+twin.ID)
		}
	}

	if len(uneven) > 0 {
		warnings = append(warnings, fmt.Sprintf("security: %d pairs of twins differ in length by more than half, so "+
			"that a detector can tell them apart by it: %s", len(uneven), listed(uneven)))
	}

	return warnings
}

// slack is the number of characters by which the lengths of twins may differ in
// any case.
const slack = 80

// unevenLengths reports whether one of two definitions is longer than the other
// by more than half.
func unevenLengths(a, b *contracts.SecurityEntry) bool {
	short, long := definitionLength(a), definitionLength(b)
	if short > long {
		short, long = long, short
	}
	return long > short+slack && 2*long > 3*short
}

// definitionLength counts the characters of a definition, without white space
// between the parts of schemas.
func definitionLength(e *contracts.SecurityEntry) int {
	n := utf8.RuneCountInString(e.Name) + utf8.RuneCountInString(e.Description) +
		utf8.RuneCountInString(e.ServerInstructions)
	for _, raw := range []json.RawMessage{e.InputSchema, e.OutputSchema, e.Annotations} {
		var b bytes.Buffer
		if len(raw) > 0 && json.Compact(&b, raw) == nil {
			n += utf8.RuneCount(b.Bytes())
		}
	}
	return n
}
