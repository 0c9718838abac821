// Package store stores servers, cases, runs and their results in a SQLite
// database.
//
// The schema, in migrations, enforces every rule of the data, so that the
// database refuses mistakes of a caller. This package converts such refusals to
// errors with a remedy.
//
// One connection writes and several read, so readers never wait for a writer,
// and writers wait for each other in this process and not in SQLite. Other
// processes may read at the same time. A process that executes runs must own
// the database (see Own); a second one is refused.
package store

import (
	"context"
	"database/sql"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/uuid"
	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

//go:embed migrations/*.sql
var migrations embed.FS

// applicationID is set by the first migration. It identifies the files of this
// package.
const applicationID = 0x5453454c

const (
	busyTimeout = 5 * time.Second
	// queueTimeout is how long a writer waits for the other writers of this process.
	queueTimeout = 30 * time.Second
	readers      = 8
)

// Store is an open database.
type Store struct {
	write, read *sql.DB
	path        string
	lock        *flock.Flock
}

// Open opens the database at path and migrates its schema to the current
// version. It creates a missing file in an existing directory. It does not change a
// file that is another program's database or was written by a newer Touchstone.
func Open(ctx context.Context, path string) (*Store, error) {
	if err := prepare(path); err != nil {
		return nil, err
	}

	s := &Store{path: path}
	var err error
	if s.write, err = connect(path, url.Values{"_txlock": {"immediate"}}, 1); err != nil {
		return nil, err
	}

	if err = s.migrate(ctx); err == nil {
		s.read, err = connect(path, url.Values{"_pragma": {"query_only(1)"}}, readers)
	}

	if err != nil {
		_ = s.Close() // the first error is the one to report
		return nil, fmt.Errorf("database %s: %w", path, remedied(err))
	}

	return s, nil
}

// prepare creates the file, which only its owner may read, because queries can
// be confidential.
func prepare(path string) error {
	if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the directory of the database %s does not exist: create it, or choose another place with "+
			"--db", path)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("open the database: %w; choose another place with --db", err)
	}
	return f.Close()
}

func connect(path string, options url.Values, connections int) (*sql.DB, error) {
	for _, pragma := range []string{
		fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()),
		"foreign_keys(1)", "synchronous(NORMAL)",
	} {
		options.Add("_pragma", pragma)
	}

	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", path, err)
	}

	address := url.URL{Scheme: "file", Path: filepath.ToSlash(absolute), RawQuery: options.Encode()}
	db, err := sql.Open("sqlite", address.String())
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", path, err)
	}

	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

func (s *Store) migrate(ctx context.Context) error {
	var id, tables int
	if err := s.write.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return err
	}

	if err := s.write.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables); err != nil {
		return err
	}

	if tables > 0 && id != applicationID {
		return errors.New("it is the database of another program: name another file with --db; `touchstone eval " +
			"import` reads those of mcp-tef")
	}

	// The mode of an existing file is set only after it is known to be
	// Touchstone's.
	if _, err := s.write.ExecContext(ctx, "PRAGMA journal_mode = WAL"); err != nil {
		return err
	}

	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}

	provider, err := goose.NewProvider(goose.DialectSQLite3, s.write, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}

	sources := provider.ListSources()
	newest := sources[len(sources)-1].Version
	if tables > 0 {
		current, err := provider.GetDBVersion(ctx)
		if err != nil {
			return err
		}

		if current > newest {
			return fmt.Errorf("its schema is version %d, but this program supports %d: use the newer Touchstone "+
				"that wrote it", current, newest)
		}

		if current == newest {
			return nil
		}
	}

	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate its schema: %w", err)
	}

	return nil
}

// ErrOwned means that another process owns the database.
var ErrOwned = errors.New("another touchstone process executes runs on it")

// Own acquires the right to execute runs until Close. It returns ErrOwned if
// another process has it.
func (s *Store) Own() error {
	if s.lock != nil {
		return nil
	}

	lock := flock.New(s.path + ".lock")
	held, err := lock.TryLock()
	if err != nil {
		return fmt.Errorf("lock the database %s: %w", s.path, err)
	}

	if !held {
		return fmt.Errorf("database %s: %w: use that process, end it, or name another file with --db", s.path, ErrOwned)
	}

	s.lock = lock
	return nil
}

// Close ends all connections. It may be called on a partially opened store.
func (s *Store) Close() error {
	var errs []error
	for _, db := range []*sql.DB{s.read, s.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Close())
	}
	return errors.Join(errs...)
}

// Check makes SQLite examine the whole file, and returns an error if the file
// is damaged.
func (s *Store) Check(ctx context.Context) error {
	var verdict string
	if err := s.read.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&verdict); err != nil {
		return fmt.Errorf("check database %s: %w", s.path, remedied(err))
	}
	if verdict != "ok" {
		return fmt.Errorf("database %s is damaged: %s: restore a copy of it", s.path, verdict)
	}
	return nil
}

// change runs fn in a transaction of the writing connection. It handles the
// transaction itself instead of using database/sql: if COMMIT fails on a
// deferred foreign key, SQLite keeps the transaction open, and it must be
// rolled back.
func (s *Store) change(ctx context.Context, fn func(c *sql.Conn) error) error {
	within, cancel := context.WithTimeout(ctx, queueTimeout)
	c, err := s.write.Conn(within)
	cancel()
	if err != nil && ctx.Err() == nil && within.Err() != nil {
		return fmt.Errorf("%w: other writers wait for it: try again later", ErrUnavailable)
	}

	if err != nil {
		return remedied(err)
	}

	defer c.Close()
	if _, err := c.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return remedied(err)
	}

	if err = fn(c); err == nil {
		_, err = c.ExecContext(ctx, "COMMIT")
	}

	if err != nil {
		// This fails if SQLite has already rolled back by itself, as on a full
		// disk.
		_, _ = c.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		return remedied(err)
	}

	return nil
}

// newID returns ids that sort by the time of their creation.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

func parseTime(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return t, fmt.Errorf("the database contains the time %q: %w", text, err)
	}
	return t, nil
}

func parseTimePtr(text sql.NullString) (*time.Time, error) {
	if !text.Valid {
		return nil, nil
	}
	t, err := parseTime(text.String)
	return &t, err
}

func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// null returns NULL for an empty text.
func null(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func nullJSON(raw []byte) any {
	if raw == nil {
		return nil
	}
	return string(raw)
}

// decodeColumn reads a column of JSON that this package wrote.
func decodeColumn(what, text string, into any) error {
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("%s in the database: %w", what, err)
	}
	return nil
}

// Page is a part of a list: Limit items after Offset items.
type Page struct {
	Limit, Offset int
}

// MaxPage is the largest Limit. A Limit of 0 means DefaultPage.
const (
	MaxPage     = 1000
	DefaultPage = 50
)

func (p Page) bounds() (limit, offset int, err error) {
	if p.Limit == 0 {
		p.Limit = DefaultPage
	}
	if p.Limit < 0 || p.Limit > MaxPage || p.Offset < 0 {
		return 0, 0, fmt.Errorf("%w: a page has 1 to %d items and begins at 0 or later", ErrInvalid, MaxPage)
	}
	return p.Limit, p.Offset, nil
}
