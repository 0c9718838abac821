package buildproxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/touchstone-eval/touchstone/internal/base/subprocess"
)

// copyTree copies regular files, directories and symbolic links that stay inside
// the tree. The copies are writable. It leaves out .git, because a build that
// reads it would not be reproducible.
func copyTree(to, from string) error {
	root, err := filepath.EvalSymlinks(from)
	if err != nil {
		return err
	}

	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}

		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}

		if rel == "." {
			return nil
		}

		target := filepath.Join(to, rel)
		switch {
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return os.Mkdir(target, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}

			if filepath.IsAbs(link) || !filepath.IsLocal(filepath.Join(filepath.Dir(rel), link)) {
				return fmt.Errorf("%s is a symbolic link out of the source (to %q): replace it by its target", rel,
					link)
			}

			return os.Symlink(link, target)
		case d.Type().IsRegular():
			return copyFile(target, path)
		}

		return fmt.Errorf("%s is neither a file nor a directory: remove it from the source", rel)
	})
}

func copyFile(to, from string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}

	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return err
	}

	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o600)
	if err != nil {
		return err
	}

	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}

// removeAll removes a tree in which a build may have made directories read-only,
// as Go does in its module cache.
func removeAll(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}

// tailLimit is how much of a failed build's output the error shows, in bytes.
const tailLimit = 4 << 10

// runBuild runs the command in dir. Its output goes to standard error. If it
// fails, the error contains the end of the output. env is added to this process's
// environment.
func runBuild(ctx context.Context, dir string, argv []string, env map[string]string) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = os.Environ()
	for name, v := range env {
		cmd.Env = append(cmd.Env, name+"="+v)
	}

	tail := subprocess.NewTail(tailLimit)
	out := io.MultiWriter(os.Stderr, tail)
	cmd.Stdout, cmd.Stderr = out, out
	err := subprocess.Run(ctx, cmd)
	if err == nil {
		return nil
	}

	if ctx.Err() != nil {
		return ctx.Err()
	}

	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return fmt.Errorf("run the build command %q: %w: check that it is installed and on PATH", argv, err)
	}

	return fmt.Errorf("the build command %q failed (%w): correct the source or the command; the end of its output:\n%s",
		argv, err, tail.Indented())
}
