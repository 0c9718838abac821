package versions

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/data/validation"
)

// Freeze validates datasets and writes their digests into the lock file, so that
// a later change of these versions is detected. It refuses a version that is
// frozen with a different digest. A golden set and cases need their corpus, which must
// be one of files or in the same directory.
func Freeze(lockPath string, files []string) ([]contracts.FrozenDataset, error) {
	lock, err := validation.ReadLock(lockPath)
	if err != nil {
		return nil, err
	}

	checked, err := validation.Check(lock, files)
	if err != nil {
		return nil, err
	}

	var added []contracts.FrozenDataset
	for _, c := range checked {
		if c.Versionless {
			return nil, fmt.Errorf("%s has no version, and only versions can be frozen; add \"version\" to it", c.Path)
		}

		rel, err := filepath.Rel(filepath.Dir(lockPath), c.Path)
		if err != nil {
			return nil, fmt.Errorf("%s has no path relative to %s: %w", c.Path, lockPath, err)
		}

		f := contracts.FrozenDataset{Kind: c.Kind, Version: c.Version, File: filepath.ToSlash(rel), SHA256: c.SHA256}
		switch before, ok := validation.Frozen(lock, f.Kind, f.Version); {
		case !ok:
			lock.Frozen = append(lock.Frozen, f)
		case before.SHA256 != f.SHA256:
			return nil, fmt.Errorf("%s and %s are both %s %s but differ; give one of them another version", before.File,
				f.File, f.Kind, f.Version)
		}

		added = append(added, f)
	}

	slices.SortFunc(lock.Frozen, func(a, b contracts.FrozenDataset) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Version, b.Version))
	})
	if err := contracts.Write(lockPath, lock); err != nil {
		return nil, err
	}

	return added, nil
}
