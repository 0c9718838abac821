package validation

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
)

// ReadLock reads the lock file. An empty path or a missing file freezes nothing.
func ReadLock(path string) (contracts.DatasetLock, error) {
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
		if j := slices.IndexFunc(lock.Frozen[:i],
			func(o contracts.FrozenDataset) bool { return o.Kind == f.Kind && o.Version == f.Version }); j >= 0 {
			return lock, &InvalidError{Files: []*contracts.FileError{{Path: path, Problems: []contracts.Problem{{
				Message: fmt.Sprintf("%s %s is frozen twice, as entries %d and %d", f.Kind, f.Version, j+1, i+1),
				Remedy:  "keep the one that was committed first",
			}}}}}
		}
	}

	return lock, nil
}

// Frozen returns the entry of a version in the lock file.
func Frozen(lock contracts.DatasetLock, kind, version string) (contracts.FrozenDataset, bool) {
	for _, f := range lock.Frozen {
		if f.Kind == kind && f.Version == version {
			return f, true
		}
	}
	return contracts.FrozenDataset{}, false
}

// stateOf returns the state of a file by the lock file.
func stateOf[T any](d *dataset[T], lock contracts.DatasetLock, version string) (state string) {
	f, ok := Frozen(lock, d.kind, version)
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
	f, _ := Frozen(lock, d.kind, version)
	d.refuse("/version", "", fmt.Sprintf("version %q of the %s dataset is frozen, and this file differs from it "+
		"(sha256 %.12s, frozen %.12s)", version, d.kind, d.sha256, f.SHA256),
		fmt.Sprintf("make the edit the next version with touchstone data next %s, or restore the file", d.path))
}

// Describe returns what the report of the stage says about a dataset of a given
// kind, with the state that the lock file gives to it. valid reports whether it
// follows its schema.
func Describe(kind, path string, lock contracts.DatasetLock) (v contracts.ValidatedDataset, valid bool, err error) {
	switch kind {
	case contracts.KindCorpus:
		return describe(kind, path, lock, describeCorpus)
	case contracts.KindGolden:
		return describe(kind, path, lock, describeGolden)
	case contracts.KindSecurity:
		return describe(kind, path, lock, describeSecurity)
	case contracts.KindCases:
		return describe(kind, path, lock, describeCases)
	}
	return v, false, fmt.Errorf("%s: %q is no kind of dataset", path, kind)
}

func describe[T any](kind, path string, lock contracts.DatasetLock,
	of func(*T) contracts.ValidatedDataset) (contracts.ValidatedDataset, bool, error) {
	d, err := load[T](kind, path)
	if err != nil {
		return contracts.ValidatedDataset{}, false, err
	}
	v := of(&d.value)
	v.Kind, v.SHA256, v.State = kind, d.sha256, stateOf(d, lock, v.Version)
	return v, len(d.problems) == 0, nil
}
