package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	listedFile  = regexp.MustCompile("(?m)^[0-9]+\\. `([^`]+)`: ")
	countsFiles = regexp.MustCompile(`takes ([0-9]+) files`)
	testName    = regexp.MustCompile("`(Test[A-Za-z]+)`")
	goTestRun   = regexp.MustCompile("`go test (\\./[a-z/]+) -run ([A-Za-z]+) -update-docs`")
)

// The pages about additions contain the correct number of files, and every file, test and
// command in them exists. NAME and ID stand for the name of the addition.
func TestContributingPages(t *testing.T) {
	pages, err := filepath.Glob("../../docs/contributing/add-*.md")
	if err != nil || len(pages) < 5 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	declared := testsOfTheProject(t)
	index, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		_, section, _ := strings.Cut(text, "## Files\n")
		section, _, _ = strings.Cut(section, "\n## ")
		listed := listedFile.FindAllStringSubmatch(section, -1)
		said := countsFiles.FindStringSubmatch(text)
		if said == nil || said[1] != fmt.Sprint(len(listed)) {
			t.Errorf("%s says %v and lists %d files", page, said, len(listed))
		}
		for _, file := range listed {
			pattern := strings.NewReplacer("NAME", "*", "ID", "*.*").Replace(file[1])
			if found, err := filepath.Glob(filepath.Join("../..", pattern)); err != nil || len(found) == 0 {
				t.Errorf("%s lists %s, which is not there: %v", page, file[1], err)
			}
		}
		for _, name := range testName.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(declared, name[1]) {
				t.Errorf("%s names %s, which is no test", page, name[1])
			}
		}
		for _, run := range goTestRun.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join("../..", run[1])); err != nil || !slices.ContainsFunc(declared, func(name string) bool { return strings.HasPrefix(name, run[2]) }) {
				t.Errorf("%s has the command %s, which runs nothing: %v", page, run[0], err)
			}
		}
		if !strings.Contains(text, "## Checked by\n") {
			t.Errorf("%s does not say what checks it", page)
		}
		if link := "docs/contributing/" + filepath.Base(page); !strings.Contains(string(index), link) {
			t.Errorf("CONTRIBUTING.md does not link to %s", link)
		}
	}
}

// testsOfTheProject lists the names of all tests.
func testsOfTheProject(t *testing.T) []string {
	t.Helper()
	var names []string
	declaration := regexp.MustCompile(`(?m)^func (Test[A-Za-z]+)\(`)
	for _, room := range []string{"cmd", "contracts", "docs", "internal", "metrics", "scanner", "source_test.go", "stages"} {
		err := filepath.WalkDir(filepath.Join("../..", room), func(path string, d os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, m := range declaration.FindAllStringSubmatch(string(source), -1) {
				names = append(names, m[1])
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}
