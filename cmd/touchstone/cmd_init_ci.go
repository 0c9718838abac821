//go:build !containers

package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone"
	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// Hosts of CI for which init writes a file.
const (
	hostGitHub = "github"
	hostGitLab = "gitlab"
)

// ciFile is the file that runs the gate in the CI of a repository.
type ciFile struct {
	host    string
	path    string
	content string
}

// planCI returns the file that runs the gate in the CI of the repository that contains dir, which
// need not exist yet, or nil for none. It writes nothing. shared may be nil.
func planCI(cmd *cobra.Command, host, dir string, shared *initRemote, p ciProgram) (*ciFile, error) {
	switch host {
	case "none":
		return nil, nil
	case "", hostGitHub, hostGitLab:
	default:
		return nil, fmt.Errorf("unknown --ci %q: use github, gitlab or none", host)
	}

	inside, below, err := existingPart(dir)
	if err != nil {
		return nil, err
	}

	root := gitOutput(cmd, inside, "rev-parse", "--show-toplevel")
	if host == "" && root != "" {
		host = hostOf(root, gitOutput(cmd, inside, "config", "--get-regexp", `^remote\..*\.url$`))
	}

	switch {
	case host == "":
		return nil, nil
	case root == "":
		return nil, fmt.Errorf("--ci %s: %s is not in a git repository: run git init, or leave --ci out", host, dir)
	}

	if below, err = insideOf(root, filepath.Join(inside, below)); err != nil {
		return nil, err
	}

	if host == hostGitHub {
		return &ciFile{host, filepath.Join(root, ".github", "workflows", "touchstone.yml"),
			githubWorkflow(below, defaultBranch(cmd, inside), shared, p)}, nil
	}

	content, err := gitlabPipeline(below, shared, p)
	return &ciFile{host, filepath.Join(root, ".gitlab-ci.yml"), content}, err
}

// write writes the file unless it exists.
func (f *ciFile) write(cmd *cobra.Command) error {
	if _, err := os.Lstat(f.path); !errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: %s exists and is not changed: to gate there, add\n\n%s\n", f.path,
			f.content)
		return nil
	}

	if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
		return err
	}

	if err := atomicfile.WriteFile(f.path, []byte(f.content), 0o644); err != nil {
		return err
	}

	fmt.Fprintln(cmd.OutOrStdout(), f.path)
	return nil
}

// existingPart splits the path of a directory into the part that exists, without symbolic links, and
// the rest.
func existingPart(dir string) (existing, rest string, err error) {
	if existing, err = filepath.Abs(dir); err != nil {
		return "", "", err
	}

	for {
		real, err := filepath.EvalSymlinks(existing)
		if err == nil {
			return real, rest, nil
		}

		if !errors.Is(err, fs.ErrNotExist) || existing == filepath.Dir(existing) {
			return "", "", err
		}

		existing, rest = filepath.Dir(existing), filepath.Join(filepath.Base(existing), rest)
	}
}

// defaultBranch returns the default branch of the remote origin, or else the current branch, or else
// main.
func defaultBranch(cmd *cobra.Command, dir string) string {
	name, ok := strings.CutPrefix(gitOutput(cmd, dir, "symbolic-ref", "refs/remotes/origin/HEAD"),
		"refs/remotes/origin/")
	if !ok {
		name = strings.TrimPrefix(gitOutput(cmd, dir, "symbolic-ref", "HEAD"), "refs/heads/")
	}
	return cmp.Or(name, "main")
}

