package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// checkedOut is the list of commits that were checked out in a work tree, the newest first.
type checkedOut []struct {
	from   time.Time
	commit string
}

// commitsOf reads the reflog of the work tree at dir. Outside a repository, or without git, the list
// is empty.
func commitsOf(ctx context.Context, dir string) checkedOut {
	out, err := git(ctx, dir, nil, "log", "--walk-reflogs", "--format=%h %gd", "--date=unix", "HEAD", "--")
	if err != nil {
		return nil
	}

	var list checkedOut
	for line := range strings.Lines(out) {
		commit, selector, _ := strings.Cut(strings.TrimSpace(line), " ")
		_, at, _ := strings.Cut(selector, "@{")
		seconds, err := strconv.ParseInt(strings.TrimSuffix(at, "}"), 10, 64)
		if err != nil {
			return nil
		}

		list = append(list, struct {
			from   time.Time
			commit string
		}{time.Unix(seconds, 0), commit})
	}

	return list
}

// at returns the abbreviated commit that was checked out at a time, or "" if the list begins later.
// Changes that were not committed do not show.
func (l checkedOut) at(t time.Time) string {
	for _, c := range l {
		if !c.from.After(t) {
			return c.commit
		}
	}
	return ""
}

// git runs git in a directory. It removes environment variables that a hook or an alias set for
// another repository.
func git(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			cmd.Env = append(cmd.Env, v)
		}
	}

	cmd.Env = append(cmd.Env, env...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	switch {
	case err == nil:
		return out.String(), nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%w; install git", err)
	}

	if text := strings.TrimSpace(said.String()); text != "" {
		return "", errors.New(text)
	}

	return "", fmt.Errorf("git %s: %w", args[0], err)
}
