package main

import (
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// diskBytes is the size of the file system that is filled.
const diskBytes = 8 << 20

// disk fills the file system of the database while runs end, and then makes room.
func disk(b *bench) error {
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%d", diskBytes), "tmpfs",
		b.dir).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: it mounts a small file system, which needs root: %s", errSkipped, out)
	}

	defer func() { _ = exec.Command("umount", b.dir).Run() }() // the directory is temporary
	mcp := newMCP(weatherTools)
	defer mcp.Close()
	p := newProvider(func(int64) string { return "" })
	defer p.close()
	s, err := b.serve(b.db())
	if err != nil {
		return err
	}

	defer s.kill()
	first, err := s.start(mcp.URL, p.URL, 5, nil)
	if err != nil {
		return err
	}

	if err := s.wait(first.ID, b.size.patience); err != nil {
		return err
	}

	filler := filepath.Join(b.dir, "filler")
	if err := fill(filler); err != nil {
		return err
	}

	var refused *refusal
	for range 1000 {
		if err = s.call("POST", "/servers",
			map[string]any{"name": fmt.Sprint(time.Now().UnixNano()), "url": mcp.URL + "/?" +
				fmt.Sprint(time.Now().UnixNano())}, nil); err != nil {
			break
		}
	}

	if !errors.As(err, &refused) || refused.status != http.StatusServiceUnavailable {
		return fmt.Errorf("a full disk is answered with %v", err)
	}

	b.printf("  full: %v", err)
	if err := s.call("GET", "/runs", nil, nil); err != nil {
		return fmt.Errorf("nothing can be read from a full disk: %w", err)
	}

	if err := os.Remove(filler); err != nil {
		return err
	}

	if err := s.call("POST", "/servers", map[string]any{"name": "after", "url": mcp.URL + "/?after"}, nil); err != nil {
		return fmt.Errorf("with room again: %w", err)
	}

	if err := s.stop(); err != nil {
		return err
	}

	o, err := b.ended(b.db(), first)
	if err == nil {
		b.print(o)
	}

	return err
}

// fill writes a file until the disk is full.
func fill(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for block := make([]byte, 4096); ; {
		if _, err := f.Write(block); err != nil {
			return nil
		}
	}
}

// locked has another process write to the database for longer than SQLite waits,
// while runs end.
func locked(b *bench) error {
	mcp := newMCP(weatherTools)
	defer mcp.Close()
	arrived, release := make(chan struct{}), make(chan struct{})
	p := newProvider(func(n int64) string {
		if n == 1 {
			close(arrived)
		}

		<-release
		return ""
	})
	defer p.close()
	s, err := b.serve(b.db())
	if err != nil {
		return err
	}

	defer s.kill()
	started, err := s.start(mcp.URL, p.URL, 3, nil)
	if err != nil {
		close(release)
		return err
	}

	<-arrived
	unlock, err := lock(b.db())
	close(release) // the answers arrive while the database is locked
	if err != nil {
		return err
	}

	took, err := timed(func() error {
		return s.call("POST", "/servers", map[string]any{"name": "late", "url": mcp.URL + "/?late"}, nil)
	})
	var refused *refusal
	if !errors.As(err, &refused) || refused.status != http.StatusServiceUnavailable {
		unlock()
		return fmt.Errorf("a locked database is answered with %v", err)
	}

	b.printf("  locked: %v, after %.1f s", err, took.Seconds())
	read, err := timed(func() error { return s.call("GET", "/runs", nil, nil) })
	unlock()
	if err != nil {
		return err
	}

	b.printf("  reading meanwhile: %.1f ms", read.Seconds()*1000)
	o, err := b.finish(s, started)
	if err != nil {
		return err
	}

	if o.completed != len(started.Runs) {
		return fmt.Errorf("%w: answers that arrived while the database was locked", errLost)
	}

	return nil
}

// lock begins to write to a database, as another process may.
func lock(path string) (unlock func(), err error) {
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return nil, err
	}

	db.SetMaxOpenConns(1)
	for _, statement := range []string{"PRAGMA busy_timeout = 10000", "BEGIN IMMEDIATE"} {
		if _, err := db.Exec(statement); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}

	return func() {
		_, _ = db.Exec("ROLLBACK") // closing does the same
		db.Close()
	}, nil
}
