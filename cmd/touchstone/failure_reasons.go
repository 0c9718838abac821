package main

import (
	"bytes"
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
	log = s.lastLines(o, names)
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
			message = fmt.Sprintf("%s (%s)", cause(log), message)
		}

		reasons = append(reasons, contracts.Reason{Message: message})
	}

	for i := range reasons {
		reasons[i].Stage = o.Instance.String()
	}

	return reasons, log
}

// cause is the line of a log that says why a stage failed: the first line of the error of one of our
// stages, and otherwise the last line.
func cause(log []string) string {
	for _, line := range log {
		if text, own := strings.CutPrefix(line, toolName+": "); own {
			return strings.TrimSuffix(text, ":")
		}
	}
	return log[len(log)-1]
}

// lastLines returns the last lines that an instance printed, with the paths that the user knows.
func (s *session) lastLines(o *engine.Outcome, names sourceNames) []string {
	text, before := s.logOf(o)
	return tail(names.replace(text), maxLogLines, before)
}

// logOf returns the end of what a failed instance printed to standard error or, if that is nothing, to
// standard output, and the number of lines before it.
func (s *session) logOf(o *engine.Outcome) (end string, before int) {
	var log logEnd
	if err := s.store.Copy(o.Stderr, &log); err != nil || log.text.Len() == 0 {
		log = logEnd{}
		_ = s.store.Copy(o.Stdout, &log) // without a log there is nothing to show
	}
	return log.end()
}

// maxLogEnd is the number of bytes at the end of a log that are considered for a message.
const maxLogEnd = 1 << 20

// logEnd is a writer that keeps the end of what is written to it, and counts the lines before.
type logEnd struct {
	text   bytes.Buffer
	before int
}

func (l *logEnd) Write(b []byte) (int, error) {
	_, _ = l.text.Write(b) // it never fails
	if l.text.Len() > 2*maxLogEnd {
		l.drop(l.text.Len() - maxLogEnd)
	}
	return len(b), nil
}

func (l *logEnd) drop(n int) { l.before += bytes.Count(l.text.Next(n), []byte("\n")) }

// end returns at most maxLogEnd bytes, without the first line if that was cut.
func (l *logEnd) end() (text string, before int) {
	if l.text.Len() > maxLogEnd {
		l.drop(l.text.Len() - maxLogEnd)
	}

	if l.before > 0 {
		if at := bytes.IndexByte(l.text.Bytes(), '\n'); at >= 0 {
			l.drop(at + 1)
		}
	}
	return l.text.String(), l.before
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
