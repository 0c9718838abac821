package validation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// fewHardNegatives is the number of hard negatives of an attack category below
// which there is a warning: with three, one false alarm is a third.
const fewHardNegatives = 3

// checkSecurity refuses entries that are inconsistent or may not be
// redistributed, and categories that lack either attacks or hard negatives. It
// returns warnings.
func checkSecurity(d *dataset[contracts.SecurityCorpus]) (warnings []string) {
	s := &d.value
	checkSource(d, &s.GeneratedFrom)
	checkNUL(d)
	checkFileName(d, s.Version)
	first := make(map[string]int)
	attacks := make(map[string]int)
	twins := make(map[string]int)
	byText := make(map[string][]string)
	byDefinition := make(map[string]*contracts.SecurityEntry)
	benign := 0
	var twinless []string
	for i := range s.Entries {
		e := &s.Entries[i]
		at := fmt.Sprintf("/entries/%d", i)
		checkID(d, at, "entry", e.ID, i, first)
		checkEntry(d, at, e)
		definition := definitionOf(e)
		if earlier := byDefinition[definition]; earlier == nil {
			byDefinition[definition] = e
		} else if e.Label != earlier.Label && e.Label != "" && earlier.Label != "" {
			d.refuse(at, e.ID, fmt.Sprintf("the definition is the same as that of %s, which is %s", earlier.ID,
				earlier.Label), "correct one of the labels, or remove one of the two")
		}

		switch {
		case slices.Contains(contracts.AttackCategories, e.Category):
			attacks[e.Category]++
		case e.Category == contracts.CategoryBenign:
			benign++
		case e.Category == contracts.CategoryHardNegative && e.HardNegativeFor == "":
			twinless = append(twinless, e.ID)
		}

		if e.HardNegativeFor != "" {
			twins[e.HardNegativeFor]++
		}

		if e.Description != "" && len(e.Peers) == 0 && e.Approved == nil {
			byText[e.Description] = append(byText[e.Description], e.ID)
		}
	}

	if len(s.Entries) == 0 {
		return nil
	}

	warnings = append(warnings, checkTwins(d)...)
	warnings = append(warnings, bareSituations(s)...)
	checkAllDescribed(d)
	warnings = append(warnings, checkCategories(d, attacks, twins)...)
	if benign == 0 {
		warnings = append(warnings, "security: there is no plain benign entry, so the false-positive rate on such "+
			"entries is unknown")
	}

	if len(twinless) > 0 {
		warnings = append(warnings, fmt.Sprintf("security: %d hard negatives do not name the attack category that "+
			"they resemble (hard_negative_for): %s", len(twinless), listed(twinless)))
	}

	maps.DeleteFunc(byText, func(_ string, ids []string) bool {
		return len(ids) == 2 && s.Entries[first[ids[0]]].Twin == ids[1]
	})
	return append(warnings, sameText(byText, "security", "entries")...)
}

// definitionOf returns the part of an entry that a detector sees.
func definitionOf(e *contracts.SecurityEntry) string {
	shown := contracts.SecurityEntry{
		Name: e.Name, Server: e.Server, Description: e.Description, InputSchema: e.InputSchema,
		OutputSchema: e.OutputSchema,
		Annotations:  e.Annotations, Peers: e.Peers, Approved: e.Approved, ServerInstructions: e.ServerInstructions,
	}
	text, err := json.Marshal(shown)
	if err != nil {
		return e.ID // the schema is not JSON: the schema of the contract has reported it
	}
	return string(text)
}

// checkEntry checks that an entry is consistent.
func checkEntry(d *dataset[contracts.SecurityCorpus], at string, e *contracts.SecurityEntry) {
	attack := slices.Contains(contracts.AttackCategories, e.Category)
	switch {
	case e.Category == "" || e.Label == "":
	case e.Label == contracts.LabelMalicious && !attack:
		d.refuse(at+"/category", e.ID, fmt.Sprintf("a malicious entry has the category %s", e.Category),
			"give it an attack category, or the label benign")
	case e.Label == contracts.LabelBenign && attack:
		d.refuse(at+"/category", e.ID, fmt.Sprintf("a benign entry has the attack category %s", e.Category),
			"use the category benign, or hard_negative with hard_negative_for, or the label malicious")
	}

	if e.HardNegativeFor != "" && (attack || e.Category == contracts.CategoryBenign) {
		d.refuse(at+"/hard_negative_for", e.ID,
			fmt.Sprintf("hard_negative_for on an entry of the category %s", e.Category),
			"use the category hard_negative, or remove the field")
	}

	if e.Provenance.Source != "" && strings.TrimSpace(e.Provenance.Source) == "" {
		d.refuse(at+"/provenance/source", e.ID, "the source is blank",
			"write who or what made the entry, so that others can find it")
	}

	if e.Provenance.License != "" {
		if message, remedy := CheckLicense(e.Provenance.License); message != "" {
			d.refuse(at+"/provenance/license", e.ID, message, remedy)
		}
	}

	checkDescribed(d, at, e)
	checkEntrySchemas(d, at, e)
}

// checkCategories warns of an attack category without hard negatives, which has no
// false-positive rate of its own, and refuses hard negatives without attacks, and a
// corpus without attacks.
func checkCategories(d *dataset[contracts.SecurityCorpus], attacks, twins map[string]int) (warnings []string) {
	for _, c := range contracts.AttackCategories {
		switch {
		case attacks[c] > 0 && twins[c] == 0:
			warnings = append(warnings, fmt.Sprintf("security: the attack category %s has %d attacks and no hard "+
				"negative that names it, so it has no false-positive rate of its own: add a benign entry of the "+
				"category hard_negative with \"hard_negative_for\": %q", c, attacks[c], c))
		case attacks[c] == 0 && twins[c] > 0:
			d.refuse("/entries", "",
				fmt.Sprintf("the attack category %s has %d hard negatives and no attack", c, twins[c]),
				fmt.Sprintf("add a malicious entry of the category %s, or remove its hard negatives", c))
		case attacks[c] == 0:
			warnings = append(warnings, fmt.Sprintf("security: there is no entry of the attack category %s", c))
		case twins[c] < fewHardNegatives:
			warnings = append(warnings,
				fmt.Sprintf("security: the attack category %s has only %d hard negatives", c, twins[c]))
		}
	}

	if len(attacks) == 0 {
		d.refuse("/entries", "", "there is no malicious entry",
			"add attacks: without them there is no recall to measure")
	}

	return warnings
}
