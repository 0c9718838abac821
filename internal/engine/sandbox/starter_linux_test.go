package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/touchstone-eval/touchstone/internal/engine/reads"
)

// A starter that was killed, as for lack of memory, is started again. A stage that it was starting does not wait for it.
func TestReadsAfterTheStarterWasKilled(t *testing.T) {
	s := New()
	defer s.Close()
	if !s.Records() {
		t.Skip("this system cannot record what a stage reads")
	}
	for range 30 {
		recorded(t, s, ":")
		list, err := exec.Command("pgrep", "-P", strconv.Itoa(os.Getpid()), "-f", "touchstone: starts stages").Output()
		if err != nil {
			t.Skipf("finding the starter: %v", err)
		}
		for _, process := range strings.Fields(string(list)) {
			n, err := strconv.Atoi(process)
			if err != nil {
				t.Fatal(err)
			}
			_ = unix.Kill(n, unix.SIGKILL) // an earlier one may be dead
		}
		job := script(":")
		job.Record = true
		r, err := tryStage(t, s, job)
		for range 100 {
			if !errors.Is(err, reads.ErrDisturbed) {
				break
			}
			r, err = tryStage(t, s, job)
		}
		if err != nil || !r.Recorded {
			t.Fatalf("%+v, %v", r, err)
		}
	}
}
