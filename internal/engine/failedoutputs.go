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

// The outputs of a failed instance are kept for users: a test report is most useful
// if the tests failed. The journal of the run refers to them, but no record does, so
// that they are never a hit and never an input of another stage. They are removed
// together with the logs of the run.

// Limits on the kept outputs of one failed instance.
const (
	maxFailedBytes = 64 << 20
	maxFailedFiles = 10_000
)

// FailedOutputs are the outputs that an instance wrote before it failed.
type FailedOutputs struct {
	Outputs []cache.RecordOutput `json:"outputs,omitempty"`
	// NotKept contains a sentence for each other output, with the reason why it
	// was not kept.
	NotKept []string `json:"not_kept,omitempty"`

	blobs []cache.Digest // all blobs of Outputs
}

// keepFailed stores the outputs that a failed command wrote to box. It lists outputs
// that cannot be kept, which does not change the reported failure.
func (r *run) keepFailed(in *pipeline.Instance, box string) FailedOutputs {
	var kept FailedOutputs
	bytes, files := int64(0), 0
	for _, out := range in.Outputs {
		file := filepath.Join(box, filepath.FromSlash(out.Path))
		size, count, err := measure(box, file, out.Dir)
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && count == 0:
			continue // nothing was written, or a directory without a file
		case err == nil && (bytes+size > maxFailedBytes || files+count > maxFailedFiles):
			err = fmt.Errorf("at most %d MiB in %d files are kept for a failed stage", maxFailedBytes>>20,
				maxFailedFiles)
		}

		if err == nil {
			err = r.keepFailedOutput(&kept, out, box, file)
		}

		if err != nil {
			kept.NotKept = append(kept.NotKept,
				fmt.Sprintf("the output %s was not kept: %s", out.Name,
					r.hidden.Text(strings.ReplaceAll(err.Error(), box+string(filepath.Separator), ""))))
			continue
		}

		bytes, files = bytes+size, files+count
	}

	return kept
}

// measure returns the total size and the number of files of an output.
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

// keepFailedOutput stores one output, and replaces the values of secrets in it.
func (r *run) keepFailedOutput(kept *FailedOutputs, out pipeline.Output, box, file string) error {
	if err := publicNames(file, r.hidden); err != nil {
		return err
	}

	if err := redactBelow(box, file, r.hidden); err != nil {
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
