package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// formatVersion is the version of the store's layout and file formats. A store
// with a newer version is not touched.
const formatVersion = 1

const versionPrefix = "touchstone cache "

// Folders of a store.
const (
	blobsDir   = "blobs"
	recordsDir = "records"
	goneDir    = "gone"
	statDir    = "stat"
	historyDir = "history"
	runsDir    = "runs"
	locksDir   = "locks"
	tmpDir     = "tmp"
)

var storeDirs = []string{blobsDir, recordsDir, goneDir, statDir, historyDir, runsDir, locksDir, tmpDir}

// Options are the options of Open.
type Options struct {
	// Clock returns the time; nil means time.Now.
	Clock func() time.Time
	// MaxBytes is the size that Trim keeps the store below; 0 means no limit.
	MaxBytes int64
	// ReadOnly opens an existing store without changing it.
	ReadOnly bool
}

// A Store is an open store. Its methods are safe for concurrent use, and any
// number of Stores, in this process or others on the same machine, may be open
// on one directory. It is not safe on network filesystems.
type Store struct {
	dir      string
	clock    func() time.Time
	maxBytes int64
	readOnly bool

	touch  touchLock // held shared while an entry is checked and touched
	writer session   // tells an eviction that new blobs may have no record yet

	records *recordIndex   // nil: no index is used
	remote  *remoteContent // nil: the store has no source
}

// DefaultDir returns the value of TOUCHSTONE_CACHE as an absolute path, or else
// the directory touchstone in the user's cache directory.
func DefaultDir() (string, error) {
	if dir := os.Getenv("TOUCHSTONE_CACHE"); dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", fmt.Errorf("TOUCHSTONE_CACHE=%s: %w; give an absolute path", dir, err)
		}

		return abs, nil
	}

	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache directory: %w; set TOUCHSTONE_CACHE to a directory of your own", err)
	}

	return filepath.Join(dir, "touchstone"), nil
}

// A VersionError reports a store that another version of Touchstone wrote.
type VersionError struct {
	Dir     string
	Version int
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("cache %s has format version %d, but this touchstone supports versions up to %d; nothing was "+
		"changed; update touchstone, or set TOUCHSTONE_CACHE to another directory",
		e.Dir, e.Version, formatVersion)
}

// Open opens the store in dir, and creates it if it does not exist. With
// Options.ReadOnly the store must exist. Open refuses a directory that holds
// other files.
func Open(dir string, o Options) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("cache %s: %w; give an absolute path", dir, err)
	}

	s := &Store{dir: dir, clock: o.Clock, maxBytes: o.MaxBytes, readOnly: o.ReadOnly}
	if s.clock == nil {
		s.clock = time.Now
	}

	s.touch.path = s.path(locksDir, "touch")
	s.writer.store = s

	found, err := s.checkVersion()
	switch {
	case err != nil:
	case found && s.readOnly:
	case found:
		err = s.checkWritable()
	case s.readOnly:
		err = fmt.Errorf("cache %s: %w; a read-only cache must exist; run once without read-only", dir, fs.ErrNotExist)
	default:
		err = s.create()
	}

	if err != nil {
		return nil, err
	}

	return s, nil
}

// Dir returns the absolute path of the store.
func (s *Store) Dir() string { return s.dir }

// Close saves the index of records and releases the locks and files of the
// store. No data is lost without it.
func (s *Store) Close() error {
	var err error
	if s.records != nil {
		err = s.records.save(s)
	}
	return errors.Join(err, s.writer.end())
}

func (s *Store) path(elem ...string) string {
	return s.dir + string(filepath.Separator) + filepath.Join(elem...)
}

// checkVersion reports whether dir holds a store that this code can use.
func (s *Store) checkVersion() (bool, error) {
	b, err := os.ReadFile(s.path("VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}

	if err != nil {
		return false, s.failed("open", err)
	}

	text, ok := strings.CutPrefix(string(b), versionPrefix)
	n, err := strconv.Atoi(strings.TrimSuffix(text, "\n"))
	if !ok || err != nil || n < 1 {
		return false, fmt.Errorf("cache %s: the content of the file VERSION is not %q; remove the directory if it "+
			"is a damaged cache, or set TOUCHSTONE_CACHE to another one",
			s.dir, versionPrefix+"N")
	}

	if n > formatVersion {
		return false, &VersionError{Dir: s.dir, Version: n}
	}

	return true, nil
}

// create makes an empty store. Two processes may call it at once.
func (s *Store) create() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return s.failed("create", err)
	}

	list, err := os.ReadDir(s.dir)
	if err != nil {
		return s.failed("create", err)
	}

	for _, e := range list {
		if !ownName(e.Name()) {
			return fmt.Errorf("cache %s: the directory contains %q and is not a touchstone cache; set "+
				"TOUCHSTONE_CACHE to an empty or new directory", s.dir, e.Name())
		}
	}

	SpreadOut(s.dir)
	for _, name := range storeDirs {
		if err := os.MkdirAll(s.path(name), 0o700); err != nil {
			return s.failed("create", err)
		}
	}

	// The tag excludes the store from backups. Its first line is fixed by the
	// Cache Directory Tagging Specification.
	tag := "Signature: 8a477f597d28d172789f06886806bc55\n# This directory contains results that touchstone can " +
		"compute again.\n"
	if err := s.writeFile(s.path("CACHEDIR.TAG"), []byte(tag), 0); err != nil {
		return err
	}

	return s.writeFile(s.path("VERSION"), []byte(versionPrefix+strconv.Itoa(formatVersion)+"\n"), durable)
}

// ModelsDir is the name of the directory for downloaded sentence models. It is in the
// store's directory, but the store does not use it.
const ModelsDir = "models"

func ownName(name string) bool {
	for _, d := range storeDirs {
		if name == d {
			return true
		}
	}
	return name == "VERSION" || name == "CACHEDIR.TAG" || name == ModelsDir
}

// checkWritable reports early that results could not be stored.
func (s *Store) checkWritable() error {
	f, err := s.temp()
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(f.Name())
}
