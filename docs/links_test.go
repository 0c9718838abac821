package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every page that a message, a comment or a description names exists.
func TestPagesNamedInSources(t *testing.T) {
	named := regexp.MustCompile(`\bdocs/[\w./-]*\w`)
	found := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != ".." && (d.Name() == ".git" || path == filepath.Join("..", "docs") || path == filepath.Join("..", "reports")) {
			return filepath.SkipDir
		}
		if filepath.Dir(path) == filepath.Join("..", "datasets") && filepath.Ext(path) == ".json" {
			return nil // data speaks about the files of invented projects
		}
		if !slices.Contains([]string{".go", ".hcl", ".yml", ".yaml", ".sh", ".py", ".txtar", ".md", ".json", ".js"}, filepath.Ext(path)) || d.IsDir() {
			return nil
		}
		if filepath.Ext(path) == ".json" && filepath.Dir(path) == filepath.Join("..", "datasets") {
			return nil // entries and requests name pages of projects that do not exist
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, name := range named.FindAllString(string(text), -1) {
			if filepath.Ext(name) != ".md" || name == "docs/scanner/ID.md" {
				continue
			}
			found++
			if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(name))); err != nil {
				t.Errorf("%s names %s, which is not there", path, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 20 {
		t.Errorf("only %d names of pages were found", found)
	}
}

// Every page that a page links to exists, with the heading that the link names.
func TestLinksBetweenPages(t *testing.T) {
	links := 0
	for _, page := range pages(t) {
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
