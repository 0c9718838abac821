package main

import (
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"
)

// Every verb stands in the page about the command line.
func TestEveryVerbIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	root := newRootCommand()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Hidden || cmd.Name() == "help" {
			continue
		}
		if !strings.Contains(string(page), "| `"+cmd.Name()) {
			t.Errorf("docs/cli.md has no row for %s", cmd.Name())
		}
	}
}

// Every page that a page of ours links to exists.
func TestLinksBetweenPages(t *testing.T) {
	pages := []string{"../../README.md", "../../CONTRIBUTING.md"}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range strings.Split(string(text), "](")[1:] {
			target, _, _ := strings.Cut(link, ")")
			if strings.Contains(target, "://") {
				continue
			}
			if _, err := os.Stat("../../" + target); err != nil {
				t.Errorf("%s links to %s, which is not there", page, target)
			}
		}
	}
}

// Reports are artifacts and never commits.
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
