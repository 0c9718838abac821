package main

import (
	"path/filepath"
	"testing"
)

// Skipped revisions are recorded for the same settings. They are tested again if a setting changes that may
// be the cause.
func TestSkippedIsOfItsSettings(t *testing.T) {
	dir := t.TempDir()
	file, vars := filepath.Join(dir, "pipeline.hcl"), filepath.Join(dir, "vars.hcl")
	reset := func() *globalFlags {
		saveText(t, file, "one")
		saveText(t, vars, "one")
		t.Setenv("TOUCHSTONE_VAR_build", "one")
		t.Setenv(envContainerImage, "")
		return &globalFlags{file: file, varFiles: []string{vars}, vars: []string{"a=1"}}
	}
	read := func(flags *globalFlags) skipped {
		t.Helper()
		s, err := readSkipped(dir, flags, false)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := read(reset())
	s.Reasons["commit"] = "it does not build"
	if err := s.write(); err != nil {
		t.Fatal(err)
	}
	if len(read(reset()).Reasons) != 1 {
		t.Error("it is not remembered")
	}
	for name, change := range map[string]func(*globalFlags){
		"pipeline":    func(*globalFlags) { saveText(t, file, "two") },
		"var-file":    func(*globalFlags) { saveText(t, vars, "two") },
		"environment": func(*globalFlags) { t.Setenv("TOUCHSTONE_VAR_build", "two") },
		"var":         func(f *globalFlags) { f.vars[0] = "a=2" },
		"image":       func(*globalFlags) { t.Setenv(envContainerImage, "dir:two") },
		"executor":    func(f *globalFlags) { f.executor.name = "dagger" },
	} {
		flags := reset()
		change(flags)
		if len(read(flags).Reasons) != 0 {
			t.Errorf("another %s: it is remembered", name)
		}
	}
}
