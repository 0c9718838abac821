//go:build !containers

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// revisions checks out revisions of a git repository, one at a time, in a private directory. The
// repository itself is only read: no worktree, branch or reference is added, and its working
// tree is not changed.
type revisions struct {
	dir    string // private: tree, index and the state of a bisection
	gitDir string
	// prefix is the directory inside the repository that --repo names, or "" for
	// the root.
	prefix string
	lock   *flock.Flock
}

// openRevisions opens the repository of a directory. The private directory is in the cache
// directory, next to those of running stages.
func openRevisions(ctx context.Context, flags *globalFlags, repo string) (*revisions, error) {
	store, err := openStore(flags) // creates the directory
	if err != nil {
		return nil, err
	}

	base := store.Dir()
	if err := store.Close(); err != nil {
		return nil, err
	}

	top, err := git(ctx, repo, nil, "rev-parse", "--path-format=absolute", "--git-dir", "--show-prefix")
	if errors.Is(err, exec.ErrNotFound) {
		return nil, fmt.Errorf("--repo %s: %w", repo, err)
	}

	if err != nil {
		return nil, fmt.Errorf("--repo %s: %w; name the directory of a git repository", repo, err)
	}

	gitDir, prefix, _ := strings.Cut(top, "\n")
	abs, err := filepath.Abs(repo)
	if err != nil {
		return nil, err
	}

	id := sha256.Sum256([]byte(abs))
	r := &revisions{dir: filepath.Join(base, "work", "revisions-"+hex.EncodeToString(id[:8])), gitDir: gitDir,
		prefix: strings.TrimSpace(prefix)}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return nil, fmt.Errorf("create a directory for revisions: %w", err)
	}

	r.lock = flock.New(filepath.Join(r.dir, "lock"))
	ok, err := r.lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the directory for revisions: %w", err)
	}

	if !ok {
		return nil, fmt.Errorf("another comparison or bisection of %s is running; wait for it, or use a different "+
			"--cache-dir", repo)
	}

	// Do not trust what an interrupted checkout left.
	if err := errors.Join(os.RemoveAll(r.tree()), os.RemoveAll(r.index())); err != nil {
		r.close()
		return nil, fmt.Errorf("clear the directory for revisions: %w", err)
	}

	return r, nil
}

func (r *revisions) tree() string  { return filepath.Join(r.dir, "tree") }
func (r *revisions) index() string { return filepath.Join(r.dir, "index") }

// close removes the checkout, which is no longer needed once results are cached.
func (r *revisions) close() {
	os.RemoveAll(r.tree())
	os.Remove(r.index())
	r.lock.Close()
}

// git runs a command in the repository.
func (r *revisions) git(ctx context.Context, args ...string) (string, error) {
	return git(ctx, r.dir, []string{"GIT_DIR=" + r.gitDir}, args...)
}

// resolve returns the commit of a revision.
func (r *revisions) resolve(ctx context.Context, revision string) (string, error) {
	commit, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("the repository has no revision %q; name a commit, a tag or a branch of it", revision)
	}
	return strings.TrimSpace(commit), nil
}

// isAncestor reports whether one commit is an ancestor of another, or the same.
func (r *revisions) isAncestor(ctx context.Context, earlier, later string) bool {
	_, err := r.git(ctx, "merge-base", "--is-ancestor", earlier, later)
	return err == nil
}

// checkOut checks out a commit in the private tree and returns the directory to build in.
func (r *revisions) checkOut(ctx context.Context, commit string) (string, error) {
	if err := os.MkdirAll(r.tree(), 0o755); err != nil {
		return "", err
	}

	// A sparse checkout is a setting of the user's working tree and would omit files.
	_, err := git(ctx, r.tree(),
		[]string{"GIT_DIR=" + r.gitDir, "GIT_WORK_TREE=" + r.tree(), "GIT_INDEX_FILE=" + r.index()},
		"-c", "core.sparseCheckout=false", "read-tree", "--reset", "-u", commit)
	if err != nil {
		return "", fmt.Errorf("check out %.12s: %w", commit, err)
	}

	dir := filepath.Join(r.tree(), filepath.FromSlash(r.prefix))
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", fmt.Errorf("%.12s has no directory %s", commit, r.prefix)
	}

	return dir, nil
}

// subject returns the short id and the first line of a commit.
func (r *revisions) subject(ctx context.Context, commit string) string {
	line, err := r.git(ctx, "log", "-1", "--format=%h %s", commit)
	if err != nil {
		return commit
	}
	return strings.TrimSpace(line)
}
