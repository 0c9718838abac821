package versions

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
	"github.com/touchstone-eval/touchstone/internal/data/validation"
)

// NextVersion is a draft that Next wrote. Restored reports whether the file that
// it was made from was an edited frozen version and has its frozen bytes again.
type NextVersion struct {
	Kind     string `json:"kind"`
	Version  string `json:"version"`
	File     string `json:"file"`
	From     string `json:"from"`
	Restored bool   `json:"restored"`
}

// Next writes the content of a dataset as its next version, into a new file in
// the same directory: golden_v2.json for golden_v1.json. If the version of the
// dataset is frozen with other bytes, Next restores these in file. original
// returns the content with a SHA-256 digest, or nil if it is not known; without
// it nothing is written.
func Next(lockPath, file string, original func(digest string) []byte) (NextVersion, error) {
	lock, err := validation.ReadLock(lockPath)
	if err != nil {
		return NextVersion{}, err
	}

	data, kind, err := readDataset(file)
	if err != nil {
		return NextVersion{}, err
	}

	next := NextVersion{Kind: kind, From: file}
	version, start, end, ok := validation.VersionOf(data)
	if !ok {
		return next, fmt.Errorf("%s has no version that another could follow; add \"version\" to it", file)
	}

	var restored []byte
	sum := sha256.Sum256(data)
	if f, ok := validation.Frozen(lock, next.Kind, version); ok && f.SHA256 != hex.EncodeToString(sum[:]) {
		if restored = original(f.SHA256); restored == nil {
			return next, fmt.Errorf("the frozen content of %s (sha256 %.12s) is neither in the cache nor in the "+
				"last commit, so it cannot be restored, and nothing was written; restore it by hand after copying "+
				"the edit", file, f.SHA256)
		}
	}

	if next.Version, next.File, err = freeVersion(lock, next.Kind, version, file); err != nil {
		return next, err
	}

	quoted, err := json.Marshal(next.Version)
	if err != nil {
		return next, err
	}

	content := bytes.Join([][]byte{data[:start], quoted, data[end:]}, nil)
	if err := writeNewFile(next.File, content); err != nil {
		return next, err
	}

	if restored == nil {
		return next, nil
	}

	if err := atomicfile.WriteFile(file, restored, 0o644); err != nil {
		return next, fmt.Errorf("wrote %s, but cannot restore %s: %w", next.File, file, err)
	}

	next.Restored = true
	return next, nil
}

// readDataset returns the content and the kind of a dataset.
func readDataset(file string) (data []byte, kind string, err error) {
	if data, err = contracts.ReadBytes(file); err != nil {
		return nil, "", err
	}
	if kind = validation.KindOf(data); kind == "" {
		return nil, "", fmt.Errorf("%s is not a dataset: it has neither tools nor queries nor entries nor cases", file)
	}
	return data, kind, nil
}

var trailingNumber = lazyregexp.New(`^(.*?)([0-9]{1,9})$`)

// freeVersion returns the first version after the given one that is neither
// frozen nor that of a file, and the name of a file for it.
func freeVersion(lock contracts.DatasetLock, kind, version, file string) (next, path string, err error) {
	parts := trailingNumber().FindStringSubmatch(version)
	if parts == nil {
		parts = []string{version, version + ".", "1"}
	}

	number, err := strconv.Atoi(parts[2])
	if err != nil {
		return "", "", err
	}

	dir, name := filepath.Split(file)
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	before, isNamed := strings.CutSuffix(stem, version)
	if !isNamed {
		before = stem + "_"
	}

	taken, err := versionsBeside(dir, kind)
	if err != nil {
		return "", "", err
	}

	for n := number + 1; ; n++ {
		next = parts[1] + strconv.Itoa(n)
		path = filepath.Join(dir, before+next+ext)
		if _, ok := validation.Frozen(lock, kind, next); ok || taken[next] {
			continue
		}

		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return next, path, nil
		}
	}
}

// versionsBeside returns the versions of the datasets of one kind in a directory.
func versionsBeside(dir, kind string) (map[string]bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}

	taken := make(map[string]bool)
	for _, f := range files {
		data, err := contracts.ReadBytes(f)
		if err != nil || validation.KindOf(data) != kind {
			continue
		}

		if v, _, _, ok := validation.VersionOf(data); ok {
			taken[v] = true
		}
	}

	return taken, nil
}

// writeNewFile writes a file that must not exist.
func writeNewFile(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w; check the space and the permissions there", path, err)
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(fmt.Errorf("cannot write %s: %w; check the space and the permissions there", path, err),
			os.Remove(path))
	}
	return err
}
