// Package detectors holds the detectors that touchstone brings along and the
// loop that makes a process of one: JSON lines in, one verdict line each out
// (contracts.DetectorRequest and contracts.DetectorVerdict).
//
// The corpus and its labels may not come in here: a detector knows the one
// request in front of it.
package detectors

import (
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// detector judges one request. It fills in all of the verdict but protocol and
// id. An error means that it could not judge.
type detector func(contracts.DetectorRequest) (contracts.DetectorVerdict, error)

// Names lists the detectors.
func Names() []string {
	return []string{"scanner", "unicode", "directives", "shadowing", "keywords"}
}

// Check refuses a name that is not in Names.
func Check(name string) error {
	if slices.Contains(Names(), name) {
		return nil
	}
	return fmt.Errorf("detector %q is unknown: use one of %s", name, strings.Join(Names(), ", "))
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
