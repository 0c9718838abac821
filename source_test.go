package touchstone

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/touchstone-eval/touchstone/"

// The source that a stage is compiled from is part of its identity, so Source must
// hold all of it: the packages that stages import, their assembly and what they embed.
func TestSourceHasWhatStagesAreCompiledFrom(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,GoFiles,IgnoredGoFiles,SFiles,EmbedFiles", "./stages/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath                                  string
			GoFiles, IgnoredGoFiles, SFiles, EmbedFiles []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		dir, ours := strings.CutPrefix(p.ImportPath, module)
		if !ours {
			continue
		}
		for _, file := range slices.Concat(p.GoFiles, p.IgnoredGoFiles, p.SFiles, p.EmbedFiles) {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			seen++
			if _, err := fs.Stat(Source, path.Join(dir, file)); err != nil {
				t.Errorf("source.go does not embed %s/%s, so a change of it would not be noticed", dir, file)
			}
		}
	}
	if seen < 200 {
		t.Errorf("%d files found: the test reads too little", seen)
	}
}
