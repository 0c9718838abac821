package buildproxy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/bmatcuk/doublestar/v4"
)

// keptDir is the directory of a binary with the files that it needs beside it.
const keptDir = "files"

// keepFiles copies the binary and the files that it needs from dir, the directory of the build. The
// identity is the digest of their names and contents. It follows symbolic links to files inside dir,
// such as those of node_modules/.bin, and leaves out all other links.
func keepFiles(dir string, opts Options) (name, identity string, err error) {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", "", err
	}

	binary := filepath.ToSlash(filepath.Clean(opts.Binary))
	sum := sha256.New()
	err = filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}

		below, err := filepath.Rel(root, at)
		if err != nil {
			return err
		}

		rel := filepath.ToSlash(below)
		switch {
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir() || rel != binary && !slices.ContainsFunc(opts.Keep, func(pattern string) bool {
			return doublestar.MatchUnvalidated(pattern, rel)
		}):
			return nil
		}

		real, err := filepath.EvalSymlinks(at)
		if err != nil {
			return nil // a link to nothing
		}

		inside, err := filepath.Rel(root, real)
		info, statErr := os.Stat(real)
		if err != nil || !filepath.IsLocal(inside) || statErr != nil || !info.Mode().IsRegular() {
			return nil
		}

		to := filepath.Join(opts.Out, keptDir, below)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return fmt.Errorf("keep the build's result: %w", err)
		}

		digest, err := install(to, real)
		fmt.Fprintf(sum, "%s %q\n", digest, rel)
		return err
	})
	return path.Join(keptDir, binary), hex.EncodeToString(sum.Sum(nil)), err
}
