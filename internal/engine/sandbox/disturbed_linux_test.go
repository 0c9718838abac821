package sandbox

import (
	"errors"
	"os/exec"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/engine/reads"
)

// A signal whose handler does not restart calls makes a call fail that waits to be recorded. Such a stage must be
// reported, so that its results are not used; one without such a call must not.
func TestReadsOfADisturbedStage(t *testing.T) {
	s := New()
	defer s.Close()
	if !s.Records() {
		t.Skip("this system cannot record what a stage reads")
	}
	if _, err := exec.LookPath("perl"); err != nil {
		t.Skip("the stage is a Perl program")
	}
	// It prints the number of calls that failed because of a signal.
	program := `use POSIX; use Time::HiRes qw(setitimer ITIMER_REAL);
		POSIX::sigaction(SIGALRM, POSIX::SigAction->new(sub {}, POSIX::SigSet->new, 0)) if SIGNALS;
		setitimer(ITIMER_REAL, 0.0002, 0.0002) if SIGNALS;
		for (1..20000) { stat("/etc/hostname") or $!{EINTR} and $n++ }
		setitimer(ITIMER_REAL, 0, 0); exit($n > 0)`
	for _, c := range []struct {
		signals string
		want    error
	}{{"0", nil}, {"1", reads.ErrDisturbed}} {
		job := declares(NoNetwork, "/usr/bin/perl", "-e", "use constant SIGNALS => "+c.signals+";"+program)
		job.Record = true
		r, err := tryStage(t, s, job)
		if !errors.Is(err, c.want) {
			t.Errorf("with signals %s: %+v, %v, want %v", c.signals, r, err, c.want)
		}
		job.Record = false
		if r, err := tryStage(t, s, job); err != nil || r.ExitCode != 0 {
			t.Errorf("without a record, calls fail: %+v, %v", r, err)
		}
	}
}
