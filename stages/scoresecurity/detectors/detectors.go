// Package detectors holds the built-in detectors and the loop that runs one as a
// process: it reads requests as JSON lines and answers each with one verdict line
// (contracts.DetectorRequest and contracts.DetectorVerdict).
//
// The corpus and its labels do not belong in this package: a detector knows only
// the request that it answers.
package detectors

import (
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// detector judges one request. It fills in all fields of the verdict but
// Protocol and ID. It returns an error if it could not judge.
type detector func(contracts.DetectorRequest) (contracts.DetectorVerdict, error)

// Names lists the built-in detectors.
func Names() []string {
	return []string{"scanner", "unicode", "directives", "shadowing", "keywords"}
}

// Check returns an error if name is not in Names.
func Check(name string) error {
	if slices.Contains(Names(), name) {
		return nil
	}
	return fmt.Errorf("unknown detector %q: use one of %s", name, strings.Join(Names(), ", "))
}

func build(name string) (detector, error) {
	if err := Check(name); err != nil {
		return nil, err
	}
	switch name {
	case "keywords":
		return keywords, nil
	case "scanner":
		return scan()
	default:
		return scan(checkIDs[name]...)
	}
}
