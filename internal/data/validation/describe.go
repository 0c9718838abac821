package validation

import "github.com/touchstone-eval/touchstone/contracts"

// locked is the lock file, and whether a file that differs from its frozen
// version is accepted.
type locked struct {
	contracts.DatasetLock
	reportChanged bool
}

// validated describes a file. A file without a version is named by its digest.
func validated[T any](d *dataset[T], lock locked,
	describe func(*T) contracts.ValidatedDataset) contracts.ValidatedDataset {
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
