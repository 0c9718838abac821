package scoresecurity

import (
	"cmp"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// maxText bounds the text of an entry in a report, in bytes.
const maxText = 200

// entryText is the beginning of an entry for a reader: "server:tool: description".
func entryText(e contracts.SecurityEntry) string {
	parts := []string{strings.Join(strings.Fields(e.Description), " ")}
	if name := strings.Trim(e.Server+":"+e.Name, ":"); name != "" {
		parts = append([]string{name}, parts...)
	}
	return renderSafe(cmp.Or(strings.Join(parts, ": "), "no description"), maxText)
}

// perEntry lists the result for each entry, in the order of entries.
func perEntry(entries []contracts.SecurityEntry, results []result) []contracts.EntryResult {
	list := make([]contracts.EntryResult, len(entries))
	for i, e := range entries {
		v := results[i].verdict
		r := contracts.EntryResult{
			ID:         e.ID,
			Label:      e.Label,
			Category:   e.Category,
			Text:       entryText(e),
			Technique:  e.Technique,
			Carrier:    e.Carrier,
			Verdict:    contracts.VerdictClean,
			Confidence: v.Confidence,
			Signals:    []string{},
			Evidence:   renderSafe(v.Evidence, maxEvidence),
			Error:      results[i].failed,
		}
		switch {
		case r.Error != "":
			r.Verdict = contracts.VerdictErrored
		case v.Flagged:
			r.Verdict = contracts.VerdictFlagged
		}

		for _, signal := range v.Signals[:min(len(v.Signals), maxSignals)] {
			r.Signals = append(r.Signals, renderSafe(signal, maxSignal))
		}

		list[i] = r
	}

	return list
}
