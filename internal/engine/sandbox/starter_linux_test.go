package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/engine/reads"
)

// A starter that was killed, as for lack of memory, is started again.
func TestReadsAfterTheStarterWasKilled(t *testing.T) {
	s := New()
	defer s.Close()
	if !s.Records() {
		t.Skip("this system cannot record what a stage reads")
	}
	recorded(t, s, ":")
	list, err := exec.Command("pgrep", "-P", strconv.Itoa(os.Getpid()), "-f", "touchstone: starts stages").Output()
	if err != nil {
		t.Skipf("finding the starter: %v", err)
	}
	if err := exec.Command("kill", append([]string{"-9"}, strings.Fields(string(list))...)...).Run(); err != nil {
		t.Fatal(err)
	}
	job := script(":")
	job.Record = true
	for range 100 {
		r, err := tryStage(t, s, job)
		if errors.Is(err, reads.ErrDisturbed) {
			continue
		}
		if err != nil || !r.Recorded {
			t.Fatalf("%+v, %v", r, err)
		}
		return
	}
	t.Error("no stage can be recorded anymore")
}
