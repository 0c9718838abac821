package timing

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// WriteGraph writes n source files and the same graph over them for touchstone, ninja
// and make: one stage for each file that copies it, and one that concatenates the
// copies.
func WriteGraph(dir string, n int) error {
	for _, sub := range []string{"src", "copy"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return err
		}
	}

	var ninja, all strings.Builder
	ninja.WriteString("rule cp\n  command = cp $in $out\nrule cat\n  command = cat $in > $out\n")
	for i := range n {
		if err := os.WriteFile(filepath.Join(dir, "src", fmt.Sprint(i)), fmt.Appendf(nil, "file %d\n", i),
			0o644); err != nil {
			return err
		}

		fmt.Fprintf(&ninja, "build copy/%d: cp src/%d\n", i, i)
		fmt.Fprintf(&all, " copy/%d", i)
	}

	fmt.Fprintf(&ninja, "build all: cat%s\ndefault all\n", all.String())
	makefile := fmt.Sprintf("all:%s\n\tcat $^ > $@\ncopy/%%: src/%%\n\tcp $< $@\n", all.String())
	hcl := fmt.Sprintf(`pipeline {
  name = "copies"
}

stage "copy" {
  matrix {
    i = range(%d)
  }
  inputs  = { file = "src/${matrix.i}" }
  outputs = { copy = "out/copy" }
  command = ["cp", input.file, output.copy]
}

stage "all" {
  inputs  = { copies = stage.copy.copy }
  outputs = { all = "out/all" }
  command = ["sh", "-c", "cat in/copies/*/* > out/all"]
}
`, n)
	for name, text := range map[string]string{"build.ninja": ninja.String(), "Makefile": makefile,
		"pipeline.hcl": hcl} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}

	return nil
}

// ClearGraph removes the results of ninja and make.
func ClearGraph(dir string) error {
	for _, name := range []string{"copy", "all", ".ninja_log", ".ninja_deps"} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return os.Mkdir(filepath.Join(dir, "copy"), 0o755)
}
