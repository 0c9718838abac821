package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone"
	"github.com/touchstone-eval/touchstone/internal/atomicfile"
)

// Hosts of CI for which init writes a file.
const (
	hostGitHub = "github"
	hostGitLab = "gitlab"
)

// writeCI writes the file that runs the gate in the CI of the repository that contains
// dir. It changes no existing file. It returns the host, or "" for none. shared may be nil.
func writeCI(cmd *cobra.Command, host, dir string, shared *initRemote) (string, error) {
	if host == "none" {
		return "", nil
	}
	root := gitOutput(cmd, dir, "rev-parse", "--show-toplevel")
	if host == "" && root != "" {
		host = hostOf(root, gitOutput(cmd, dir, "config", "--get-regexp", `^remote\..*\.url$`))
	}
	switch {
	case host == "":
		return "", nil
	case host != hostGitHub && host != hostGitLab:
		return "", fmt.Errorf("unknown --ci %q: use github, gitlab or none", host)
	case root == "":
		return "", fmt.Errorf("--ci %s: %s is not in a git repository: run git init, or leave --ci out", host, dir)
	}
	below, err := insideOf(root, dir)
	if err != nil {
		return "", err
	}
	path, content := filepath.Join(root, ".github", "workflows", "touchstone.yml"), githubWorkflow(below, shared)
	if host == hostGitLab {
		path = filepath.Join(root, ".gitlab-ci.yml")
		if content, err = gitlabPipeline(below, shared); err != nil {
			return "", err
		}
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: %s exists and is not changed: to gate there, add\n\n%s\n", path, content)
		return host, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	if err := atomicfile.WriteFile(path, []byte(content), 0o644); err != nil {
		return "", err
	}
	fmt.Fprintln(cmd.OutOrStdout(), path)
	return host, nil
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
// its remotes; or "".
func hostOf(root, remotes string) string {
	if _, err := os.Stat(filepath.Join(root, ".gitlab-ci.yml")); err == nil {
		return hostGitLab
	}
	if _, err := os.Stat(filepath.Join(root, ".github")); err == nil {
		return hostGitHub
	}
	switch {
	case strings.Contains(remotes, "github"):
		return hostGitHub
	case strings.Contains(remotes, "gitlab"):
		return hostGitLab
	}
	return ""
}

// insideOf returns the path of dir in the repository, with slashes.
func insideOf(root, dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return "", err
	}
	if root, err = filepath.EvalSymlinks(filepath.FromSlash(root)); err != nil {
		return "", err
	}
	below, err := filepath.Rel(root, abs)
	return filepath.ToSlash(below), err
}

// githubWorkflow returns a workflow that gates the pipeline in a directory. If results are shared, pull
// requests read them in one job, and the main branch writes them in another one, which alone has secrets.
func githubWorkflow(below string, shared *initRemote) string {
	text := `# Measures the MCP proxy with Touchstone, and fails when it got worse.
name: touchstone

on:
  push:
    branches: [main]
  pull_request:

permissions:
  contents: read
  pull-requests: write # the comment with the report

jobs:
`
	if shared == nil {
		return text + "  gate:\n" + githubJob(below, nil)
	}
	text += `  gate: # of pull requests, also from forks: reads results of the remote cache
    if: github.event_name == 'pull_request'
` + githubJob(below, [][2]string{{envRemoteMode, "read"}}) + `  record: # of the main branch: signs results and writes them
    if: github.event_name == 'push'
    environment: ` + writersEnvironment + "\n"
	env := shared.writing()
	for _, name := range shared.secrets {
		env = append(env, [2]string{name, "${{ secrets." + name + " }}"})
	}
	return text + githubJob(below, env)
}

// githubJob returns the part of a job that gates.
func githubJob(below string, env [][2]string) string {
	text := `    runs-on: ubuntu-24.04
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
      - uses: touchstone-eval/touchstone@` + actionRevision() + `
        with:
          directory: ` + yamlText(below) + `
          vars: edited_frozen=refuse
          version: ` + yamlText(version) + "\n"
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

// actionRevision returns the revision of the action that belongs to this program: the
// commit of a release if it is known, and else the tag.
func actionRevision() string {
	if release != "" {
		if info, ok := debug.ReadBuildInfo(); ok {
			for _, s := range info.Settings {
				if s.Key == "vcs.revision" {
					return s.Value + " # v" + version
				}
			}
		}
	}
	return "v" + version
}

// gitlabPipeline returns a pipeline that includes the component of this version. If results are shared, merge
// requests read them, and the default branch writes them. GitLab gives protected variables to protected branches only.
func gitlabPipeline(below string, shared *initRemote) (string, error) {
	template, err := touchstone.Template.ReadFile("templates/gate.yml")
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(template)
	text := `# Measures the MCP proxy with Touchstone, and fails when it got worse.
include:
  - remote: https://raw.githubusercontent.com/touchstone-eval/touchstone/v` + version + `/templates/gate.yml
    integrity: sha256-` + base64.StdEncoding.EncodeToString(sum[:]) + `
    inputs:
      directory: ` + yamlText(below) + `
      vars: edited_frozen=refuse
      version: ` + yamlText(version) + "\n"
	if shared != nil {
		const indent = "        "
		text += `
touchstone-gate:
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH # signs results and writes them
      variables:
` + yamlFields(indent, shared.writing()) + `    - if: $CI_PIPELINE_SOURCE == "merge_request_event" # reads results of the remote cache
      variables:
` + yamlFields(indent, [][2]string{{envRemoteMode, "read"}})
	}
	return text, nil
}

// yamlText quotes a text for YAML.
func yamlText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// initBaseline measures the proxy of a new pipeline and writes its baseline, as a user
// would do in the directory.
func initBaseline(cmd *cobra.Command, dir string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	update := exec.CommandContext(cmd.Context(), program, "baseline", "update")
	update.Dir, update.Stdout, update.Stderr = dir, cmd.OutOrStdout(), cmd.ErrOrStderr()
	if err := update.Run(); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return &exitError{exit.ExitCode(), fmt.Errorf("the pipeline in %s is complete, but its proxy could not be measured: see above; correct the cause, and run %s baseline update there", dir, toolName)}
		}
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "next steps, in %s: review the baseline, commit all files, and run %s gate\n", cmp.Or(dir, "."), toolName)
	return nil
}
