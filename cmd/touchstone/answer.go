package main

import (
	"encoding/json"
	"time"

	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
)

// gateAnswer says whether the end of a gate may be shown again for the same tree and command line. The
// Dagger module reads it, because its engine does not run an equal command twice.
type gateAnswer struct {
	Given time.Time `json:"given"`
	// Holds is set if there is a verdict that does not depend on the time or on another machine.
	Holds bool `json:"holds"`
}

func (a gateAnswer) write(file string) error {
	a.Given = time.Now().UTC()
	b, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(file, b, 0o644)
}

// holds reports whether a verdict from cached results stays the same: no result expires, and none
// was looked up on another machine.
func (s *session) holds() bool {
	for _, in := range s.plan.Instances {
		if in.Cache.TTL > 0 {
			return false
		}
	}
	return s.remote == nil
}
