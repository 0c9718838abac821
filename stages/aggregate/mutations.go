package aggregate

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
)

// readMutations combines the reports of score-mutations. It returns nil if none
// of them holds a detector. All reports must have one seed, be on the validated
// corpus, and agree on whether the held-out operators were included.
func readMutations(ctx context.Context, dir string, data contracts.DataIdentity) (*contracts.MutationReport, error) {
	files, err := reportFiles(dir, "score-mutations")
	if err != nil {
		return nil, err
	}

	var all *contracts.MutationReport
	from := map[string]string{} // the file of a detector
	first := ""
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		r, err := contracts.Read[contracts.MutationReport](file)
		if err != nil {
			return nil, err
		}

		if r.SecuritySHA256 != data.SecuritySHA256 {
			return nil, fmt.Errorf("%s was made on another security corpus (sha256 %s) than the validated one (%s); "+
				"run score-mutations again", file, short(r.SecuritySHA256), short(data.SecuritySHA256))
		}

		if len(r.Detectors) == 0 {
			continue
		}

		for _, d := range r.Detectors {
			if other, ok := from[d.Detector]; ok {
				return nil, fmt.Errorf("%s and %s are both about the detector %s; keep one", other, file, d.Detector)
			}

			from[d.Detector] = file
		}

		if all == nil {
			all, first = &r, file
			continue
		}

		if r.Seed != all.Seed || r.HeldOut != all.HeldOut {
			return nil, fmt.Errorf("%s and %s differ in their seed or in the operators; run score-mutations again "+
				"for both", first, file)
		}

		all.Detectors = append(all.Detectors, r.Detectors...)
	}

	if all != nil {
		slices.SortFunc(all.Detectors,
			func(a, b contracts.MutationDetector) int { return cmp.Compare(a.Detector, b.Detector) })
	}

	return all, nil
}

// logMutations prints how many variants of caught attacks are still flagged.
func logMutations(w io.Writer, r *contracts.MutationReport) {
	if r == nil {
		return
	}

	for _, d := range r.Detectors {
		for _, f := range d.Totals {
			kept, alarms := f.Development.Retention, f.Development.FPR
			fmt.Fprintf(w, "%s, rewritten (%s): %d of %d variants of caught attacks still flagged, %d of %d of "+
				"benign entries",
				d.Detector, f.Family, kept.Count, kept.Of, alarms.Count, alarms.Of)
			if h := f.HeldOut; h != nil {
				fmt.Fprintf(w, "; held out %d of %d and %d of %d", h.Retention.Count, h.Retention.Of, h.FPR.Count,
					h.FPR.Of)
			}

			fmt.Fprintln(w)
		}
	}
}
