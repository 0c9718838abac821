package validatedatasets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/data/validation"
)

// Options are the files that the stage reads and writes.
type Options struct {
	Corpus, Golden, Security, Lock string
	// Split keeps only the queries of one split of the golden set; empty keeps all.
	Split                                        string
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

// Run validates the datasets. If it refuses any, it returns a
// *validation.InvalidError with every problem of every file, and writes nothing
// but the report, which has the same problems.
func Run(ctx context.Context, o Options) error {
	if o.Cases != "" && o.OutCases == "" {
		return errors.New("--cases needs --out-cases, the directory for the accepted cases")
	}

	lock, err := validation.ReadLock(o.Lock)
	if err != nil {
		return err
	}

	accepted, err := validation.All(ctx, validation.Options{
		Corpus: o.Corpus, Golden: o.Golden, Security: o.Security, Cases: o.Cases, Lock: lock,
		ReportChanged: o.ReportChanged,
	})
	var invalid *validation.InvalidError
	if errors.As(err, &invalid) {
		return errors.Join(invalid, writeProblems(o.OutReport, invalid))
	}

	if err != nil {
		return err
	}

	if o.Split != "" {
		if err := keepSplit(accepted, o.Split); err != nil {
			return err
		}
	}

	if o.Log != nil {
		for _, w := range accepted.Report.Warnings {
			fmt.Fprintln(o.Log, "warning:", w)
		}
	}

	outputs := []output{{o.OutCorpus, accepted.Corpus}, {o.OutGolden, accepted.Golden},
		{o.OutSecurity, accepted.Security}}
	if o.Cases != "" {
		outputs = append(outputs, output{filepath.Join(o.OutCases, CasesFile), accepted.Cases})
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

	return contracts.Write(o.OutReport, accepted.Report)
}

// writeProblems writes the report of refused files.
func writeProblems(path string, invalid *validation.InvalidError) error {
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
