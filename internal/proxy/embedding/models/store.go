package models

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/proxy/embedding/sentence"
)

// Store is a directory with models.
type Store struct{ Dir string }

// ErrAbsent is the error for a model that was not added.
var ErrAbsent = errors.New("the model is not on this machine")

// Path is the directory of a model, whether it exists or not.
func (s Store) Path(m Model) string { return filepath.Join(s.Dir, m.directory()) }

// Has reports whether a model exists. It does not check its files.
func (s Store) Has(m Model) bool {
	_, err := os.Stat(s.Path(m))
	return err == nil
}

// Add unpacks a model from its archive. It refuses an archive that differs from
// the pinned one before it unpacks anything. It replaces an existing model if
// its files are damaged. It leaves no partial files.
func (s Store) Add(m Model, archive io.ReadSeeker) error {
	if err := m.checkArchive(archive); err != nil {
		return err
	}

	if _, err := archive.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read the archive: %w", err)
	}

	if s.Has(m) && s.Verify(m) == nil {
		return nil
	}

	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return s.failed(err)
	}

	temporary, err := os.MkdirTemp(s.Dir, ".add-")
	if err != nil {
		return s.failed(err)
	}

	defer os.RemoveAll(temporary)
	if err := m.unpack(archive, temporary); err != nil {
		return err
	}

	if err := s.Remove(m); err != nil && !errors.Is(err, ErrAbsent) {
		return err
	}

	if err := os.Rename(temporary, s.Path(m)); err != nil {
		if s.Verify(m) == nil { // another process added it meanwhile
			return nil
		}

		return s.failed(err)
	}

	return nil
}

func (s Store) failed(err error) error {
	return fmt.Errorf("models directory %s: %w: make it writable, or choose another with --cache-dir or "+
		"TOUCHSTONE_CACHE", s.Dir, err)
}

// Remove deletes the files of a model.
func (s Store) Remove(m Model) error {
	if !s.Has(m) {
		return fmt.Errorf("%s: %w", m.Name, ErrAbsent)
	}

	// Rename the directory first, so that nobody finds a partial model.
	gone := filepath.Join(s.Dir, ".removed-"+m.directory())
	if err := os.RemoveAll(gone); err != nil {
		return s.failed(err)
	}

	if err := os.Rename(s.Path(m), gone); err != nil {
		return s.failed(err)
	}

	if err := os.RemoveAll(gone); err != nil {
		return s.failed(err)
	}

	return nil
}

// Verify reads all files of a model and compares them with the pinned digests.
func (s Store) Verify(m Model) error {
	if !s.Has(m) {
		return fmt.Errorf("%s: %w: add it with touchstone models add %s", m.Name, ErrAbsent, m.Name)
	}
	_, err := m.read(s.Path(m))
	return err
}

// Open loads a model that was added, and checks its files on the way.
func (s Store) Open(m Model) (*sentence.Encoder, error) {
	if !s.Has(m) {
		return nil, fmt.Errorf("%s: %w: add it with touchstone models add %s", m.Name, ErrAbsent, m.Name)
	}
	return m.open(s.Path(m))
}

// Identify returns the known model whose files are in dir, and checks them.
func Identify(dir string) (Model, error) {
	var errs []error
	for _, m := range known {
		_, err := m.read(dir)
		if err == nil {
			return m, nil
		}
		errs = append(errs, fmt.Errorf("%s is not the model %s: %w", dir, m.Name, err))
	}
	return Model{}, errors.Join(errs...)
}

// OpenDirectory loads the model whose files are in dir, such as a copy of an
// added model's directory. It may be any known model.
func OpenDirectory(dir string) (*sentence.Encoder, error) {
	var errs []error
	for _, m := range known {
		e, err := m.open(dir)
		if err == nil {
			return e, nil
		}
		errs = append(errs, fmt.Errorf("%s is not the model %s: %w", dir, m.Name, err))
	}
	return nil, errors.Join(errs...)
}

func (m Model) open(dir string) (*sentence.Encoder, error) {
	c, err := m.read(dir)
	if err != nil {
		return nil, err
	}
	return sentence.New(c.model, c.weights, c.vocabulary, m.Identity())
}

// contents holds the files of a model for the encoder.
type contents struct{ model, weights, vocabulary []byte }

// read reads the files of a model from dir and checks them. It computes the
// digests of the bytes read, so that a file that changes meanwhile is refused.
func (m Model) read(dir string) (contents, error) {
	var c contents
	weights := bytes.NewBuffer(make([]byte, 0, m.Size()))
	for _, f := range m.Files {
		from := weights.Len()
		if err := f.appendTo(weights, dir); err != nil {
			remedy := fmt.Sprintf("remove the model with touchstone models remove %s and add it again", m.Name)
			return contents{}, fmt.Errorf("%s: %w: %s", filepath.Join(dir, f.Name), err, remedy)
		}

		b := weights.Bytes()[from:]
		switch {
		case f.Name == modelFile:
			c.model = bytes.Clone(b)
		case f.Name == vocabularyFile:
			c.vocabulary = bytes.Clone(b)
		case strings.HasPrefix(f.Name, weightFiles):
			continue
		}

		weights.Truncate(from)
	}

	c.weights = weights.Bytes()
	return c, nil
}

// appendTo reads the file in dir, up to one byte more than its pinned size.
func (f File) appendTo(b *bytes.Buffer, dir string) error {
	file, err := os.Open(filepath.Join(dir, f.Name))
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}

		return err
	}

	defer file.Close()
	from := b.Len()
	n, err := io.Copy(b, io.LimitReader(file, f.Size+1))
	if err != nil {
		return err
	}

	sum := sha256.Sum256(b.Bytes()[from:])
	return f.check(n, sum[:])
}
