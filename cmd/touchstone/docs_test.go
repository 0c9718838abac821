package main

import (
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// The page about the command line has a row for every verb.
func TestEveryVerbIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	root := newRootCommand()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Hidden && !slices.Contains(plumbing, cmd.Name()) || cmd.Name() == "help" {
			continue
		}
		if !strings.Contains(string(page), "| `"+cmd.Name()) {
			t.Errorf("docs/reference/cli.md has no row for %s", cmd.Name())
		}
	}
}

// Reports are artifacts and are never committed.
func TestNoReportIsTracked(t *testing.T) {
	cmd := exec.Command("git", "ls-files")
	cmd.Dir = "../.."
	tracked, err := cmd.Output()
	if err != nil {
		t.Skip("this is no git checkout: ", err)
	}
	for _, file := range strings.Fields(string(tracked)) {
		name, dir := path.Base(file), path.Dir(file)
		published := "/" + dir + "/"
		switch {
		case strings.Contains(published, "/reports/"), name == "junit.xml":
		case dir == "." && (name == "report.html" || name == "report.json" || name == "report.md"):
		default:
			continue
		}
		t.Errorf("%s is tracked: reports are artifacts, git rm it", file)
	}
}
