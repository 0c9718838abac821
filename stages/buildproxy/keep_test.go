package buildproxy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/buildproxy"
)

// keeping builds the source with an adapter that keeps some of it.
func keeping(t *testing.T, source, keep string) (dir string, m contracts.ProxyManifest, err error) {
	t.Helper()
	adapter := filepath.Join(t.TempDir(), "kept.hcl")
	text := "contract = \"lines\"\ncommand = [\"sh\", \"${kept}/dist/run.sh\"]\nbuild {\n keep = [" + keep + "]\n}\n"
	if err := os.WriteFile(adapter, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := buildproxy.Run(t.Context(), buildproxy.Options{Out: dir, Source: source, Adapter: adapter}); err != nil {
		return dir, m, err
	}
	m, err = contracts.Read[contracts.ProxyManifest](filepath.Join(dir, "proxy.json"))
	return dir, m, err
}

// A build that keeps directories is identified by their content, and by nothing else of the source.
func TestKeptFiles(t *testing.T) {
	source := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(source, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("dist/run.sh", "exit 0\n")
	put("node_modules/a/index.js", "1\n")
	put("README.md", "Hello.\n")
	if err := os.Symlink("../a/index.js", filepath.Join(source, "node_modules/a/link.js")); err != nil {
		t.Fatal(err)
	}
	const keep = `"dist", "node_modules"`
	dir, first, err := keeping(t, source, keep)
	if err != nil || first.Kind != contracts.ProxyFiles || first.Kept != "kept" || first.Name != "kept" {
		t.Fatalf("got %+v, %v", first, err)
	}
	for name, there := range map[string]bool{"dist/run.sh": true, "node_modules/a/link.js": true, "README.md": false} {
		if _, err := os.Stat(filepath.Join(dir, "kept", name)); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
	put("README.md", "Other.\n")
	if _, same, err := keeping(t, source, keep); err != nil || same.Identity != first.Identity {
		t.Errorf("a file that is not kept changes the identity: %v", err)
	}
	put("node_modules/a/index.js", "2\n")
	if _, other, err := keeping(t, source, keep); err != nil || other.Identity == first.Identity {
		t.Errorf("a kept file does not change the identity: %v", err)
	}
	_, _, err = keeping(t, source, `"dist", "build"`)
	if err == nil || !strings.Contains(err.Error(), "produced no build, which keep names") {
		t.Errorf("got %v", err)
	}
}

// An adapter adds files to the source before the build, and replaces none.
func TestFilesOfTheBuild(t *testing.T) {
	source := t.TempDir()
	if err := os.WriteFile(filepath.Join(source, "run.sh"), []byte("exit 0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	build := func(path string) (out string, err error) {
		adapter := filepath.Join(t.TempDir(), "added.hcl")
		text := "contract = \"lines\"\ncommand = [\"sh\", \"${kept}/run.sh\"]\nbuild {\n keep = [\"run.sh\", \"built\"]\n" +
			" command = [\"cp\", \"-r\", \"tools\", \"built\"]\n file \"" + path + "\" {\n content = \"one\\n\"\n }\n}\n"
		if err := os.WriteFile(adapter, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		out = t.TempDir()
		return out, buildproxy.Run(t.Context(), buildproxy.Options{Out: out, Source: source, Adapter: adapter})
	}
	out, err := build("tools/a/b.txt")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(out, "kept/built/a/b.txt")); err != nil || string(text) != "one\n" {
		t.Errorf("the build saw %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(source, "tools")); err == nil {
		t.Error("the file was written into the source itself")
	}
	if _, err := build("run.sh"); err == nil || !strings.Contains(err.Error(), "another path") {
		t.Errorf("a file of the source was replaced: %v", err)
	}
}
