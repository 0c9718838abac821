package engine

import (
	"errors"
	"testing"

	"github.com/touchstone-eval/touchstone/pipeline"
)

// If several stages fail for one reason, such as an engine of another version, the error gives it.
func TestErrorOfSeveralStages(t *testing.T) {
	wrong := errors.New("the Dagger engine has version v0.1.0; run v0.21.8")
	for _, c := range []struct {
		name string
		e    StageError
		want string
	}{
		{"one", StageError{Outcome: failedStage(wrong)}, "stage a failed: " + wrong.Error()},
		{"the same", StageError{Outcome: failedStage(wrong), Others: []string{"b"}}, "2 stages failed: a, b: " + wrong.Error()},
		{"different", StageError{Outcome: failedStage(wrong), Others: []string{"b"}, Differ: true}, "2 stages failed: a, b"},
		{"exit status", StageError{Outcome: failedStage(&ExitError{Code: 9}), Others: []string{"b"}}, "2 stages failed: a, b"},
	} {
		if got := c.e.Error(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func failedStage(err error) *Outcome {
	return &Outcome{Instance: &pipeline.Instance{Stage: "a"}, State: Failed, Err: err}
}
