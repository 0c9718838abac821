//go:build !containers

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/selection/model"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// selectionStage is the stage that puts cases to models.
const selectionStage = "score-selection"

// models checks that each model that is to answer cases can do so: a recording
// needs its cassette, and any other model than the lexical baseline would need a
// network, which the stage does not have.
func (d *doctor) models() {
	seen := map[string]bool{}
	var found []string
	for _, in := range d.session.plan.Instances {
		name := flagValue(in.Command, "--model")
		if in.Stage != selectionStage || in.Off != "" || name == "" || seen[name] {
			continue
		}

		seen[name] = true
		if err := d.answers(in, name); err != nil {
			d.fail("models", err.Error(), "record the answers with touchstone stage score-selection --record FILE, "+
				"and name the file with --var selection.cassette=FILE")
			continue
		}

		found = append(found, name)
	}

	if len(found) > 0 {
		d.ok("models", "%s", strings.Join(found, ", "))
	}
}

func (d *doctor) answers(in *pipeline.Instance, name string) error {
	provider, _, _ := strings.Cut(name, "/")
	switch provider {
	case "lexical":
		return nil
	case "replay":
	default:
		return fmt.Errorf("the model %s would be asked over the network, which stages do not have", name)
	}

	cassette, ok := inputOf(in, "cassette")
	if !ok {
		return fmt.Errorf("the model %s has no recorded answers", name)
	}

	recorded, err := model.LoadCassette(cassette.Files[0].Source)
	if err != nil {
		return err
	}

	if recorded.Len() == 0 {
		return fmt.Errorf("the recorded answers of the model %s are empty", name)
	}

	return nil
}

// flagValue returns the word after a flag of a command.
func flagValue(command []string, flag string) string {
	if i := slices.Index(command, flag); i >= 0 && i+1 < len(command) {
		return command[i+1]
	}
	return ""
}
