package progress

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/internal/engine"
)

// line describes an event, or is "" if it needs no line.
func line(e engine.Event) string {
	took := Took(time.Duration(e.DurationMS) * time.Millisecond)
	switch e.Event {
	case engine.EventWaits:
		return "wait  " + name(e) + ": another run executes it"
	case engine.EventStart:
		why := ""
		if len(e.Reasons) > 0 {
			why = "  (" + e.Reasons[0] + ")"
		}

		return "run   " + name(e) + why
	case engine.EventRetry:
		return fmt.Sprintf("retry %s: attempt %d: %s", name(e), e.Attempt, e.Error)
	case engine.EventDone:
		return fmt.Sprintf("done  %s  %s%s", name(e), took, progressText(e))
	case engine.EventFailed:
		return fmt.Sprintf("FAIL  %s: %s", name(e), e.Error)
	default:
		return ""
	}
}

// shortRun is the remaining time below which nobody waits for an estimate.
const shortRun = 3 * time.Second

// progressText formats how far a run is: "  (7 of 27, about 12 s left)".
func progressText(e engine.Event) string {
	if e.Total < 2 {
		return ""
	}

	left := time.Duration(e.LeftMS) * time.Millisecond
	if left < shortRun {
		return fmt.Sprintf("  (%d of %d)", e.Done, e.Total)
	}

	text := left.Round(time.Second).String() // 1m12s
	if left < time.Minute {
		text = fmt.Sprintf("%d s", int(left.Round(time.Second).Seconds()))
	}

	return fmt.Sprintf("  (%d of %d, about %s left)", e.Done, e.Total, text)
}

func name(e engine.Event) string {
	if e.Instance == "" {
		return e.Stage
	}
	return e.Stage + "[" + e.Instance + "]"
}

// Took formats a duration for people.
func Took(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	default:
		return d.Round(time.Second).String()
	}
}

// skips collects skipped instances, so that a failure at the start of a pipeline is not followed
// by a line for each of them.
type skips struct{ events []engine.Event }

func (s *skips) add(e engine.Event) { s.events = append(s.events, e) }

// maxSkipped is the number of skipped stages that a line names.
const maxSkipped = 3

// lines returns a line for each cause: "skip  aggregate, gate, render and 2 more: build failed".
func (s *skips) lines() []string {
	var causes, lines []string
	names := map[string][]string{}
	for _, e := range s.events {
		cause := cmp.Or(e.Error, e.Cause+" failed")
		if names[cause] == nil {
			causes = append(causes, cause)
		}

		names[cause] = append(names[cause], name(e))
	}

	for _, cause := range causes {
		shown := names[cause]
		more := ""
		if n := len(shown) - maxSkipped; n > 0 {
			shown, more = shown[:maxSkipped], fmt.Sprintf(" and %d more", n)
		}

		lines = append(lines, fmt.Sprintf("skip  %s%s: %s", strings.Join(shown, ", "), more, cause))
	}

	s.events = nil
	return lines
}
