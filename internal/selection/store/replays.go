package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// Replay is the answer to a request that was sent with an Idempotency-Key. Status
// is 0 where there is no answer.
type Replay struct {
	Fingerprint string // of the request, as 64 hexadecimal digits
	Status      int    // 200 to 299
	Header      map[string][]string
	Body        []byte
}

// BeginReplay notes a request by the digest of its key, which is 64 hexadecimal
// digits, unless there is one already: that is returned, and first is false.
// Requests that were noted before oldest are forgotten.
func (s *Store) BeginReplay(ctx context.Context, keyDigest, fingerprint string, now, oldest time.Time) (r Replay,
	first bool, err error) {
	err = s.change(ctx, func(c *sql.Conn) error {
		if _, err := c.ExecContext(ctx, "DELETE FROM idempotency_keys WHERE created_at < ?",
			formatTime(oldest)); err != nil {
			return err
		}

		result, err := c.ExecContext(ctx,
			`INSERT INTO idempotency_keys (key_digest, fingerprint, created_at) VALUES (?, ?, ?)
			ON CONFLICT (key_digest) DO NOTHING`, keyDigest, fingerprint, formatTime(now))
		if err != nil {
			return err
		}

		if n, err := result.RowsAffected(); err != nil || n == 1 {
			r, first = Replay{Fingerprint: fingerprint}, n == 1
			return err
		}

		var status sql.NullInt64
		var header sql.NullString
		err = c.QueryRowContext(ctx, "SELECT fingerprint, status, header, body FROM idempotency_keys WHERE "+
			"key_digest = ?", keyDigest).
			Scan(&r.Fingerprint, &status, &header, &r.Body)
		if err != nil || !status.Valid {
			return err
		}

		r.Status = int(status.Int64)
		return json.Unmarshal([]byte(header.String), &r.Header)
	})
	if err != nil {
		return Replay{}, false, fmt.Errorf("note the request: %w", err)
	}

	return r, first, nil
}

// EndReplay stores the answer to a request that BeginReplay noted.
func (s *Store) EndReplay(ctx context.Context, keyDigest string, r Replay) error {
	header, err := json.Marshal(r.Header)
	if err != nil {
		return err
	}

	body := r.Body
	if body == nil {
		body = []byte{}
	}

	return s.change(ctx, func(c *sql.Conn) error {
		result, err := c.ExecContext(ctx, "UPDATE idempotency_keys SET status = ?, header = ?, body = ? WHERE "+
			"key_digest = ?",
			r.Status, string(header), body, keyDigest)
		return affected(result, err, "request", keyDigest)
	})
}

// DropReplay forgets a request, which may then be repeated.
func (s *Store) DropReplay(ctx context.Context, keyDigest string) error {
	return s.change(ctx, func(c *sql.Conn) error {
		_, err := c.ExecContext(ctx, "DELETE FROM idempotency_keys WHERE key_digest = ?", keyDigest)
		return err
	})
}
