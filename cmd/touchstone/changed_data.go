package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// exitCode returns the exit code of a verdict that is not "passed".
func (v *verdict) exitCode() int {
	if v.None {
		return exitNoVerdict
	}
	return exitGateFailed
}

// notJudged returns the reason why the stage gate did not judge, or nil if it did.
func (s *session) notJudged(outcomes []*engine.Outcome, v *verdict) *contracts.NoVerdict {
	if v.gate == nil || v.gate.NoVerdict == nil {
		return nil
	}

	n := &contracts.NoVerdict{
		Version: contracts.NoVerdictVersion, Kind: contracts.EndedByData, ExitCode: exitNoVerdict,
		Summary: capitalised(v.gate.NoVerdict.Reason) + ".", Failed: []string{}, Logs: []contracts.StageLog{},
		Problems:  []contracts.Reason{{Message: v.gate.NoVerdict.Reason, Remedy: v.gate.NoVerdict.Remedy}},
		Directory: inRepository(s.plan.Root), Command: s.again,
	}
	if v.gate.Baseline == "" {
		n.Kind = contracts.EndedFirst
	}

	for _, o := range outcomes {
		if o.State == engine.Hit || o.State == engine.Ran {
			n.Done++
		}
	}

	return n
}

// printNextSteps prints the commands that lead from changed data to a verdict on data of its
// own: for an edited frozen version the one that makes it the next version, and if there is no
// verdict the one that makes a baseline.
func (s *session) printNextSteps(w io.Writer, flags *globalFlags, v *verdict) {
	if v.gate == nil {
		return
	}

	edited := false
	for _, u := range v.gate.Unfrozen {
		if u.State != contracts.StateChanged {
			continue
		}

		edited = true
		if file := s.datasetFile(u.Kind); file != "" {
			fmt.Fprintf(w, "  %s data next %s\n", toolName, input.QuoteWord(file))
		}
	}

	if v.None && !edited {
		fmt.Fprintf(w, "  %s\n", flags.again(s.plan, "baseline", "update"))
	}
}

// datasetFile returns the source file of a dataset: that of the input of this name of the
// stage that validates the datasets.
func (s *session) datasetFile(kind string) string {
	for _, in := range s.plan.Instances {
		if len(in.Command) < 3 || in.Command[0] != toolName || in.Command[2] != "validate-datasets" {
			continue
		}
		for i := range in.Inputs {
			if in.Inputs[i].Name == kind {
				return s.sourceOf(nil, &in.Inputs[i])
			}
		}
	}
	return ""
}

// baselineTarget returns the file for a baseline on data, given the file that the pipeline
// names. That is the same file if it does not exist or belongs to the same versions of the
// data, and otherwise the newest version of it that does, or the version after the newest.
func baselineTarget(file string, data contracts.Aggregate) (string, error) {
	if free, err := belongsTo(file, data); free || err != nil {
		return file, err
	}

	dir, name := filepath.Split(file)
	before, number, after := splitVersion(name)
	numbers := []int{number}
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return "", err
	}

	for _, e := range entries {
		if b, n, a := splitVersion(e.Name()); b == before && a == after && n > 0 && n != number {
			numbers = append(numbers, n)
		}
	}

	slices.Sort(numbers)
	version := func(n int) string { return fmt.Sprintf("%s%s_v%d%s", dir, before, n, after) }
	for _, n := range slices.Backward(numbers) {
		if n == number || n == 0 {
			continue
		}

		if free, err := belongsTo(version(n), data); free || err != nil {
			return version(n), err
		}
	}

	return version(max(numbers[len(numbers)-1], 1) + 1), nil
}

var versionInName = lazyregexp.New(`_v([0-9]{1,9})`)

// splitVersion splits the name of a baseline, such as baseline_v1_own.json, at its version. A
// name without one, such as own.json, has version 0 before its extension.
func splitVersion(name string) (before string, number int, after string) {
	at := versionInName().FindStringSubmatchIndex(name)
	if at == nil {
		ext := filepath.Ext(name)
		return strings.TrimSuffix(name, ext), 0, ext
	}
	number, _ = strconv.Atoi(name[at[2]:at[3]]) // at most nine digits
	return name[:at[0]], number, name[at[1]:]
}

// baselineVersion returns the version in a baseline of this name: the name up to its number.
func baselineVersion(file string) string {
	before, number, _ := splitVersion(filepath.Base(file))
	if number == 0 {
		return ""
	}
	return fmt.Sprintf("%s_v%d", before, number)
}

// belongsTo reports whether a baseline on data may be written to a file: whether the file does
// not exist, or is a baseline on the same versions. Figures that cannot be read do not matter.
func belongsTo(file string, agg contracts.Aggregate) (bool, error) {
	content, err := contracts.ReadBytes(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, nil
	case err != nil:
		return false, err
	}

	var known struct {
		Data      contracts.DataIdentity `json:"data"`
		Selection *struct {
			Cases  string `json:"cases_version"`
			Digest string `json:"cases_sha256"`
		} `json:"selection"`
	}
	_ = json.Unmarshal(content, &known) // what is missing is not compared
	was, is := known.Data, agg.Data
	same := sameVersion(was.CorpusVersion, was.CorpusSHA256, is.CorpusVersion, is.CorpusSHA256) &&
		sameVersion(was.GoldenVersion, was.GoldenSHA256, is.GoldenVersion, is.GoldenSHA256) &&
		sameVersion(was.SecurityVersion, was.SecuritySHA256, is.SecurityVersion, is.SecuritySHA256)
	if s := agg.Selection; same && s != nil && known.Selection != nil {
		same = sameVersion(known.Selection.Cases, known.Selection.Digest, s.CasesVersion, s.CasesSHA256)
	}

	return same, nil
}

// sameVersion reports whether two versions of a dataset are the same. A dataset without a
// version is named by its digest; two of them count as the same.
func sameVersion(was, wasDigest, is, isDigest string) bool {
	return was == "" || was == is || was == wasDigest && is == isDigest
}

// nameOtherBaseline tells the user to name a baseline that the pipeline does not choose itself.
func nameOtherBaseline(w io.Writer, flags *globalFlags, written string) {
	plan, diags, _ := pipeline.Load(flags.options())
	if diags.HasErrors() || plan == nil {
		return
	}
	if named := flags.baselineFile(plan); filepath.Clean(named) != filepath.Clean(written) {
		fmt.Fprintf(w, "note: the pipeline names %s; name the new file in its place, or pass --var baseline=%s\n",
			named, input.QuoteWord(written))
	}
}
