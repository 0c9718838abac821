package browser

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/chromedp"
)

// The version of axe-core, and the digest of its axe.min.js.
const (
	axeVersion = "4.14.1"
	axeDigest  = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
	axeMost    = 4 << 20 // bytes
)

// errNoAxe is the error of a download of axe-core that failed.
var errNoAxe = errors.New("axe-core cannot be downloaded")

var axe = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	kept := filepath.Join(dir, "touchstone-tests", "axe-core-"+axeVersion+".min.js")
	if script, err := os.ReadFile(kept); err == nil && isAxe(script) {
		return script, nil
	}
	script, err := fetchAxe()
	if err != nil {
		return nil, err
	}
	if !isAxe(script) {
		return nil, fmt.Errorf("axe.min.js of axe-core %s is not the file that is pinned", axeVersion)
	}
	// Without the copy the next run fetches it again.
	if os.MkdirAll(filepath.Dir(kept), 0o755) == nil {
		_ = os.WriteFile(kept, script, 0o644)
	}
	return script, nil
})

func isAxe(script []byte) bool {
	sum := sha256.Sum256(script)
	return hex.EncodeToString(sum[:]) == axeDigest
}

// fetchAxe gets the package with npm, which runs no script of it.
func fetchAxe() ([]byte, error) {
	dir, err := os.MkdirTemp("", "touchstone-axe-")
	if err != nil {
		return nil, err
	}

	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "pack", "--silent", "axe-core@"+axeVersion)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: npm pack: %w %s", errNoAxe, err, bytes.TrimSpace(out))
	}

	archive, err := os.Open(filepath.Join(dir, "axe-core-"+axeVersion+".tgz"))
	if err != nil {
		return nil, err
	}

	defer archive.Close()
	unzipped, err := gzip.NewReader(archive)
	if err != nil {
		return nil, err
	}

	for entries := tar.NewReader(unzipped); ; {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil, fs.ErrNotExist
		}

		if err != nil {
			return nil, err
		}

		if header.Name == "package/axe.min.js" {
			return io.ReadAll(io.LimitReader(entries, axeMost))
		}
	}
}

// Axe checks the accessibility of the page with axe-core and fails the test for each
// violation. It skips the test if axe-core cannot be downloaded.
func (b *Tab) Axe() {
	b.t.Helper()
	script, err := axe()
	if errors.Is(err, errNoAxe) {
		b.t.Skip(err)
	}

	if err != nil {
		b.t.Fatal(err)
	}

	if b.Eval(`typeof window.axe`) == "undefined" {
		if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](string(script)+`;"loaded"`)); err != nil {
			b.t.Fatal(err)
		}
	}

	var violations []struct {
		ID, Help string
		Nodes    []struct {
			Target         []any
			FailureSummary string
		}
	}
	text := b.Eval(`axe.run(document, {resultTypes: ["violations"]}).then((r) => JSON.stringify(r.violations))`)
	if err := json.Unmarshal([]byte(text), &violations); err != nil {
		b.t.Fatal(err)
	}

	for _, v := range violations {
		for _, n := range v.Nodes {
			b.t.Errorf("axe: %s: %s: %v: %s", v.ID, v.Help, n.Target, strings.ReplaceAll(n.FailureSummary, "\n", " "))
		}
	}
}
