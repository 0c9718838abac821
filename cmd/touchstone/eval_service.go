//go:build !containers

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
)

// evalService is a running touchstone eval serve that a verb asks instead of opening
// its database.
type evalService struct {
	address, token string
}

func (s *evalService) flags(p *pflag.FlagSet) {
	p.StringVar(&s.token, "token", "", "the service's token, as env:NAME or file:PATH")
}

// dbOrService is the usage of --db of verbs that can ask a service.
const dbOrService = "the database, or the address of the touchstone eval serve that uses it, such as " +
	"http://127.0.0.1:8420"

// isService reports whether --db is the address of a service, and not a file.
func isService(db string) bool { return strings.Contains(db, "://") }

// at reports whether --db is the address of a service, and takes it.
func (s *evalService) at(db string) bool {
	if isService(db) {
		s.address = db
	}
	return s.address != ""
}

// Bounds of one request to the service.
const (
	serviceTimeout = 30 * time.Second
	serviceAnswer  = 64 << 20
)

// call sends a request to a path below /api/v1, and decodes the answer into v. The
// service's refusal is the error.
func (s *evalService) call(ctx context.Context, method, path string, header http.Header, v any) error {
	base, err := url.Parse(s.address)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return errors.New("--db is neither a file nor an http or https URL: write it as http://127.0.0.1:8420")
	}

	token, err := readReference(s.token)
	if err != nil {
		return fmt.Errorf("--token: %w", err)
	}

	ctx, cancel := context.WithTimeout(ctx, serviceTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(base.String(), "/")+"/api/v1"+path, nil)
	if err != nil {
		return err
	}

	for name, values := range header {
		req.Header[name] = values
	}

	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}

	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("ask the service: %w: is touchstone eval serve running there?", err)
	}

	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, serviceAnswer))
	if err != nil {
		return fmt.Errorf("ask the service: %w", err)
	}

	if resp.StatusCode >= 300 {
		var problem struct{ Title, Detail string }
		if json.Unmarshal(body, &problem) != nil || problem.Detail == "" {
			problem.Detail = "it is no touchstone eval serve"
		}

		return fmt.Errorf("the service at %s answers %s: %s", base.Host, resp.Status,
			safetext.Visible(safetext.Clip(problem.Detail, 1000)))
	}

	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("the service at %s answers what cannot be read: %w", base.Host, err)
	}

	return nil
}