// gitOutput returns what git prints, or "" if it fails, as it does outside a repository.
func gitOutput(cmd *cobra.Command, dir string, args ...string) string {
	out, err := exec.CommandContext(cmd.Context(), "git", append([]string{"-C", dir}, args...)...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// hostOf returns the host of a repository by the files that it has for CI, and else by
// the hosts of its remotes, origin first; or "". A line of remotes is "remote.NAME.url URL".
func hostOf(root, remotes string) string {
	if _, err := os.Stat(filepath.Join(root, ".gitlab-ci.yml")); err == nil {
		return hostGitLab
	}

	if _, err := os.Stat(filepath.Join(root, ".github")); err == nil {
		return hostGitHub
	}

	lines := strings.Split(remotes, "\n")
	slices.SortStableFunc(lines, func(a, b string) int {
		rank := func(line string) int {
			if strings.HasPrefix(line, "remote.origin.url ") {
				return 0
			}

			return 1
		}
		return rank(a) - rank(b)
	})
	for _, line := range lines {
		_, address, _ := strings.Cut(line, " ")
		host := remoteHost(address)
		for _, known := range []string{hostGitHub, hostGitLab} {
			if strings.Contains(host, known) {
				return known
			}
		}
	}

	return ""
}

// remoteHost returns the host of a remote of git, a URL or "[USER@]HOST:PATH", in lower case. It
// returns "" for a path.
func remoteHost(address string) string {
	if strings.Contains(address, "://") {
		u, err := url.Parse(address)
		if err != nil {
			return ""
		}

		return strings.ToLower(u.Hostname())
	}

	host, _, ok := strings.Cut(address, ":")
	if !ok || strings.ContainsAny(host, `/\`) {
		return ""
	}

	return strings.ToLower(host[strings.LastIndex(host, "@")+1:])
}

// insideOf returns the path of a directory in the repository, with slashes. The directory has no
// symbolic links.
func insideOf(root, dir string) (string, error) {
	root, err := filepath.EvalSymlinks(filepath.FromSlash(root))
	if err != nil {
		return "", err
	}
	below, err := filepath.Rel(root, dir)
	return filepath.ToSlash(below), err
}

// githubWorkflow returns a workflow that gates the pipeline in a directory. If results are shared, pull
// requests read them in one job, and the default branch writes them in another one, which alone has secrets.
func githubWorkflow(below, branch string, shared *initRemote, p ciProgram) string {
	text := `# Measures the MCP proxy with Touchstone, and fails when it got worse.
name: touchstone

on:
  push:
    branches: [` + branchPattern(branch) + `]
  pull_request:

permissions:
  contents: read
  pull-requests: write # the comment with the report

jobs:
`
	if shared == nil {
		return text + "  gate:\n" + githubJob(below, nil, p)
	}

	text += `  gate: # of pull requests, also from forks: reads results of the remote cache
    if: github.event_name == 'pull_request'
` + githubJob(below, [][2]string{{envRemoteMode, "read"}}, p) + `  record: # of the default branch: signs results and writes them
    if: github.event_name == 'push'
    environment: ` + writersEnvironment + "\n"
	env := append(shared.writing(), [2]string{keySecret, "${{ secrets." + keySecret + " }}"})
	return text + githubJob(below, env, p)
}

// branchPattern returns the pattern of a workflow that matches one branch.
func branchPattern(branch string) string {
	if plainBranch().MatchString(branch) {
		return branch
	}
	return yamlText(strings.NewReplacer("+", `\+`, "!", `\!`).Replace(branch))
}

// plainBranch matches names that mean the same in YAML without quotes.
var plainBranch = lazyregexp.New(`^(main|master|trunk|develop)$`)

// githubJob returns the part of a job that gates.
func githubJob(below string, env [][2]string, p ciProgram) string {
	text := `    runs-on: ubuntu-24.04
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
` + p.githubSteps() + `      - uses: touchstone-eval/touchstone@` + p.action() + `
        with:
          directory: ` + yamlText(below) + `
          vars: changed_data.frozen=refuse
`
	if p.released {
		text += "          version: " + yamlText(version) + "\n"
	} else {
		text += "          program: ${{ runner.temp }}/touchstone-bin/touchstone # remove this line at " + version +
			"\n"
	}

	if len(env) > 0 {
		text += "        env:\n" + yamlFields("          ", env)
	}

	return text
}

// yamlFields returns fields with quoted values, one a line.
func yamlFields(indent string, fields [][2]string) string {
	var text strings.Builder
	for _, f := range fields {
		text.WriteString(indent + f[0] + ": " + yamlText(f[1]) + "\n")
	}
	return text.String()
}

// gitlabPipeline returns a pipeline that includes the component of this version, or before a release a job that
// does the same. If results are shared, merge requests read them, and the default branch writes them. GitLab
// gives protected variables to protected branches only.
func gitlabPipeline(below string, shared *initRemote, p ciProgram) (string, error) {
	template, err := touchstone.Template.ReadFile("templates/gate.yml")
	if err != nil {
		return "", err
	}

	const about = "# Measures the MCP proxy with Touchstone, and fails when it got worse.\n"
	if !p.released {
		job, err := p.gitlabJob(template, below)
		return about + job + gitlabRules(shared), err
	}

	sum := sha256.Sum256(template)
	text := about + `include:
  - remote: https://raw.githubusercontent.com/touchstone-eval/touchstone/v` + version + `/templates/gate.yml
    integrity: sha256-` + base64.StdEncoding.EncodeToString(sum[:]) + `
    inputs:
      directory: ` + yamlText(below) + `
      vars: changed_data.frozen=refuse
      version: ` + yamlText(version) + "\n"
	if shared != nil || len(p.programs) > 0 {
		text += "\ntouchstone-gate:\n" + p.gitlabBefore() + gitlabRules(shared)
	}

	return text, nil
}

// gitlabRules returns the rules of a job that shares results.
func gitlabRules(shared *initRemote) string {
	if shared == nil {
		return ""
	}
	const indent = "        "
	return `  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH # signs results and writes them
      variables:
` + yamlFields(indent, shared.writing()) + `    - if: $CI_PIPELINE_SOURCE == "merge_request_event" # reads results of the remote cache
      variables:
` + yamlFields(indent, [][2]string{{envRemoteMode, "read"}})
}

// yamlText quotes a text for YAML.
func yamlText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
