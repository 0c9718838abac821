package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Kinds of errors, for errors.Is.
var (
	// ErrNotFound means that there is no such server, case or run.
	ErrNotFound = errors.New("not found")
	// ErrConflict means that the request contradicts the stored data.
	ErrConflict = errors.New("conflict")
	// ErrInvalid means that a value cannot be stored.
	ErrInvalid = errors.New("invalid")
	// ErrUnavailable means that the database cannot be used at present.
	ErrUnavailable = errors.New("database unavailable")
)

// notFound is the error for a thing without a row.
func notFound(what, id string) error {
	return fmt.Errorf("%w: there is no %s %q", ErrNotFound, what, id)
}

// remedied converts an error of SQLite to one of the kinds above, with a
// remedy.
func remedied(err error) error {
	var known *sqlite.Error
	if err == nil || !errors.As(err, &known) || errors.Is(err, context.Canceled) {
		return err
	}

	text := strings.TrimSpace(known.Error())
	switch known.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return fmt.Errorf("%w: there is one with the same %s already", ErrConflict, column(text))
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return fmt.Errorf("%w: it names something that does not exist, or something else still needs it", ErrConflict)
	case sqlite3.SQLITE_CONSTRAINT_TRIGGER:
		if strings.Contains(text, "FOREIGN KEY") { // ON DELETE RESTRICT
			return fmt.Errorf("%w: something else still needs it", ErrConflict)
		}

		return fmt.Errorf("%w: %s", ErrConflict, triggerText(text))
	}

	switch known.Code() & 0xff {
	case sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_TOOBIG:
		return fmt.Errorf("%w: %s", ErrInvalid, text)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("%w: another process holds its lock: try again when that process has ended", ErrUnavailable)
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%w: the disk is full: make room", ErrUnavailable)
	case sqlite3.SQLITE_READONLY:
		return fmt.Errorf("%w: it is not writable: change its permissions or name another file with --db",
			ErrUnavailable)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: it is damaged or not a SQLite database: restore a copy or name another file with --db",
			ErrUnavailable)
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
		return fmt.Errorf("%w: it cannot be read or written: %s", ErrUnavailable, text)
	}

	return err
}

// column is the column's name in "UNIQUE constraint failed: table.column (2067)".
func column(text string) string {
	_, columns, ok := strings.Cut(text, "constraint failed: ")
	if !ok {
		return "key"
	}

	if i := strings.LastIndex(columns, "failed: "); i >= 0 {
		columns = columns[i+len("failed: "):]
	}

	columns, _, _ = strings.Cut(columns, " (")
	var names []string
	for _, c := range strings.Split(columns, ", ") {
		names = append(names, c[strings.LastIndexByte(c, '.')+1:])
	}

	return strings.Join(names, " and ")
}

// triggerText returns the message of a trigger.
func triggerText(text string) string {
	text = strings.TrimPrefix(text, "constraint failed: ")
	text, _, _ = strings.Cut(text, " (1811)")
	return text
}

// one converts the absence of a row to ErrNotFound.
func one(err error, what, id string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return notFound(what, id)
	}
	return remedied(err)
}

// affected returns ErrNotFound if a statement changed nothing.
func affected(result sql.Result, err error, what, id string) error {
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err == nil && n == 0 {
		err = notFound(what, id)
	}
	return err
}
