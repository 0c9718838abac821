package main

import (
	"errors"
	"fmt"
	"os/exec"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/data/validation"
)

func TestHandErrorKeepsCodesOfOtherProgramsApart(t *testing.T) {
	started := exec.Command("sh", "-c", "exit 4").Run()
	for _, c := range []struct {
		err  error
		code int
	}{
		{fmt.Errorf("installing: %w", started), exitStageFailed},
		{fmt.Errorf("reading: %w", &validation.InvalidError{}), exitBadDataset},
		{errors.New("anything"), exitStageFailed},
	} {
		if code := exitCode(t.Context(), stageError(c.err)); code != c.code {
			t.Errorf("%v: exit status %d, want %d", c.err, code, c.code)
		}
	}
}
