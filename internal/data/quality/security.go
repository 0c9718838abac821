package quality

import (
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Security describes a valid security corpus. data is the content of the file
// name.
func Security(name string, data []byte, s contracts.SecurityCorpus) *Report {
	r := &Report{Tables: []Table{}, Findings: []Finding{}}
	categories, severities, carriers, techniques, negatives := counter{}, counter{}, counter{}, counter{}, counter{}
	lengths := map[string][]float64{}
	texts := make([]string, len(s.Entries))
	attacks := 0
	for i, e := range s.Entries {
		categories[e.Category]++
		if e.Label == contracts.LabelMalicious {
			attacks++
			count(severities, e.Severity)
			count(carriers, e.Carrier)
			count(techniques, e.Technique)
		}

		count(negatives, e.HardNegativeFor)
		lengths[e.Label] = append(lengths[e.Label], float64(utf8.RuneCountInString(e.Description)))
		texts[i] = e.Server + " " + e.Name + " " + e.Description + " " + e.ServerInstructions + " " +
			string(e.InputSchema) + " " + string(e.OutputSchema)
		r.checkText(e.ID, e.Description+"\n"+e.ServerInstructions)
	}

	n := len(s.Entries)
	r.Tables = append(r.Tables,
		Table{"size", []Row{{Name: "entries", Value: float64(n)}, {"attacks", float64(attacks), share(attacks, n)}}},
		categories.table("entries by category", n), negatives.table("hard negatives by attack", n),
		severities.table("attacks by severity", attacks), carriers.table("attacks by carrier", attacks),
		Table{"techniques", []Row{{Name: "distinct", Value: float64(len(techniques))}}},
		quantiles("characters of an attack's description", lengths[contracts.LabelMalicious]),
		quantiles("characters of an innocent description", lengths[contracts.LabelBenign]))
	for _, p := range nearDuplicates(texts, 0.9) {
		a, b := &s.Entries[p.first], &s.Entries[p.second]
		if a.Twin == b.ID || b.Twin == a.ID {
			continue // they have to be alike
		}

		r.find("near-duplicate", b.ID, "its definition resembles that of %s (%.2f), and they are no twins", a.ID,
			p.resemblance)
	}

	checkRoundTrip(r, name, data, s)
	return r
}

func count(c counter, word string) {
	if word != "" {
		c[word]++
	}
}
