package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// The outputs of a failed instance are kept for people to look at: a report of
// tests is wanted most when they failed. They are named by the account of the
// run and by no record, so that they are never a hit and never an input of
// another stage, and they go when the logs of the run go.

// Bounds of what is kept of one failed instance.
const (
	maxFailedBytes = 64 << 20
	maxFailedFiles = 10_000
)

// FailedOutputs are the outputs that a failed instance had written.
type FailedOutputs struct {
	Outputs []cache.RecordOutput `json:"outputs,omitempty"`
	// NotKept says of other outputs why they were not kept, a sentence each.
	NotKept []string `json:"not_kept,omitempty"`

	blobs []cache.Digest // all that Outputs consist of
}

// keepFailed stores the outputs that a failed command left in box. What cannot
// be kept is named; it is no reason to say anything else of the failure.
func (r *run) keepFailed(in *pipeline.Instance, box string, secrets []string) FailedOutputs {
	var kept FailedOutputs
	bytes, files := int64(0), 0
	for _, out := range in.Outputs {
		file := filepath.Join(box, filepath.FromSlash(out.Path))
		size, count, err := measure(box, file, out.Dir)
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && count == 0:
			continue // nothing was written, or a directory without a file
		case err == nil && (bytes+size > maxFailedBytes || files+count > maxFailedFiles):
			err = fmt.Errorf("of a failed stage %d MiB in %d files are kept at most", maxFailedBytes>>20, maxFailedFiles)
		}
		if err == nil {
			err = r.keepFailedOutput(&kept, out, box, file, secrets)
		}
		if err != nil {
			kept.NotKept = append(kept.NotKept, fmt.Sprintf("the output %s was not kept: %s", out.Name, redactText(strings.ReplaceAll(err.Error(), box+string(filepath.Separator), ""), secrets)))
			continue
		}
		bytes, files = bytes+size, files+count
	}
	return kept
}

// measure adds up what an output consists of.
func measure(box, file string, dir bool) (size int64, count int, err error) {
	if err := insideBox(box, file); err != nil {
		return 0, 0, err
	}
	st, err := os.Lstat(file)
	switch {
	case err != nil:
		return 0, 0, err
	case dir != st.IsDir() || !dir && !st.Mode().IsRegular():
		return 0, 0, fmt.Errorf("it is %s", typeName(st.Mode()))
	}
	err = filepath.WalkDir(file, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if !e.IsDir() {
			size += info.Size()
			count++
		}
		if count > maxFailedFiles || size > maxFailedBytes {
			return fs.SkipAll
		}
		return nil
	})
	return size, count, err
}

// keepFailedOutput stores one output, without the values of secrets.
func (r *run) keepFailedOutput(kept *FailedOutputs, out pipeline.Output, box, file string, secrets []string) error {
	if err := redactBelow(box, file, secrets); err != nil {
		return err
	}
	ro := cache.RecordOutput{Name: out.Name, Path: out.Path, Dir: out.Dir, Mode: 0o644}
	var err error
	if !out.Dir {
		if ro.Digest, ro.Size, err = r.Store.PutFile(file); err == nil {
			kept.blobs = append(kept.blobs, ro.Digest)
		}
	} else {
		ro.Mode = fs.ModeDir | 0o755
		var entries []cache.TreeEntry
		if ro.Digest, entries, err = r.Store.PutTree(file); err == nil {
			kept.blobs = append(kept.blobs, ro.Digest)
			for _, e := range entries {
				ro.Size += e.Size
				if !e.Digest.IsZero() {
					kept.blobs = append(kept.blobs, e.Digest)
				}
			}
		}
	}
	if err == nil {
		kept.Outputs = append(kept.Outputs, ro)
	}
	return err
}
