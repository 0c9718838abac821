package buildproxy

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// keptDirectory is the name of the directory with the kept files, next to the manifest.
const keptDirectory = "kept"

// keepFiles copies the files and directories in keep, which are relative to the
// directory of the build, into to, and returns the digest of the tree.
func keepFiles(to, build string, keep []string) (identity string, err error) {
	for _, path := range keep {
		from, target := filepath.Join(build, path), filepath.Join(to, path)
		info, err := os.Stat(from)
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("the build produced no %s, which keep names: correct keep in the adapter, or give "+
				"the build command, in a pipeline with --var 'proxy_build.command=[...]'", path)
		}

		if err != nil {
			return "", fmt.Errorf("the build's result: %w", err)
		}

		if info.IsDir() {
			if err = os.MkdirAll(target, 0o755); err == nil {
				err = copyTree(target, from)
			}
		} else if err = os.MkdirAll(filepath.Dir(target), 0o755); err == nil {
			err = copyFile(target, from)
		}

		if err != nil {
			return "", fmt.Errorf("keep %s of the build: %w", path, err)
		}
	}

	return treeDigest(to)
}

// treeDigest returns the SHA-256 of a tree: of the path of each entry, what it is, and
// the SHA-256 of its content or the target of a link, in the order of the paths.
func treeDigest(root string) (string, error) {
	all := sha256.New()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}

		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}

		what, content := "file", ""
		if d.Type()&fs.ModeSymlink != 0 {
			what = "link"
			content, err = os.Readlink(path)
		} else {
			content, err = fileDigest(path)
			if info, statErr := d.Info(); err == nil && statErr == nil && info.Mode()&0o111 != 0 {
				what = "program"
			}
		}

		fmt.Fprintf(all, "%q %s %q\n", filepath.ToSlash(name), what, content)
		return err
	})
	return hex.EncodeToString(all.Sum(nil)), err
}

func fileDigest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}
