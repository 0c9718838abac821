package versions

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/data/validation"
)

// Listed is a dataset found by List. State is frozen, draft, changed (a frozen
// version with different bytes), missing (frozen, but the file does not exist) or
// invalid.
type Listed struct {
	Kind    string `json:"kind"`
	Version string `json:"version"`
	State   string `json:"state"`
	Entries int    `json:"entries"`
	File    string `json:"file"`
	SHA256  string `json:"sha256"`
}

// StateMissing is the state of a frozen version without a file.
const StateMissing = "missing"

// stateInvalid is the state of a file that cannot be parsed or breaks its schema.
const stateInvalid = "invalid"

// List describes the datasets in the directory of the lock file and those that
// the lock file freezes, sorted by kind and version. It skips other files. A file
// that cannot be parsed is listed as invalid if its name is that of a dataset.
func List(lockPath string) ([]Listed, error) {
	if _, err := os.Stat(filepath.Dir(lockPath)); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no directory %s; run in the directory of pipeline.hcl, or name the lock "+
			"file with --lock", filepath.Dir(lockPath))
	}

	lock, err := validation.ReadLock(lockPath)
	if err != nil {
		return nil, err
	}

	dir := filepath.Dir(lockPath)
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}

	for _, f := range lock.Frozen {
		paths = append(paths, filepath.Join(dir, filepath.FromSlash(f.File)))
	}

	slices.Sort(paths)
	var all []Listed
	for _, path := range slices.Compact(paths) {
		data, err := contracts.ReadBytes(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}

		if err != nil {
			return nil, fmt.Errorf("cannot read the dataset: %w", err)
		}

		l, ok := describeFile(path, data, lock)
		if !ok {
			l, ok = namedAsDataset(path, data)
		}

		if ok {
			all = append(all, l)
		}
	}

	for _, f := range lock.Frozen {
		if !slices.ContainsFunc(all, func(l Listed) bool { return l.Kind == f.Kind && l.Version == f.Version }) {
			all = append(all, Listed{f.Kind, f.Version, StateMissing, 0, filepath.Join(dir, filepath.FromSlash(f.File)),
				f.SHA256})
		}
	}

	slices.SortFunc(all, func(a, b Listed) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Version, b.Version), cmp.Compare(a.File, b.File))
	})
	return all, nil
}

func describeFile(path string, data []byte, lock contracts.DatasetLock) (Listed, bool) {
	kind := validation.KindOf(data)
	if kind == "" {
		return Listed{}, false
	}

	v, valid, err := validation.Describe(kind, path, lock)
	if err != nil {
		return Listed{}, false
	}

	if !valid {
		v.State = stateInvalid
	}

	return Listed{kind, v.Version, v.State, v.Entries, path, v.SHA256}, true
}

// namedAsDataset describes a file that cannot be parsed as the dataset that its
// name indicates, such as golden_v2.json.
func namedAsDataset(path string, data []byte) (Listed, bool) {
	kind, rest, ok := strings.Cut(filepath.Base(path), "_")
	if !ok || rest == "" || json.Valid(data) {
		return Listed{}, false
	}
	switch kind {
	case contracts.KindCorpus, contracts.KindGolden, contracts.KindSecurity, contracts.KindCases:
		return Listed{Kind: kind, State: stateInvalid, File: path, SHA256: fmt.Sprintf("%x", sha256.Sum256(data))}, true
	}
	return Listed{}, false
}
