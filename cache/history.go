package cache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// historyKept is the number of runs kept for each instance.
const historyKept = 20

// A HistoryEntry records that an instance with a key ran or was a cache hit.
type HistoryEntry struct {
	Key  Key
	Time time.Time
}

// AppendHistory records that an instance with key k ran or was a cache hit. Several
// processes may call it at once.
func (s *Store) AppendHistory(project, stage, instance string, k Key, at time.Time) error {
	if s.readOnly {
		return s.refuse("keeping a history")
	}

	lock, err := s.lockFile(context.Background(), s.path(locksDir, "history"))
	if err != nil {
		return err
	}

	defer lock.Close()
	path := s.historyPath(project, stage, instance)
	entries := readHistory(path)
	if len(entries) >= 2*historyKept {
		var b []byte
		for _, e := range slices.Backward(entries[:historyKept-1]) {
			b = e.append(b)
		}

		return s.writeFile(path, HistoryEntry{k, at}.append(b), 0)
	}

	// Appending a line is much cheaper than writing a new file.
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			f, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		}
	}

	if err != nil {
		return s.failed("write", err)
	}

	_, err = f.Write(HistoryEntry{k, at}.append(nil))
	if cerr := f.Close(); err == nil {
		err = cerr
	}

	if err != nil {
		return s.failed("write", err)
	}

	return nil
}

func (e HistoryEntry) append(b []byte) []byte {
	return fmt.Appendf(b, "%s %s\n", e.Key, e.Time.UTC().Format(time.RFC3339Nano))
}

// History returns the entries of an instance, newest first.
func (s *Store) History(project, stage, instance string) []HistoryEntry {
	entries := readHistory(s.historyPath(project, stage, instance))
	return entries[:min(len(entries), historyKept)]
}

func (s *Store) historyPath(project, stage, instance string) string {
	return s.path(historyDir, fileID(project), fileID(fmt.Sprintf("%d:%s%s", len(stage), stage, instance)))
}

// readHistory reads the entries of a history file, where the oldest is first,
// and returns them newest first. It skips lines that it cannot parse, such as a
// partial line after a full disk: a lost line only shortens an explanation.
func readHistory(path string) []HistoryEntry {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}

	var entries []HistoryEntry
	for line := range strings.Lines(string(b)) {
		key, at, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		k, err := ParseKey(key)
		if err != nil {
			continue
		}

		t, err := time.Parse(time.RFC3339Nano, at)
		if err != nil {
			continue
		}

		entries = append(entries, HistoryEntry{Key: k, Time: t})
	}

	slices.Reverse(entries)
	return entries
}
