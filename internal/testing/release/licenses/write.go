package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// indexFile lists all modules.
const indexFile = "README.md"

// write writes the files of each module and the index.
func write(out string, list []licensed) error {
	if _, err := os.Stat(out); err == nil {
		return fmt.Errorf("%s exists: remove it, or name another directory", out)
	}

	var index strings.Builder
	index.WriteString("# Licenses of what Touchstone contains\n\n" +
		"The program contains code of these modules. Each directory holds the license of one.\n" +
		"The source of each, in the form in which it was compiled, is at the address beside it.\n\n" +
		"| module | version | license | source |\n|---|---|---|---|\n")
	for _, l := range list {
		dir := filepath.Join(out, filepath.FromSlash(l.Path))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}

		for _, name := range slices.Sorted(maps.Keys(l.Files)) {
			if err := os.WriteFile(filepath.Join(dir, name), l.Files[name], 0o644); err != nil {
				return err
			}
		}

		fmt.Fprintf(&index, "| %s | %s | %s | <%s> |\n", l.Path, l.Version, strings.Join(l.IDs, ", "), l.source())
	}

	return os.WriteFile(filepath.Join(out, indexFile), []byte(index.String()), 0o644)
}

// source returns the address of the module's source.
func (l *licensed) source() string {
	if l.Path == "std" {
		return "https://go.dev/dl/" + l.Version + ".src.tar.gz"
	}
	return "https://pkg.go.dev/" + l.Path + "@" + l.Version
}
