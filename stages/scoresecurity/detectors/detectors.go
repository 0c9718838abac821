// Package detectors holds the built-in detectors and the loop that runs one as a
// process: it reads requests as JSON lines and answers each with one verdict line
// (contracts.DetectorRequest and contracts.DetectorVerdict).
//
// The corpus and its labels do not belong in this package: a detector sees only
// the request that it answers.
package detectors

import (
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/closest"
)

// detector judges one request. It fills in all fields of the verdict but
// Protocol and ID. It returns an error if it could not judge.
type detector func(contracts.DetectorRequest) (contracts.DetectorVerdict, error)

// declared is a built-in detector: its name, what docs/reference/detectors.md says about
// it, and how to make it.
type declared struct {
	name, about string
	build       func() (detector, error)
}

// table lists the built-in detectors in the order of help texts. It is the only
// place that names them. docs/contributing/add-a-detector.md describes how to
// add one.
var table = []declared{
	{"scanner", "all checks of the scanner", checks()},
	{"unicode", "only the check for hidden and deceptive characters", checks("unicode.hidden")},
	{"directives", "only the checks of what sentences say: the shapes of known attacks, and the classifier",
		checks("tripwire.known", "sentence.classifier")},
	{"shadowing", "only the check for tools that pose as, or redirect, tools of other servers",
		checks("shadowing.cross_server")},
	{"keywords", "a short list of suspicious words: the control that every other detector has to beat",
		function(keywords)},
}

// checks builds a detector from the scanner's checks of these ids, or from all
// checks if there are none.
func checks(ids ...string) func() (detector, error) {
	return func() (detector, error) { return scan(ids...) }
}

// function builds a detector from a Go function.
func function(judge detector) func() (detector, error) {
	return func() (detector, error) { return judge, nil }
}

// Names lists the built-in detectors.
func Names() []string {
	names := make([]string, len(table))
	for i, d := range table {
		names[i] = d.name
	}
	return names
}

// Check returns an error if name is not in Names.
func Check(name string) error {
	if slices.Contains(Names(), name) {
		return nil
	}
	if meant := closest.To(name, Names()); meant != "" {
		return fmt.Errorf("unknown detector %q: did you mean %q? The detectors are %s", name, meant,
			strings.Join(Names(), ", "))
	}
	return fmt.Errorf("unknown detector %q: use one of %s", name, strings.Join(Names(), ", "))
}

func build(name string) (detector, error) {
	if err := Check(name); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(table, func(d declared) bool { return d.name == name })
	return table[i].build()
}
