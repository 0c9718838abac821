//go:build !containers

package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/selection/results"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// resultsFlags are the flags of verbs that write the results of runs to a file.
type resultsFlags struct{ format, output string }

func (f *resultsFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.format, "format", "",
		"write the results of the ended runs as csv, junit or html, without cancelled and retried runs")
	outputVar(cmd.Flags(), &f.output, "file", "with --format: write to this file instead of standard output")
}

// check checks the flags before anything is read.
func (f *resultsFlags) check() error {
	if f.format == "" {
		if f.output != "" {
			return errors.New("--output needs --format csv, junit or html")
		}

		return nil
	}

	_, err := results.FormatNamed(f.format)
	return err
}

// write writes the runs that a filter selects in the format of the flags.
func (f *resultsFlags) write(cmd *cobra.Command, s *store.Store, title string, filter store.RunFilter) error {
	format, err := results.FormatNamed(f.format)
	if err != nil {
		return err
	}

	runs, err := s.Observations(cmd.Context(), filter)
	if err != nil {
		return err
	}

	answers, err := s.Answers(cmd.Context(), filter)
	if err != nil {
		return err
	}

	var text bytes.Buffer
	if err := (results.Results{Title: title, Runs: runs, Answers: answers}).Write(&text, format); err != nil {
		return err
	}

	if f.output == "" {
		_, err := cmd.OutOrStdout().Write(text.Bytes())
		return err
	}

	if err := atomicfile.WriteFile(f.output, text.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the results: %w; choose another file with -o", err)
	}

	return nil
}
