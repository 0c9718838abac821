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
	"strings"
	"syscall"
	"time"
)

// copyTree copies regular files, directories and symbolic links that stay
// inside. What it makes is writable. Version control's own directory is left
// out: a build that looks at it would not be the same twice.
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
				return fmt.Errorf("%s is a symbolic link out of the source (to %q): replace it by what it points to", rel, link)
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

// removeAll removes a tree in which a build may have made directories
// read-only, as Go's module cache does.
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

// runBuild runs the command in dir. Its output goes to standard error, and
// the end of it into the error when it fails. env is set on top of this
// process's environment.
func runBuild(ctx context.Context, dir string, argv []string, env map[string]string) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = os.Environ()
	for name, v := range env {
		cmd.Env = append(cmd.Env, name+"="+v)
	}
	tail := &tailBuffer{}
	out := io.MultiWriter(os.Stderr, tail)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 2 * time.Second
	err := cmd.Run()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left running
	}
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
	text := tail.String()
	if text == "" {
		text = "  (it printed nothing)"
	}
	return fmt.Errorf("the build command %q failed (%w): correct the source or the command; the end of its output:\n%s", argv, err, text)
}

// tailBuffer keeps the end of what is written to it.
type tailBuffer struct {
	data []byte
	cut  bool
}

const tailLimit = 4 << 10

func (t *tailBuffer) Write(p []byte) (int, error) {
	t.data = append(t.data, p...)
	if n := len(t.data) - tailLimit; n > 0 {
		t.data, t.cut = append([]byte(nil), t.data[n:]...), true
	}
	return len(p), nil
}

// String gives whole lines, indented.
func (t *tailBuffer) String() string {
	text := strings.ToValidUTF8(string(t.data), "\uFFFD")
	if t.cut {
		_, rest, found := strings.Cut(text, "\n")
		if found {
			text = rest
		}
	}
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(text, "\n", "\n  ")
}
