package versions

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/data/validation"
)

// Added is a dataset to which entries were appended. File is From if From is a
// draft, and a new file if it is frozen.
type Added struct {
	Kind    string   `json:"kind"`
	Version string   `json:"version"`
	File    string   `json:"file"`
	From    string   `json:"from"`
	IDs     []string `json:"ids"`
}

// Add appends entries to a dataset. A frozen version stays as it is: the entries
// join its next version, in a new file, where all others keep their ids. source
// is the name of a file with the entries, for errors: a dataset of the same kind,
// a list, or one entry a line. The result is validated; if it is not valid,
// nothing is written.
func Add(lockPath, file, source string, entries []byte) (Added, error) {
	lock, err := validation.ReadLock(lockPath)
	if err != nil {
		return Added{}, err
	}

	data, kind, err := readDataset(file)
	if err != nil {
		return Added{}, err
	}

	added := Added{Kind: kind, File: file, From: file}
	added.Version, _, _, _ = validation.VersionOf(data)
	if f, ok := validation.Frozen(lock, added.Kind, added.Version); ok {
		if sum := sha256.Sum256(data); f.SHA256 != hex.EncodeToString(sum[:]) {
			return added, fmt.Errorf("%s was edited although its version %s is frozen; make the edit the next "+
				"version with touchstone data next %s, and add to that", file, added.Version, file)
		}

		if added.Version, added.File, err = freeVersion(lock, added.Kind, added.Version, file); err != nil {
			return added, err
		}
	}

	content, err := added.join(data, source, entries)
	if err != nil {
		return added, err
	}

	if added.File == file {
		err = atomicfile.WriteFile(file, content, 0o644)
	} else {
		err = writeNewFile(added.File, content)
	}

	if err != nil {
		return added, err
	}

	if _, err := validation.Check(lock, []string{added.File}); err != nil {
		if added.File == file {
			return added, errors.Join(err, atomicfile.WriteFile(file, data, 0o644))
		}

		return added, errors.Join(err, os.Remove(added.File))
	}

	return added, nil
}

// join returns the bytes of the dataset with the entries.
func (a *Added) join(data []byte, source string, entries []byte) ([]byte, error) {
	switch a.Kind {
	case contracts.KindCorpus:
		return joined(a, data, source, entries, "tools",
			func(c *contracts.Corpus) (*string, *[]contracts.Tool) { return &c.Version, &c.Tools },
			func(t contracts.Tool) string { return t.ToolID })
	case contracts.KindGolden:
		return joined(a, data, source, entries, "queries",
			func(g *contracts.GoldenSet) (*string, *[]contracts.Query) { return &g.Version, &g.Queries },
			func(q contracts.Query) string { return q.ID })
	case contracts.KindSecurity:
		return joined(a, data, source, entries, "entries",
			func(s *contracts.SecurityCorpus) (*string, *[]contracts.SecurityEntry) { return &s.Version, &s.Entries },
			func(e contracts.SecurityEntry) string { return e.ID })
	}

	return joined(a, data, source, entries, "cases",
		func(s *contracts.CaseSet) (*string, *[]contracts.SelectionCase) { return &s.Version, &s.Cases },
		func(c contracts.SelectionCase) string { return c.ID })
}

func joined[D, E any](a *Added, data []byte, source string, entries []byte, list string, parts func(*D) (*string, *[]E),
	id func(E) string) ([]byte, error) {
	d, err := contracts.Decode[D](a.From, data)
	var fe *contracts.FileError
	if errors.As(err, &fe) {
		return nil, &validation.InvalidError{Files: []*contracts.FileError{fe}}
	}

	if err != nil {
		return nil, err
	}

	more, err := readEntries[E](source, entries, list)
	if err != nil {
		return nil, err
	}

	version, all := parts(&d)
	place := make(map[string]bool, len(*all))
	for _, e := range *all {
		place[id(e)] = true
	}

	for i, e := range more {
		switch {
		case id(e) == "":
			return nil, fmt.Errorf("%s: entry %d has no id; give it one", source, i+1)
		case place[id(e)]:
			return nil, fmt.Errorf("%s: entry %d has the id %s, which the dataset has already; to change an entry, "+
				"edit a draft", source, i+1, id(e))
		}

		place[id(e)] = true
		a.IDs = append(a.IDs, id(e))
	}

	*version, *all = a.Version, append(*all, more...)
	return contracts.Encode(a.File, d)
}

// readEntries reads a dataset, of which list is the field with the entries, a
// list of entries, or one entry a line.
func readEntries[E any](source string, data []byte, list string) ([]E, error) {
	strict := func(data []byte, v any) error {
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.DisallowUnknownFields()
		return dec.Decode(v)
	}
	data = bytes.TrimSpace(data)
	var whole map[string]json.RawMessage
	if json.Unmarshal(data, &whole) == nil && whole[list] != nil {
		data = whole[list]
	}

	var all []E
	if bytes.HasPrefix(data, []byte("[")) {
		if err := strict(data, &all); err != nil {
			return nil, fmt.Errorf("%s: the list cannot be read: %w; its elements are like those of %q in the dataset",
				source, err, list)
		}
	} else {
		number := 0
		for line := range bytes.Lines(data) {
			number++
			if line = bytes.TrimSpace(line); len(line) == 0 {
				continue
			}

			var e E
			if err := strict(line, &e); err != nil {
				return nil, fmt.Errorf("%s:%d: the line cannot be read: %w; write a list, or one entry a line, like "+
					"those of %q in the dataset", source, number, err, list)
			}

			all = append(all, e)
		}
	}

	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no entries; write a list, or one entry a line, like those of %q in the dataset",
			source, list)
	}

	return all, nil
}
