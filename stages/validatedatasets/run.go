package validatedatasets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/atomicfile"
)

// Options are the files that the stage reads and writes.
type Options struct {
	Corpus, Golden, Security, Lock               string
	OutCorpus, OutGolden, OutSecurity, OutReport string
	// Cases is empty where there are no cases. OutCases is a directory; the
	// accepted cases become CasesFile in it.
	Cases, OutCases string
	// ReportChanged accepts a file whose version is frozen with other bytes, with
	// a warning. Otherwise the file is refused.
	ReportChanged bool
	Log           io.Writer // receives warnings
}

// CasesFile is the file in the directory of accepted cases.
const CasesFile = "cases.json"

// Run validates the datasets. If it refuses any, it returns an
// *InvalidError with every problem of every file, and writes nothing but the
// report, which has the same problems.
func Run(ctx context.Context, o Options) error {
	if o.Cases != "" && o.OutCases == "" {
		return errors.New("--cases needs --out-cases, the directory for the accepted cases")
	}
	lock, err := readLock(o.Lock)
	if err != nil {
		return err
	}
	var corpus *dataset[contracts.Corpus]
	var golden *dataset[contracts.GoldenSet]
	var security *dataset[contracts.SecurityCorpus]
	var cases *dataset[contracts.CaseSet]
	err = inParallel(
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
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}

	var ofCorpus, ofGolden, ofSecurity []string
	_ = inParallel( // nothing fails: the problems are in the datasets
		func() error { ofCorpus = checkCorpus(corpus); return nil },
		func() error { ofGolden = checkGolden(golden, &corpus.value); return nil },
		func() error { ofSecurity = checkSecurity(security); return nil },
	)
	warnings := slices.Concat(ofCorpus, ofGolden, ofSecurity)
	locked := locked{lock, o.ReportChanged}
	report := contracts.Validation{Datasets: []contracts.ValidatedDataset{
		validated(corpus, locked, describeCorpus),
		validated(golden, locked, describeGolden),
		validated(security, locked, describeSecurity),
	}}
	faults := []*contracts.FileError{corpus.err(), golden.err(), security.err()}
	outputs := []output{{o.OutCorpus, corpus.data}, {o.OutGolden, golden.data}, {o.OutSecurity, security.data}}
	var caseSet *contracts.CaseSet
	if cases != nil {
		caseSet = &cases.value
		warnings = append(warnings, checkCases(cases, &corpus.value)...)
		report.Datasets = append(report.Datasets, validated(cases, locked, describeCases))
		faults, outputs = append(faults, cases.err()), append(outputs, output{filepath.Join(o.OutCases, CasesFile), cases.data})
	}

	var invalid InvalidError
	for _, fe := range faults {
		if fe != nil {
			invalid.Files = append(invalid.Files, fe)
		}
	}
	if len(invalid.Files) > 0 {
		return errors.Join(&invalid, writeProblems(o.OutReport, &invalid))
	}
	for _, d := range report.Datasets {
		switch d.State {
		case contracts.StateDraft:
			warnings = append(warnings, fmt.Sprintf("%s: version %.24s is a draft; freeze it with touchstone datasets freeze", d.Kind, d.Version))
		case contracts.StateChanged:
			warnings = append(warnings, fmt.Sprintf("%s: version %.24s is frozen, and the file differs from it; make the edit the next version with touchstone datasets next", d.Kind, d.Version))
		}
	}
	report.Warnings = warnings
	if report.Digests, err = digestsOfData(corpus.value, golden.value, security.value, caseSet); err != nil {
		return err
	}
	if o.Log != nil {
		for _, w := range warnings {
			fmt.Fprintln(o.Log, "warning:", w)
		}
	}
	if o.OutCases != "" {
		if err := os.MkdirAll(o.OutCases, 0o755); err != nil {
			return fmt.Errorf("cannot write %s: %w", o.OutCases, err)
		}
	}
	for _, out := range outputs {
		if err := copyOut(out.path, out.data); err != nil {
			return err
		}
	}
	return contracts.Write(o.OutReport, report)
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

// writeProblems writes the report of refused files.
func writeProblems(path string, invalid *InvalidError) error {
	report := contracts.Validation{Warnings: []string{}}
	for _, f := range invalid.Files {
		report.Problems = append(report.Problems, f.Reasons()...)
	}
	return contracts.Write(path, report)
}

// output is an accepted file and where its copy goes.
type output struct {
	path string
	data []byte
}

func copyOut(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	if err := atomicfile.WriteFile(path, data, 0o644); err != nil {
		return fmt.Errorf("cannot write %s: %w; check the space and the permissions there", path, err)
	}
	return nil
}

// locked is the lock file, and whether a file that differs from its frozen
// version is accepted.
type locked struct {
	contracts.DatasetLock
	reportChanged bool
}

// validated describes a file. A file without a version is named by its digest.
func validated[T any](d *dataset[T], lock locked, describe func(*T) contracts.ValidatedDataset) contracts.ValidatedDataset {
	v := describe(&d.value)
	v.Kind, v.SHA256 = d.kind, d.sha256
	if !lock.reportChanged {
		refuseChanged(d, lock.DatasetLock, v.Version)
	}
	v.State = stateOf(d, lock.DatasetLock, v.Version)
	if v.Version == "" {
		v.Version = d.sha256
	}
	return v
}

func describeCorpus(c *contracts.Corpus) contracts.ValidatedDataset {
	return contracts.ValidatedDataset{Version: c.Version, Entries: len(c.Tools)}
}

func describeGolden(g *contracts.GoldenSet) contracts.ValidatedDataset {
	return contracts.ValidatedDataset{Version: g.Version, Entries: len(g.Queries), HardNegatives: hardQueries(g)}
}

func describeCases(s *contracts.CaseSet) contracts.ValidatedDataset {
	return contracts.ValidatedDataset{Version: s.Version, Entries: len(s.Cases)}
}

func describeSecurity(s *contracts.SecurityCorpus) contracts.ValidatedDataset {
	v := contracts.ValidatedDataset{Version: s.Version, Entries: len(s.Entries)}
	for i := range s.Entries {
		if s.Entries[i].Category == contracts.CategoryHardNegative {
			v.HardNegatives++
		}
	}
	return v
}
