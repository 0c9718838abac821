package cache

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// runsKept is the number of runs kept for each project.
const runsKept = 50

// A RunInfo describes a stored run.
type RunInfo struct {
	ID   string
	Time time.Time // when it was stored
	Size int64     // bytes
}

// A run file is a header, which tells an eviction which blobs the journal
// needs, and the journal. A file without the magic was written by an earlier
// version and holds only a journal.
//
//	"TSA1"
//	u32 number of blobs, little-endian; each: 32 digest
//	journal
const runMagic = "TSA1"

func encodeRun(journal []byte, blobs []Digest) []byte {
	b := make([]byte, 0, len(runMagic)+4+len(blobs)*32+len(journal))
	b = append(b, runMagic...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(blobs)))
	for _, d := range blobs {
		b = append(b, d[:]...)
	}
	return append(b, journal...)
}

// decodeRun never fails: a damaged file has no journal and needs no blobs.
func decodeRun(b []byte) (journal []byte, blobs []Digest) {
	rest, ok := bytes.CutPrefix(b, []byte(runMagic))
	if !ok {
		return b, nil
	}

	c := cursor{b: rest}
	n := int(c.u32())
	if n > len(c.b)/32 {
		return nil, nil
	}

	blobs = make([]Digest, n)
	for i := range blobs {
		c.copy(blobs[i][:])
	}

	return c.b, blobs
}

// PutRun stores the journal of a run, whose format is opaque to this package.
// It also keeps the blobs that the journal names until the journal is evicted.
// The id becomes a file name: at most 128 letters, digits, '.', '_' and '-'.
// The last 50 runs of a project are kept.
func (s *Store) PutRun(project, id string, journal []byte, blobs ...Digest) error {
	if err := checkRunID(id); err != nil {
		return err
	}

	if err := s.writeFileAt(s.path(runsDir, fileID(project), id), encodeRun(journal, blobs), 0, s.clock()); err != nil {
		return err
	}

	runs, err := s.Runs(project)
	if err != nil {
		return err
	}

	for _, r := range runs[min(len(runs), runsKept):] {
		os.Remove(s.path(runsDir, fileID(project), r.ID)) // may already be removed by another process
	}

	return nil
}

// Runs lists the runs of a project, newest first.
func (s *Store) Runs(project string) ([]RunInfo, error) {
	list, err := os.ReadDir(s.path(runsDir, fileID(project)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}

	if err != nil {
		return nil, s.failed("read", err)
	}

	var runs []RunInfo
	for _, e := range list {
		if st, err := e.Info(); err == nil && checkRunID(e.Name()) == nil {
			runs = append(runs, RunInfo{ID: e.Name(), Time: st.ModTime(), Size: st.Size()})
		}
	}

	slices.SortFunc(runs, func(a, b RunInfo) int {
		if c := b.Time.Compare(a.Time); c != 0 {
			return c
		}

		return strings.Compare(b.ID, a.ID)
	})
	return runs, nil
}

// Run returns the journal that PutRun stored.
func (s *Store) Run(project, id string) ([]byte, error) {
	if err := checkRunID(id); err != nil {
		return nil, err
	}

	b, err := os.ReadFile(s.path(runsDir, fileID(project), id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("run %s: %w; the last %d runs are kept", id, ErrNotFound, runsKept)
	}

	if err != nil {
		return nil, s.failed("read", err)
	}

	journal, _ := decodeRun(b)
	return journal, nil
}

// walkRuns calls fn for each run of every project, with the blobs that its
// journal names.
func (s *Store) walkRuns(fn func(e entry, blobs []Digest) error) error {
	projects, err := os.ReadDir(s.path(runsDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s.failed("read", err)
	}

	for _, p := range projects {
		list, err := os.ReadDir(s.path(runsDir, p.Name()))
		if err != nil {
			continue // no directory, or gone
		}

		for _, f := range list {
			e := entry{path: s.path(runsDir, p.Name(), f.Name())}
			b, st, err := readWhole(e.path, nil, maxRecordFile)
			if err != nil {
				continue
			}

			e.size, e.mtime = st.size, time.Unix(0, st.mtime)
			_, blobs := decodeRun(b)
			if err := fn(e, blobs); err != nil {
				return err
			}
		}
	}

	return nil
}

func checkRunID(id string) error {
	ok := id != "" && len(id) <= 128 && id[0] != '.'
	for _, c := range []byte(id) {
		ok = ok && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' ||
			c == '-')
	}
	if !ok {
		return fmt.Errorf("run id %q: want letters, digits, '.', '_' and '-'", id)
	}
	return nil
}
