package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// accepted are the licenses, by SPDX identifier, under which a dependency may be
// distributed with Touchstone. The MPL demands that recipients learn where the source is:
// the index says so.
var accepted = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0", "MPL-2.0",
	"Unicode-DFS-2016", "Unlicense", "Zlib"}

// chosen are the licenses that Touchstone chooses where a module offers several.
var chosen = map[string]string{
	"kernel.org/pub/linux/libs/security/libcap/psx": "BSD-3-Clause", // or GPL-2.0
}

// licenseFile matches the names of files with a license or a notice that must accompany it.
var licenseFile = regexp.MustCompile(`(?i)^((un)?licen[cs]e|copying|copyright|notice|patents)([-._].*)?$`)

// licensed is a dependency with its licenses.
type licensed struct {
	dependency
	IDs   []string          // SPDX identifiers, sorted
	Files map[string][]byte // by name
}

// licensesOf reads the licenses of modules, and reports all that are not accepted.
func licensesOf(modules []dependency) ([]licensed, error) {
	var list []licensed
	var problems []error
	for _, m := range modules {
		l, err := licenseOf(m)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		list = append(list, l)
	}
	return list, errors.Join(problems...)
}

func licenseOf(m dependency) (licensed, error) {
	l := licensed{dependency: m, Files: map[string][]byte{}}
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return l, fmt.Errorf("%s: %w; run go mod download", m.Path, err)
	}

	for _, e := range entries {
		if e.IsDir() || !licenseFile.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
			continue
		}

		text, err := os.ReadFile(filepath.Join(m.Dir, e.Name()))
		if err != nil {
			return l, fmt.Errorf("%s: %w", m.Path, err)
		}

		l.Files[e.Name()] = text
		for _, match := range licensecheck.Scan(text).Match {
			// The file of patents in Go's own modules grants rights in addition.
			if !match.IsURL && match.ID != "GooglePatentsFile" && !slices.Contains(l.IDs, match.ID) {
				l.IDs = append(l.IDs, match.ID)
			}
		}
	}

	if id, ok := chosen[m.Path]; ok && len(l.Files) > 0 {
		l.IDs = []string{id}
	}

	slices.Sort(l.IDs)
	if len(l.IDs) == 0 {
		return l, fmt.Errorf("%s %s has no license that is recognized in %s: replace the module", m.Path, m.Version,
			m.Dir)
	}

	for _, id := range l.IDs {
		if !slices.Contains(accepted, id) {
			return l, fmt.Errorf("%s %s has the license %s, which is not accepted: replace the module, or add the "+
				"license to accepted in internal/testing/release/licenses", m.Path, m.Version, id)
		}
	}

	return l, nil
}
