package validation

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Options are the files of the datasets of one evaluation, and what is frozen.
type Options struct {
	Corpus, Golden, Security string
	// Cases is empty where there are no cases.
	Cases string
	Lock  contracts.DatasetLock
	// ReportChanged accepts a file whose version is frozen with other bytes, with
	// a warning. Otherwise the file is refused.
	ReportChanged bool
}

// Accepted are the valid datasets of one evaluation: the content of their files,
// and what the report says about them. Cases is nil where there are no cases.
type Accepted struct {
	Corpus, Golden, Security, Cases []byte
	Report                          contracts.Validation
}

// All validates the datasets of one evaluation, each by itself and against the
// others. If it refuses any, it returns an *InvalidError with every problem of
// every file.
func All(ctx context.Context, o Options) (*Accepted, error) {
	var corpus *dataset[contracts.Corpus]
	var golden *dataset[contracts.GoldenSet]
	var security *dataset[contracts.SecurityCorpus]
	var cases *dataset[contracts.CaseSet]
	err := inParallel(
		func() (err error) { corpus, err = load[contracts.Corpus](contracts.KindCorpus, o.Corpus); return err },
		func() (err error) {
			golden, err = load[contracts.GoldenSet](contracts.KindGolden, o.Golden)
			return err
		},
		func() (err error) {
			security, err = load[contracts.SecurityCorpus](contracts.KindSecurity, o.Security)
			return err
		},
		func() (err error) {
			if o.Cases != "" {
				cases, err = load[contracts.CaseSet](contracts.KindCases, o.Cases)
			}

			return err
		},
	)
	if err != nil {
		return nil, err
	}

	if err := ctx.Err(); err != nil {
		return nil, err
	}

	var ofCorpus, ofGolden, ofSecurity []string
	_ = inParallel( // nothing fails: the problems are in the datasets
		func() error { ofCorpus = checkCorpus(corpus); return nil },
		func() error { ofGolden = checkGolden(golden, &corpus.value); return nil },
		func() error { ofSecurity = checkSecurity(security); return nil },
	)
	warnings := slices.Concat(ofCorpus, ofGolden, ofSecurity)
	locked := locked{o.Lock, o.ReportChanged}
	accepted := Accepted{Corpus: corpus.data, Golden: golden.data, Security: security.data}
	report := &accepted.Report
	report.Datasets = []contracts.ValidatedDataset{
		validated(corpus, locked, describeCorpus),
		validated(golden, locked, describeGolden),
		validated(security, locked, describeSecurity),
	}
	faults := []*contracts.FileError{corpus.err(), golden.err(), security.err()}
	var caseSet *contracts.CaseSet
	if cases != nil {
		caseSet, accepted.Cases = &cases.value, cases.data
		warnings = append(warnings, checkCases(cases, &corpus.value)...)
		report.Datasets = append(report.Datasets, validated(cases, locked, describeCases))
		faults = append(faults, cases.err())
	}

	var invalid InvalidError
	for _, fe := range faults {
		if fe != nil {
			invalid.Files = append(invalid.Files, fe)
		}
	}

	if len(invalid.Files) > 0 {
		return nil, &invalid
	}

	report.Warnings = append(warnings, stateWarnings(report.Datasets)...)
	if report.Digests, err = digestsOfData(corpus.value, golden.value, security.value, caseSet); err != nil {
		return nil, err
	}

	return &accepted, nil
}

// stateWarnings says which versions are not frozen, or not as they were frozen.
func stateWarnings(datasets []contracts.ValidatedDataset) (warnings []string) {
	for _, d := range datasets {
		switch d.State {
		case contracts.StateDraft:
			warnings = append(warnings,
				fmt.Sprintf("%s: version %.24s is a draft; freeze it with touchstone data freeze", d.Kind, d.Version))
		case contracts.StateChanged:
			warnings = append(warnings, fmt.Sprintf("%s: version %.24s is frozen, and the file differs from it; "+
				"make the edit the next version with touchstone data next", d.Kind, d.Version))
		}
	}
	return warnings
}

// inParallel calls the functions at once and returns the error of the first in the list that fails, so that the same
// files always give the same message.
func inParallel(functions ...func() error) error {
	failed := make([]error, len(functions))
	var wg sync.WaitGroup
	for i, f := range functions {
		wg.Go(func() { failed[i] = f() })
	}

	wg.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}

	return nil
}
