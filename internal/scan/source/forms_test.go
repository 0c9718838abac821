package source

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Each archive in testdata/forms is the source of a server, with what is found in it as
// the file want.
func TestForms(t *testing.T) {
	archives, err := filepath.Glob("testdata/forms/*.txtar")
	if err != nil || len(archives) < 20 {
		t.Fatal(len(archives), err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var files []File
			texts := map[string]string{}
			for _, f := range ar.Files {
				texts[f.Name] = string(f.Data)
				if f.Name != "want" {
					files = append(files, File{Path: f.Name, Text: func() (string, error) { return string(f.Data), nil }})
				}
			}
			all := FindAll(files, func(name string) ([]byte, error) {
				text, ok := texts[name]
				if !ok {
					return nil, fmt.Errorf("there is no %s", name)
				}
				return []byte(text), nil
			})
			var b strings.Builder
			for _, f := range ar.Files {
				found := all[f.Name]
				if found == nil {
					continue
				}
				if found.Err != nil {
					fmt.Fprintf(&b, "%s: error: %v\n", f.Name, found.Err)
				}
				for _, d := range found.Definitions {
					at := f.Name
					if d.File != "" {
						at = d.File
					}
					var list []string
					for _, text := range d.Texts {
						list = append(list, text.Text)
					}
					fmt.Fprintf(&b, "%s:%d %d %s | %s | %s\n", at, d.Line, d.Kind, d.Name,
						strings.Join(strings.Fields(d.Description), " "), strings.Join(list, "; "))
				}
				for _, p := range found.Problems {
					at := f.Name
					if p.File != "" {
						at = p.File
					}
					fmt.Fprintf(&b, "%s:%d not read: %s: %s\n", at, p.Line, p.Name, p.Reason)
				}
			}
			if want := texts["want"]; b.String() != want {
				t.Errorf("found\n%s\nwant\n%s", b.String(), want)
			}
			if !slices.ContainsFunc(ar.Files, func(f txtar.File) bool { return f.Name == "want" }) {
				t.Error("there is no file want")
			}
		})
	}
}
