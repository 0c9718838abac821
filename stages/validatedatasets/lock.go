package validatedatasets

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
)

// readLock reads the lock file. An empty path or a missing file freezes nothing.
func readLock(path string) (contracts.DatasetLock, error) {
	if path == "" {
		return contracts.DatasetLock{}, nil
	}
	lock, err := contracts.Read[contracts.DatasetLock](path)
	if errors.Is(err, os.ErrNotExist) {
		return contracts.DatasetLock{}, nil
	}
	var fe *contracts.FileError
	if errors.As(err, &fe) {
		return lock, &InvalidError{Files: []*contracts.FileError{fe}}
	}
	if err != nil {
		return lock, err
	}
	for i, f := range lock.Frozen {
		if j := slices.IndexFunc(lock.Frozen[:i], func(o contracts.FrozenDataset) bool { return o.Kind == f.Kind && o.Version == f.Version }); j >= 0 {
			return lock, &InvalidError{Files: []*contracts.FileError{{Path: path, Problems: []contracts.Problem{{
				Message: fmt.Sprintf("%s %s is frozen twice, as entries %d and %d", f.Kind, f.Version, j+1, i+1),
				Remedy:  "keep the one that was committed first",
			}}}}}
		}
	}
	return lock, nil
}

// frozen returns the entry of a version in the lock file.
func frozen(lock contracts.DatasetLock, kind, version string) (contracts.FrozenDataset, bool) {
	for _, f := range lock.Frozen {
		if f.Kind == kind && f.Version == version {
			return f, true
		}
	}
	return contracts.FrozenDataset{}, false
}

// stateOf returns the state of a file by the lock file.
func stateOf[T any](d *dataset[T], lock contracts.DatasetLock, version string) (state string) {
	f, ok := frozen(lock, d.kind, version)
	switch {
	case !ok || version == "":
		return contracts.StateDraft
	case f.SHA256 != d.sha256 && d.data != nil:
		return contracts.StateChanged
	}
	return contracts.StateFrozen
}

// refuseChanged refuses a file whose version is frozen with other bytes.
func refuseChanged[T any](d *dataset[T], lock contracts.DatasetLock, version string) {
	if stateOf(d, lock, version) != contracts.StateChanged {
		return
	}
	f, _ := frozen(lock, d.kind, version)
	d.refuse("/version", "", fmt.Sprintf("version %q of the %s dataset is frozen, and this file differs from it (sha256 %.12s, frozen %.12s)", version, d.kind, d.sha256, f.SHA256),
		fmt.Sprintf("make the edit the next version with touchstone datasets next %s, or restore the file", d.path))
}

// Freeze validates datasets and writes their digests into the lock file, so that
// a later change of these versions is detected. It refuses a version that is
// frozen with a different digest. kind restricts the kind of the files; empty
// allows every kind. A golden set and cases need their corpus, which must be one of
// files or in the same directory.
func Freeze(lockPath, kind string, files []string) ([]contracts.FrozenDataset, error) {
	lock, err := readLock(lockPath)
	if err != nil {
		return nil, err
	}
	checked, err := checkFiles(files, lock)
	if err != nil {
		return nil, err
	}
	var added []contracts.FrozenDataset
	for _, c := range checked {
		if kind != "" && c.Kind != kind {
			return nil, fmt.Errorf("%s is a %s dataset, not %s; leave out --kind or name another file", c.Path, c.Kind, kind)
		}
		if c.Versionless {
			return nil, fmt.Errorf("%s has no version, and only versions can be frozen; add \"version\" to it", c.Path)
		}
		rel, err := filepath.Rel(filepath.Dir(lockPath), c.Path)
		if err != nil {
			return nil, fmt.Errorf("%s has no path relative to %s: %w", c.Path, lockPath, err)
		}
		f := contracts.FrozenDataset{Kind: c.Kind, Version: c.Version, File: filepath.ToSlash(rel), SHA256: c.SHA256}
		switch before, ok := frozen(lock, f.Kind, f.Version); {
		case !ok:
			lock.Frozen = append(lock.Frozen, f)
		case before.SHA256 != f.SHA256:
			return nil, fmt.Errorf("%s and %s are both %s %s but differ; give one of them another version", before.File, f.File, f.Kind, f.Version)
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
