package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
	"github.com/touchstone-eval/touchstone/stages/render"
)

// remoteResults lists the results of a run that this machine did not make.
func remoteResults(outcomes []*engine.Outcome) []contracts.MadeElsewhere {
	var list []contracts.MadeElsewhere
	for _, o := range outcomes {
		if o.State == engine.Hit && o.Origin != nil {
			list = append(list, contracts.MadeElsewhere{
				Stage: o.Instance.Stage, Instance: o.Instance.Name(), Origin: o.Origin.String(),
				Signed: o.Origin.Signer != nil,
			})
		}
	}
	return list
}

// addRunInfo returns the rewrite that adds the run to published reports. mark differs if the reports
// have to be written again although their results are the same.
func (s *session) addRunInfo(outcomes []*engine.Outcome, summarise func() contracts.RunSummary) (rewrite engine.Rewrite,
	mark string) {
	elsewhere := remoteResults(outcomes)
	if len(elsewhere) > 0 {
		b, _ := json.Marshal(elsewhere) // it holds only texts
		sum := sha256.Sum256(b)
		mark = hex.EncodeToString(sum[:])
	}

	return func(p pipeline.Publish, path string) func([]byte) ([]byte, error) {
		if !ownStage(s.plan.Instances[p.From.Instance], "render") {
			return nil
		}

		return func(content []byte) (changed []byte, err error) {
			if path == reportPage {
				changed, err = render.WithRun(content, summarise())
			} else {
				changed, err = render.WithOrigins(path, content, elsewhere)
			}

			return hidden.Bytes(changed), err
		}
	}, mark
}
