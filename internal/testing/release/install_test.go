package release

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// TestGoInstall publishes this tree as a version on a module proxy of files, and installs
// the program from it.
func TestGoInstall(t *testing.T) {
	if os.Getenv("TOUCHSTONE_RELEASE") == "" {
		t.Skip("it compiles the module at another path: set TOUCHSTONE_RELEASE=1")
	}
	source := tree(t, "v0.9.0")
	// The go command remembers the files of a version, so that each tree needs another one.
	content := strings.TrimSpace(command(t, source, "git", "rev-parse", "HEAD^{tree}"))
	m := module.Version{Path: "github.com/touchstone-eval/touchstone", Version: "v0.9.1-tree.t" + content}
	proxy := t.TempDir()
	dir := filepath.Join(proxy, filepath.FromSlash(m.Path), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	archive, err := os.Create(filepath.Join(dir, m.Version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.CreateFromDir(archive, m, source); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	info, _ := json.Marshal(map[string]string{"Version": m.Version, "Time": "2026-11-22T00:00:00Z"})
	mod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{m.Version + ".info": info, m.Version + ".mod": mod, "list": []byte(m.Version + "\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// The modules of others are in the cache already, compiled. This version, which nobody
	// will publish, must not stay there.
	cache := strings.TrimSpace(command(t, ".", "go", "env", "GOMODCACHE"))
	t.Cleanup(func() {
		for _, dir := range []string{filepath.FromSlash(m.Path) + "@" + m.Version, filepath.Join("cache", "download", filepath.FromSlash(m.Path))} {
			if err := os.RemoveAll(filepath.Join(cache, dir)); err != nil {
				t.Error(err)
			}
			os.Remove(filepath.Dir(filepath.Join(cache, dir))) // if it is empty
		}
	})
	out := t.TempDir()
	cmd := exec.Command("go", "install", m.Path+"/cmd/touchstone@"+m.Version)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-modcacherw", "GOBIN="+out, "GOSUMDB=off",
		"GOPROXY=file://"+filepath.ToSlash(proxy)+",file://"+filepath.ToSlash(filepath.Join(cache, "cache", "download")))
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	program := filepath.Join(out, "touchstone")
	if text := command(t, t.TempDir(), program, "version"); !strings.HasPrefix(text, "touchstone 0.9.1-tree.t"+content+" ") {
		t.Errorf("version %q", text)
	}
	// What init writes is in the module too.
	command(t, t.TempDir(), program, "init", "eval")
}
