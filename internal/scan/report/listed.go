package report

import (
	"fmt"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/scanner"
)

// Listed is a definition that was read, and every place where it was.
type Listed struct {
	Server  string          `json:"server"`
	Tool    string          `json:"tool"`
	Subject scanner.Subject `json:"subject,omitempty"`
	Places  []input.Place   `json:"places"`

	label string
}

// listed lists definitions in the order in which they were read.
func listed(definitions []definition) []Listed {
	list := make([]Listed, len(definitions))
	for i := range definitions {
		d := &definitions[i]
		list[i] = Listed{d.Server, d.Name, d.Subject, d.places, d.Label()}
	}
	return list
}

// items lists what was read for people.
func listedItems(all []Listed) []item {
	items := make([]item, len(all))
	for i, l := range all {
		items[i] = item{Subject: safetext.Clip(l.Server, safetext.MaxName) + ":" +
			safetext.Clip(l.label, safetext.MaxName), Text: placesText(l.Places)}
	}
	return items
}

// readTitle is the title of the list of what was read.
func (r *Result) readTitle() string { return fmt.Sprintf("Read (%s)", r.Scanned()) }
