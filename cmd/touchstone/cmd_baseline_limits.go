package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/data/convert"
)

// otherLimits are the limits and figures of another project's baseline, if a user names
// one.
type otherLimits struct {
	file  string
	names map[string]string // of detectors: theirs to ours
	other convert.OtherBaseline
}

func (l *otherLimits) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&l.file, "limits-from", "",
		"a baseline of mcp-eval, whose tolerances and bounds to take over")
	cmd.Flags().StringToStringVar(&l.names, "detector-as", nil, "THEIRS=OURS, the name of a detector of that baseline "+
		"in this evaluation (repeatable)")
}

func (l *otherLimits) given() bool { return l.file != "" }

// read reads the file, before anything is measured.
func (l *otherLimits) read() error {
	if !l.given() {
		if len(l.names) > 0 {
			return errors.New("--detector-as names detectors of another baseline: give the baseline with --limits-from")
		}

		return nil
	}

	data, err := contracts.ReadBytes(l.file)
	if err != nil {
		return err
	}

	if l.other, err = convert.ReadOtherBaseline(data); err != nil {
		return fmt.Errorf("%s: %w", l.file, err)
	}

	for theirs := range l.names {
		if !l.has(theirs) {
			return fmt.Errorf("--detector-as %s=...: %s has no detector %q: correct the name", theirs, l.file, theirs)
		}
	}

	return nil
}

func (l *otherLimits) has(detector string) bool {
	for _, d := range l.other.Detectors {
		if d.Name == detector {
			return true
		}
	}
	return false
}

// apply makes the limits thresholds of a baseline, and says what was not taken over.
func (l *otherLimits) apply(stderr io.Writer, next *contracts.Baseline) {
	if !l.given() {
		return
	}

	notes := l.other.Limit(next, l.names, filepath.Base(l.file))
	if len(l.other.Unread) > 0 {
		notes = append(notes, "not read: "+strings.Join(l.other.Unread, ", "))
	}

	for _, note := range notes {
		fmt.Fprintf(stderr, "note: %s: %s\n", l.file, note)
	}
}

// print writes the figures of the other baseline beside the measured ones.
func (l *otherLimits) print(w io.Writer, next contracts.Baseline) error {
	if !l.given() {
		return nil
	}

	o := l.other
	fmt.Fprintf(w, "\n%s: corpus %s, golden set %s, %s\nmeasured: corpus %s, golden set %s, %s of %s\n", l.file,
		o.CorpusVersion, o.GoldenVersion, english.Plural(o.Runs, "run", ""), next.Data.CorpusVersion,
		next.Data.GoldenVersion, english.Plural(next.RunsAveraged, "run", ""), next.Proxy)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "figure\ttheirs\tmeasured\tdifference")
	for _, row := range o.Beside(next, l.names) {
		if row.Measured == nil {
			fmt.Fprintf(t, "%s\t%.4f\tnot measured\t\n", row.Figure, row.Theirs)
			continue
		}

		fmt.Fprintf(t, "%s\t%.4f\t%.4f\t%+.4f\n", row.Figure, row.Theirs, *row.Measured, *row.Measured-row.Theirs)
	}

	if err := t.Flush(); err != nil {
		return err
	}

	_, err := fmt.Fprintln(w, "Its figures are no part of the baseline. They are means without single queries, so no "+
		"test can say whether a difference is chance.")
	return err
}
