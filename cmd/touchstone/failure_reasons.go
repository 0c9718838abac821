package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/engine"
)

// maxLogLines is the number of lines that are shown of the log of a failed stage.
const maxLogLines = 40

// failureReasons returns the reasons why an instance failed, at least one, and the end of its log. It
// names the files of inputs as the user knows them.
func (s *session) failureReasons(outcomes []*engine.Outcome, o *engine.Outcome) (reasons []contracts.Reason,
	log []string) {
	names := s.sourceNames(outcomes, o)
	log = tail(names.replace(s.logOf(o)), maxLogLines)
	if reasons = s.refusedData(o, names); len(reasons) > 0 {
		return reasons, nil // the log repeats them
	}

	var exit *engine.ExitError
	plain := errors.As(o.Err, &exit) && !exit.TimedOut && exit.Hint == ""
	if !plain {
		reasons = append(reasons, contracts.Reason{Message: o.Err.Error()})
	}

	placed := 0
	for _, line := range log {
		if r, ok := parseReason(line, names.sources()); ok {
			reasons, placed = append(reasons, r), placed+1
		}
	}

	if placed == 0 && plain {
		message := o.Err.Error()
		if len(log) > 0 {
			message = fmt.Sprintf("%s (%s)", strings.TrimPrefix(log[len(log)-1], toolName+": "), message)
		}

		reasons = append(reasons, contracts.Reason{Message: message})
	}

	for i := range reasons {
		reasons[i].Stage = o.Instance.String()
	}

	return reasons, log
}

// logOf returns what a failed instance printed to standard error or, if that is nothing, to
// standard output.
func (s *session) logOf(o *engine.Outcome) string {
	log, err := s.store.Bytes(o.Stderr)
	if err != nil || len(log) == 0 {
		log, _ = s.store.Bytes(o.Stdout) // without a log there is nothing to show
	}
	return string(log)
}

// refusedData returns the problems that validate-datasets found, all of them. Its log has only the
// first ones of each file.
func (s *session) refusedData(o *engine.Outcome, names sourceNames) []contracts.Reason {
	if !ownStage(o.Instance, "validate-datasets") {
		return nil
	}

	for _, out := range o.Failed.Outputs {
		if out.Dir {
			continue
		}

		data, err := s.store.Bytes(out.Digest)
		if err != nil {
			continue
		}

		if v, err := contracts.Decode[contracts.Validation](out.Name, data); err == nil && len(v.Problems) > 0 {
			for i := range v.Problems {
				v.Problems[i].Stage, v.Problems[i].File = o.Instance.String(), names.replace(v.Problems[i].File)
			}

			return v.Problems
		}
	}

	return nil
}

// parseReason reads a line of a log that names a place in one of the given files:
// "FILE:LINE:COLUMN: message", "FILE:LINE: message" or "FILE: message".
func parseReason(line string, files []string) (contracts.Reason, bool) {
	line = strings.TrimPrefix(strings.TrimSpace(line), toolName+": ")
	for _, file := range files {
		rest, ok := strings.CutPrefix(line, file+":")
		if !ok {
			continue
		}

		r := contracts.Reason{File: file}
		for _, number := range []*int{&r.Line, &r.Column} {
			digits, after, more := strings.Cut(rest, ":")
			n, err := strconv.ParseInt(digits, 10, 32)
			if !more || err != nil || n < 1 || strings.TrimLeft(digits, "0123456789") != "" {
				break
			}

			*number, rest = int(n), after
		}

		if r.Message = strings.TrimSpace(rest); r.Message != "" {
			return r, true
		}
	}

	return contracts.Reason{}, false
}
