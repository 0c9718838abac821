package validatedatasets

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/data/validation"
)

// keepSplit leaves the queries of one split in the golden set, for a quick run. The report says so, and has
// the digests of what is left. A set without splits stays whole.
func keepSplit(accepted *validation.Accepted, split string) error {
	if split != contracts.SplitDev && split != contracts.SplitTest {
		return fmt.Errorf("unknown split %q: use %s or %s", split, contracts.SplitDev, contracts.SplitTest)
	}

	golden, err := contracts.Decode[contracts.GoldenSet]("the golden set", accepted.Golden)
	if err != nil {
		return err
	}

	report := &accepted.Report
	report.Split = split
	other := func(id string) bool { s := golden.Split(id); return s != "" && s != split }
	golden.Queries = slices.DeleteFunc(golden.Queries, func(q contracts.Query) bool { return other(q.ID) })
	if len(golden.Queries) == 0 {
		return fmt.Errorf("no query of the golden set is in the split %s: use the other one, or all", split)
	}

	for id := range report.Digests.Queries {
		if other(id) {
			delete(report.Digests.Queries, id)
		}
	}

	if accepted.Golden, err = contracts.Encode("the golden set", golden); err != nil {
		return err
	}

	sum := sha256.Sum256(accepted.Golden)
	for i := range report.Datasets {
		if d := &report.Datasets[i]; d.Kind == contracts.KindGolden {
			d.SHA256, d.Entries = hex.EncodeToString(sum[:]), len(golden.Queries)
		}
	}

	return nil
}
