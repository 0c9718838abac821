package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/touchstone-eval/touchstone/cache"
)

// PublishFiles replaces everything that was published to a directory of the source tree by
// the given files. Like Publish, it does not change files that it did not write. store
// provides the lock against other runs and may be nil.
func PublishFiles(ctx context.Context, store *cache.Store, root, path string, files map[string][]byte) error {
	if store != nil {
		unlock, err := lockTree(ctx, store, root)
		if err != nil {
			return err
		}
		defer unlock()
	}
	if err := publishFiles(filepath.Join(root, filepath.FromSlash(path)), files); err != nil {
		return fmt.Errorf("publishing %s: %w%s", path, err, publishRemedy(err))
	}
	return nil
}

func publishFiles(target string, files map[string][]byte) error {
	if st, err := os.Stat(target); err == nil && !st.IsDir() {
		return fmt.Errorf("%s is not a directory; move it away or publish to another path", target)
	}

	var entries []cache.TreeEntry
	for _, name := range slices.Sorted(maps.Keys(files)) {
		entries = append(entries,
			cache.TreeEntry{Path: name, Mode: 0o644, Size: int64(len(files[name])), Digest: sha256.Sum256(files[name])})
	}

	old := readManifest(target)
	if err := old.prepare(target, entries); err != nil {
		return err
	}

	var next publishManifest // without an output, so that the next publication replaces the files
	for _, entry := range entries {
		whole := func(w io.Writer) error {
			_, err := w.Write(files[entry.Path])
			return err
		}
		if err := writePublished(whole, target, entry.Path, entry.Mode, nil); err != nil {
			return err
		}

		st, err := os.Lstat(filepath.Join(target, entry.Path))
		if err != nil {
			return err
		}

		next.Files = append(next.Files, manifestFile{entry.Path, st.Size(), st.ModTime().UnixNano()})
	}

	return next.write(target)
}

// Published reports whether a run published the named file to a directory.
func Published(dir, name string) bool { return readManifest(dir).lists(name) }

// lockTree locks the source tree against other runs. Another run could read the manifest
// before a new file is listed, and treat the file as that of a user.
func lockTree(ctx context.Context, store *cache.Store, root string) (unlock func(), err error) {
	unlock, err = store.LockKey(ctx, cache.Key(sha256.Sum256([]byte("publishing into "+root))))
	switch {
	case err == nil:
		return unlock, nil
	case errors.Is(err, cache.ErrReadOnly): // a read-only cache has no locks
		return func() {}, nil
	}
	return nil, fmt.Errorf("publishing into %s: %w", root, err)
}
