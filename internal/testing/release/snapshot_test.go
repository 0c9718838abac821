package release

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// tool returns the path of a program on the PATH or in the directory to which .ci/run
// installs its tools, and skips the test if there is none.
func tool(t *testing.T, name string) string {
	t.Helper()
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), filepath.Join(os.TempDir(), "touchstone-tools")) {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	t.Skipf("there is no %s; .ci/run installs it", name)
	return ""
}

// tree copies the files of this checkout to a new repository with one tagged commit.
func tree(t *testing.T, tag string) string {
	t.Helper()
	files := command(t, "../../..", "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	dir := t.TempDir()
	for _, name := range strings.Split(strings.TrimSuffix(files, "\x00"), "\x00") {
		from, to := filepath.Join("../../..", name), filepath.Join(dir, name)
		text, err := os.ReadFile(from)
		if errors.Is(err, os.ErrNotExist) {
			continue // removed, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	command(t, dir, "git", "init", "-q")
	command(t, dir, "git", "add", ".")
	command(t, dir, "git", "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "c")
	command(t, dir, "git", "tag", tag)
	// Without a remote, goreleaser ignores the tag.
	command(t, dir, "git", "remote", "add", "origin", "https://github.com/touchstone-eval/touchstone")
	return dir
}

func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GITHUB_TOKEN=", "TAP_TOKEN=none")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}

// TestSnapshot builds a release with the committed configuration, without publishing it:
// with TOUCHSTONE_RELEASE=1 for the system of the test, with TOUCHSTONE_RELEASE=all for all
// targets.
func TestSnapshot(t *testing.T) {
	wanted := os.Getenv("TOUCHSTONE_RELEASE")
	if wanted == "" || runtime.GOOS != "linux" {
		t.Skip("it compiles the program anew, and reads packages for Linux: set TOUCHSTONE_RELEASE=1")
	}
	goreleaser := tool(t, "goreleaser")
	dir := tree(t, "v0.9.0")
	all := wanted == "all"
	configure(t, filepath.Join(dir, ".goreleaser.yaml"), all)
	skip := "ko"
	if _, err := exec.LookPath("syft"); err != nil {
		t.Log("without lists of contents: there is no syft")
		skip += ",sbom"
	}
	command(t, dir, goreleaser, "release", "--snapshot", "--clean", "--skip", skip)
	dist := filepath.Join(dir, "dist")

	for _, name := range []string{"touchstone", "touchstone-scan"} {
		checkFetched(t, dist, name)
	}

	archives, err := filepath.Glob(filepath.Join(dist, "touchstone*_*.*"))
	if err != nil {
		t.Fatal(err)
	}
	want := 2 + 1
	if all {
		want = 6 + 6 + 2
	}
	archives = slices.DeleteFunc(archives, func(a string) bool { return strings.Contains(a, ".sbom.") })
	if len(archives) != want {
		t.Errorf("archives and packages: %v, want %d", archives, want)
	}
	sums, err := os.ReadFile(filepath.Join(dist, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range archives {
		if sum := digest(t, path) + "  " + filepath.Base(path) + "\n"; !strings.Contains(string(sums), sum) {
			t.Errorf("checksums.txt lacks %s:\n%s", sum, sums)
		}
	}

	system := "_" + runtime.GOOS + "_" + runtime.GOARCH
	out := t.TempDir()
	for _, path := range archives {
		switch {
		case strings.HasPrefix(filepath.Base(path), "touchstone-scan_") && strings.HasSuffix(path, system+".tar.gz"):
			checkScanner(t, path)
		case strings.HasSuffix(path, system+".tar.gz"):
			unpack(t, path, out)
			checkProgram(t, filepath.Join(out, "touchstone"))
			for _, file := range []string{"LICENSE", "README.md", "CHANGELOG.md", "licenses/README.md", "licenses/github.com/hashicorp/hcl/v2/LICENSE"} {
				if _, err := os.Stat(filepath.Join(out, file)); err != nil {
					t.Error(err)
				}
			}
		case strings.HasSuffix(path, system+".deb"):
			root := t.TempDir()
			command(t, ".", tool(t, "dpkg-deb"), "-x", path, root)
			checkProgram(t, filepath.Join(root, "usr/bin/touchstone"))
			if _, err := os.Stat(filepath.Join(root, "usr/share/doc/touchstone/copyright")); err != nil {
				t.Error(err)
			}
		}
	}
}

// configure changes a copy of the configuration: the snapshot has the version of its tag, and
// unless it is for all targets, it is for the system of the test.
func configure(t *testing.T, config string, all bool) {
	t.Helper()
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	changed := string(text) + "\nsnapshot:\n  version_template: \"{{ .Version }}\"\n"
	if !all {
		changed = strings.ReplaceAll(changed, "[linux, darwin, windows]", "["+runtime.GOOS+"]")
		changed = strings.ReplaceAll(changed, "[amd64, arm64]", "["+runtime.GOARCH+"]")
	}
	if err := os.WriteFile(config, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkFetched checks that the actions' script fetches a program from the release, and that
// the program starts.
func checkFetched(t *testing.T, dist, name string) {
	t.Helper()
	server := httptest.NewServer(http.StripPrefix("/v0.9.0", http.FileServer(http.Dir(dist))))
	defer server.Close()
	script, err := filepath.Abs("../../../ci/actions/fetch.sh")
	if err != nil {
		t.Fatal(err)
	}
	out := command(t, dist, "env", "VERSION=0.9.0", "DOWNLOADS="+server.URL, "DIR="+t.TempDir(), "SHA256=", "PROGRAM=", script, name)
	command(t, dist, strings.TrimSpace(out), "--help")
}

func digest(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// checkProgram checks that a program starts, is stripped and knows its version.
func checkProgram(t *testing.T, path string) {
	t.Helper()
	if out := command(t, t.TempDir(), path, "version"); !strings.HasPrefix(out, "touchstone 0.9.") {
		t.Errorf("%s: version %q", path, out)
	}
	checkStripped(t, path)
}

// checkScanner checks that the scanner of an archive starts, is stripped and is small.
func checkScanner(t *testing.T, archive string) {
	t.Helper()
	out := t.TempDir()
	unpack(t, archive, out)
	program, tools := filepath.Join(out, "touchstone-scan"), filepath.Join(out, "tools.json")
	text := `{"tools": [{"name": "add", "description": "Adds two numbers.", "inputSchema": {"type": "object"}}]}`
	if err := os.WriteFile(tools, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	command(t, out, program, tools)
	checkStripped(t, program)
	const most = 15 << 20
	if info, err := os.Stat(program); err != nil || info.Size() > most {
		t.Errorf("%s: %v, %d bytes, must be at most %d", program, err, info.Size(), most)
	}
}

func checkStripped(t *testing.T, path string) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Section(".symtab") != nil || f.Section(".debug_info") != nil {
		t.Errorf("%s is not stripped", path)
	}
}

func unpack(t *testing.T, path, dir string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, filepath.FromSlash(h.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if h.FileInfo().Mode().IsRegular() {
			if err := os.WriteFile(to, text, h.FileInfo().Mode().Perm()); err != nil {
				t.Fatal(err)
			}
		}
	}
}
