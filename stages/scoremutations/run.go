// Package scoremutations is the stage that tests whether a detector recognises the
// meaning of attacks or only their wording in the corpus. It rewrites the entries
// with the operators of package mutation, and counts which attacks are still
// detected and which benign entries are flagged.
package scoremutations

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/scoremutations/mutation"
	"github.com/touchstone-eval/touchstone/stages/scoresecurity"
)

// Options are the options of one run. Argv is the command of an external detector,
// and Adapted is a directory of detectors that an adapter describes, as in
// score-security.
type Options struct {
	Security, Out string
	Detectors     []string
	Argv          []string
	Adapted       string
	Seed          int
	HeldOut       bool
	// EntryTimeout is the same as in score-security.
	EntryTimeout time.Duration
	// Log receives messages for people.
	Log io.Writer
}

// Run judges all variants and writes a contracts.MutationReport.
func Run(ctx context.Context, opts Options) error {
	if opts.Seed < 0 {
		return fmt.Errorf("--seed is %d: give 0 or greater", opts.Seed)
	}

	if (len(opts.Argv) > 0 || opts.Adapted != "") && len(opts.Detectors) != 1 {
		return errors.New("a command after -- and --adapted require exactly one --detector, as the name for the report")
	}

	operators := mutation.Development()
	if opts.HeldOut {
		held := mutation.HeldOut()
		if len(held) == 0 {
			return errors.New("this program was built without the held-out operators: build it with -tags heldout")
		}

		operators = append(operators, held...)
	}

	corpus, digest, err := scoresecurity.ReadCorpus(opts.Security)
	if err != nil {
		return err
	}

	report := contracts.MutationReport{SecurityVersion: corpus.Version, SecuritySHA256: digest, Seed: opts.Seed,
		HeldOut: opts.HeldOut}
	names := slices.Compact(slices.Sorted(slices.Values(opts.Detectors)))
	if len(names) > 0 {
		cases, entries := rewrite(corpus.Entries, operators, opts.Seed)
		if len(cases) == 0 {
			return fmt.Errorf("%s: no entry has a text to rewrite: add attacks with more than one sentence",
				opts.Security)
		}

		for _, name := range names {
			results, err := scoresecurity.Judge(ctx, scoresecurity.Options{
				Security: opts.Security, Detector: name, Argv: opts.Argv, Adapted: opts.Adapted, Run: opts.Seed,
				EntryTimeout: opts.EntryTimeout, Log: opts.Log,
			}, entries)
			if err != nil {
				return err
			}

			report.Detectors = append(report.Detectors, count(name, cases, results, operators))
		}
	}

	return contracts.Write(opts.Out, report)
}

// mutationCase is an entry: unmodified, without its passage, or rewritten by one
// operator. Its entries start at first. If there are several, the case is flagged
// if any of them is.
type mutationCase struct {
	id, source       string
	attack           bool
	operator         int // an index, or one of the constants below
	first, afterLast int
}

// Cases without an operator.
const (
	asItIs         = -1
	withoutPassage = -2
)

// rewrite returns all cases, and the entries to judge for them.
func rewrite(corpus []contracts.SecurityEntry, operators []mutation.Operator, seed int) (cases []mutationCase,
	entries []contracts.SecurityEntry) {
	for _, e := range corpus {
		if !mutation.Eligible(e) {
			continue
		}

		c := mutationCase{id: e.ID, source: e.Provenance.Source, attack: e.Label == contracts.LabelMalicious,
			operator: asItIs}
		add := func(operator int, views ...contracts.SecurityEntry) {
			c.operator, c.first = operator, len(entries)
			entries = append(entries, views...)
			c.afterLast = len(entries)
			cases = append(cases, c)
		}
		add(asItIs, e)
		if views, ok := mutation.Control().Variant(e, seed); ok {
			add(withoutPassage, views...)
		}

		for i, op := range operators {
			if views, ok := op.Variant(e, seed); ok {
				add(i, views...)
			}
		}
	}

	return cases, entries
}
