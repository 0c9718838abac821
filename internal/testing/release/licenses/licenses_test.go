package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

func TestLicensesOfTheProgram(t *testing.T) {
	level.Thorough(t, "it reads the licenses of all dependencies twice")
	t.Chdir("../../../..")
	out := filepath.Join(t.TempDir(), "licenses")
	if err := run(out, []string{"./cmd/touchstone"}); err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(filepath.Join(out, indexFile))
	if err != nil {
		t.Fatal(err)
	}
	mpl := 0
	for line := range strings.Lines(string(index)) {
		if strings.Contains(line, "MPL-2.0") {
			mpl++
		}
	}
	if mpl == 0 {
		t.Error("no module under the MPL is listed, yet hcl is one")
	}
	for _, file := range []string{"std/LICENSE", "github.com/hashicorp/hcl/v2/LICENSE", "github.com/google/renameio/v2/LICENSE"} {
		if _, err := os.Stat(filepath.Join(out, file)); err != nil {
			t.Error(err)
		}
	}
	if err := run(out, []string{"./cmd/touchstone"}); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("the second run: %v", err)
	}
}

func TestUnacceptedLicenses(t *testing.T) {
	const gpl = "This program is free software; you can redistribute it and/or modify it under the terms of the GNU General Public License as published by the Free Software Foundation; either version 2 of the License, or (at your option) any later version."
	for name, tt := range map[string]struct{ file, text, want string }{
		"none":     {"README", "MIT", "no license that is recognized"},
		"unknown":  {"LICENSE", "You may look at this.", "no license that is recognized"},
		"copyleft": {"COPYING", gpl, "not accepted"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, tt.file), []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := licensesOf([]dependency{{Path: "example.com/m", Version: "v1.0.0", Dir: dir}})
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "example.com/m v1.0.0") {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func FuzzModules(f *testing.F) {
	f.Add([]byte(`{"Module":{"Path":"a","Version":"v1.0.0","Dir":"/a"}}{"Standard":true}`))
	f.Add([]byte(`{"Module":{"Path":"a","Replace":{"Path":"b"}}}`))
	f.Fuzz(func(t *testing.T, listed []byte) {
		found := map[string]dependency{}
		if addModules(found, listed) == nil {
			for path, m := range found {
				if m.Path != path {
					t.Errorf("%q: %+v", path, m)
				}
			}
		}
	})
}
