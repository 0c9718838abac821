package label

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/gofrs/flock"

	"github.com/touchstone-eval/touchstone/contracts"
)

// entry is one line of the journal: a judgement, or with Undo the return of a
// pair to the grade from before its last judgement. A nil relevance, for a pair
// that had none, is always an undo.
type entry struct {
	Query     string           `json:"query"`
	Tool      contracts.ToolID `json:"tool"`
	Relevance *int             `json:"relevance"`
	Undo      bool             `json:"undo,omitempty"`
}

// header is the first line of a journal. Judgements of another judge or about
// another corpus must not be mixed with these.
type header struct {
	Judge         string `json:"judge"`
	CorpusVersion string `json:"corpus_version"`
}

// journal is a file with a line for each judgement, in the order in which they
// were made. A line is on the disk when add returns, so that a kill or a loss of
// power loses none.
type journal struct {
	file *os.File
	lock *flock.Flock
}

// openJournal opens the journal at path, or makes it, and returns its entries. A
// last line that is cut off is removed: its judgement was never shown as done.
func openJournal(path string, want header) (*journal, []entry, error) {
	lock := flock.New(path + ".lock")
	held, err := lock.TryLock()
	if err != nil {
		return nil, nil, fmt.Errorf("cannot open the journal %s: %w", path, err)
	}

	if !held {
		return nil, nil, fmt.Errorf("another process writes the journal %s; end it, or give another output file",
			path)
	}

	entries, size, err := readJournal(path, want)
	if err != nil {
		return nil, nil, errors.Join(err, lock.Close())
	}

	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("cannot write the journal: %w", err), lock.Close())
	}

	j := &journal{file, lock}
	if err := file.Truncate(size); err != nil {
		return nil, nil, errors.Join(err, j.close())
	}

	if _, err := file.Seek(size, 0); err != nil {
		return nil, nil, errors.Join(err, j.close())
	}

	if size == 0 {
		if err := j.write(want); err != nil {
			return nil, nil, errors.Join(err, j.close())
		}
	}

	return j, entries, nil
}

// readJournal returns the entries of a journal and the size of its whole lines.
func readJournal(path string, want header) (entries []entry, size int64, err error) {
	data, err := contracts.ReadBytes(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}

	if err != nil {
		return nil, 0, err
	}

	for number := 1; ; number++ {
		line, rest, whole := bytes.Cut(data[size:], []byte("\n"))
		if !whole {
			return entries, size, nil
		}

		if number == 1 {
			var h header
			if json.Unmarshal(line, &h) != nil || h.Judge == "" {
				return nil, 0, fmt.Errorf("%s is not a journal of labels; give another output file", path)
			}

			if h != want {
				return nil, 0, fmt.Errorf("the journal %s has the labels of %q over corpus %q, and not of %q over "+
					"corpus %q; give another output file", path, h.Judge, h.CorpusVersion, want.Judge,
					want.CorpusVersion)
			}
		} else {
			var e entry
			if err := json.Unmarshal(line, &e); err != nil || e.Query == "" || e.Tool == "" {
				return nil, 0, fmt.Errorf("%s:%d: the line is not a label; restore the file, or remove the line",
					path, number)
			}

			entries = append(entries, e)
		}

		size = int64(len(data) - len(rest))
	}
}

func (j *journal) add(e entry) error { return j.write(e) }

func (j *journal) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("cannot save the label: %w; check the space on the disk", err)
	}
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("cannot save the label: %w; check the disk", err)
	}
	return nil
}

func (j *journal) close() error { return errors.Join(j.file.Close(), j.lock.Close()) }
