package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every verb stands in the page about the command line.
func TestEveryVerbIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/cli.md")
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
			t.Errorf("docs/reference/cli.md has no row for %s", cmd.Name())
		}
	}
}

// Every page that a page of ours links to exists, with the heading that the
// link names.
func TestLinksBetweenPages(t *testing.T) {
	const root = "../.."
	var pages []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (strings.HasPrefix(d.Name(), ".git") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".md") {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, page := range pages {
		for _, m := range markdownLink.FindAllStringSubmatch(prose(t, page), -1) {
			target, part, _ := strings.Cut(m[1], "#")
			if strings.Contains(m[1], "://") {
				continue
			}
			links++
			file := page
			if target != "" {
				file = filepath.Join(filepath.Dir(page), filepath.FromSlash(target))
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			} else if part != "" && !slices.Contains(headings(t, file), part) {
				t.Errorf("%s links to %s, which has no such heading", page, m[1])
			}
		}
	}
	if links < 50 {
		t.Errorf("only %d links were found", links)
	}
}

var (
	markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	codeBlock    = regexp.MustCompile("(?ms)^```.*?^```")
	heading      = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	notInAnchor  = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// prose is a page without its blocks of code.
func prose(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return codeBlock.ReplaceAllString(string(text), "")
}

// headings are a page's, as links name them.
func headings(t *testing.T, page string) []string {
	var names []string
	for _, m := range heading.FindAllStringSubmatch(prose(t, page), -1) {
		text := notInAnchor.ReplaceAllString(strings.ToLower(m[1]), "")
		names = append(names, strings.ReplaceAll(text, " ", "-"))
	}
	return names
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
