package cache

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// A Component is one named part of a key, so that two runs can be compared part
// by part. Value is a short form for display and may be empty.
type Component struct {
	Name   string
	Digest Digest
	Value  string
}

// A RecordOutput is one output of an action. Path is slash-separated and
// relative to the directory of the action. For a directory, Digest names a tree
// and the caller sets Size.
type RecordOutput struct {
	Name, Path string
	Digest     Digest
	Size       int64
	Mode       fs.FileMode
	Dir        bool
}

// A Record is the result of one successful action.
type Record struct {
	Key             Key
	Stage, Instance string

	Outputs []RecordOutput
	// Stdout and Stderr are the digests of the logs; zero means no log.
	Stdout, Stderr Digest
	// Reads is the digest of what the action read besides its inputs, in the form of the caller; zero means that it is
	// not known.
	Reads Digest

	ExitCode   int // always 0: a failed action has no record
	Started    time.Time
	Duration   time.Duration
	PeakMemory int64 // bytes
	Attempts   int
	Executor   string
	Isolation  []string
	// Expires is when the result becomes invalid; zero means never.
	Expires    time.Time
	Components []Component
	// Origin is nil for a result that was made here. PutRecord ignores it.
	Origin *Origin
}

// A Miss is the reason why a key has no usable record.
type Miss struct {
	// Reason is a phrase such as "no record" or "evicted 2026-11-20 by size".
	Reason string
	Kind   MissKind
}

// MissKind is why a key has no usable record, in a word.
type MissKind string

// Kinds of misses.
const (
	Absent     MissKind = "absent"     // there is no record
	Incomplete MissKind = "incomplete" // an output or a log is missing
	Evicted    MissKind = "evicted"
	Corrupt    MissKind = "corrupt"
	Expired    MissKind = "expired"
	// ReadsChanged is the kind of a record whose command read files that are different now. Callers find that out.
	ReadsChanged MissKind = "reads-changed"
)

// Limits of a record. A larger value means damage or a mistake.
const (
	maxOutputs    = 1 << 16
	maxNameLen    = 1 << 12
	maxRecordBody = 64 << 20
)

// validate returns the reason why r must not be stored as a result.
func (r *Record) validate() error {
	if r.Key.IsZero() {
		return fmt.Errorf("record of %s: the key is zero", r.label())
	}
	if r.ExitCode != 0 {
		return fmt.Errorf("record of %s: exit code %d; only a successful action can be recorded", r.label(), r.ExitCode)
	}
	return validateOutputs(r.Outputs)
}

// Additions lists the content of the record that is not an output.
func (r *Record) Additions() []Digest {
	return slices.DeleteFunc([]Digest{r.Stdout, r.Stderr, r.Reads}, Digest.IsZero)
}

func (r *Record) label() string {
	if r.Instance == "" {
		return r.Stage
	}
	return r.Stage + "[" + r.Instance + "]"
}

func validateOutputs(outputs []RecordOutput) error {
	if len(outputs) > maxOutputs {
		return fmt.Errorf("%d outputs, at most %d are possible", len(outputs), maxOutputs)
	}

	for i := range outputs {
		o := &outputs[i]
		switch {
		case o.Name == "" || len(o.Name) > maxNameLen:
			return fmt.Errorf("output %d has a name of %d bytes, want 1 to %d", i, len(o.Name), maxNameLen)
		case len(o.Path) > maxNameLen || !localPath(o.Path):
			return fmt.Errorf("output %q has the path %q, want one inside the action's directory", o.Name, o.Path)
		case o.Digest.IsZero():
			return fmt.Errorf("output %q has no digest", o.Name)
		case o.Size < 0:
			return fmt.Errorf("output %q has the size %d", o.Name, o.Size)
		}
	}

	return uniqueNames(outputs)
}

func uniqueNames(outputs []RecordOutput) error {
	// Most records have few outputs, where comparing is faster than a map.
	if len(outputs) <= 8 {
		for i := range outputs {
			for j := range outputs[:i] {
				if outputs[i].Name == outputs[j].Name {
					return fmt.Errorf("output %q is listed twice", outputs[i].Name)
				}
			}
		}

		return nil
	}

	seen := make(map[string]bool, len(outputs))
	for i := range outputs {
		if seen[outputs[i].Name] {
			return fmt.Errorf("output %q is listed twice", outputs[i].Name)
		}

		seen[outputs[i].Name] = true
	}

	return nil
}

// localPath reports whether p is a clean, relative, slash-separated path that
// stays inside the directory that it starts from.
func localPath(p string) bool {
	return p != "" && p != "." && p[0] != '/' && p != ".." && !strings.HasPrefix(p, "../") &&
		strings.IndexByte(p, 0) < 0 && path.Clean(p) == p
}
