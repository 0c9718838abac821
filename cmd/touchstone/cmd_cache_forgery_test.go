package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// forger has a signed archive of two results, unpacked by name, and the tools to change it.
type forger struct {
	t       *testing.T
	dir     string
	archive []byte
	files   map[string][]byte
	order   []string // the names in their order
}

const forgedPipeline = `
stage "one" {
  outputs = { result = "out/result" }
  command = ["sh", "-c", "echo one > out/result"]
}
stage "two" {
  outputs = { result = "out/result" }
  command = ["sh", "-c", "echo two > out/result"]
}
`

func newForger(t *testing.T) *forger {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen is not installed")
	}
	f := &forger{t: t, dir: t.TempDir()}
	f.write("pipeline.hcl", []byte(forgedPipeline))
	allowed := ""
	for _, name := range []string{"ci", "mallory"} {
		f.must("", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", name)
		if name == "ci" {
			allowed = "ci@example " + string(f.read(name+".pub"))
		}
	}
	f.write("allowed", []byte(allowed))
	f.must("", "touchstone", "run")
	f.must("", "touchstone", "cache", "export", "signed.cache", "--sign", "ci")
	f.archive = f.read("signed.cache")
	f.files, f.order = f.unpack(f.archive)
	// A record comes after its blobs, also if a forger gives it those of the other.
	slices.SortStableFunc(f.order, func(a, b string) int { return kind(a) - kind(b) })
	return f
}

func kind(name string) int {
	switch folder, _, _ := strings.Cut(name, "/"); folder {
	case "VERSION":
		return 0
	case "blobs":
		return 1
	}
	return 2
}

func (f *forger) read(name string) []byte {
	f.t.Helper()
	b, err := os.ReadFile(filepath.Join(f.dir, name))
	if err != nil {
		f.t.Fatal(err)
	}
	return b
}

func (f *forger) write(name string, b []byte) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), b, 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// run runs a program in the directory, with a cache of its own unless store is empty. touchstone is
// this test binary under that name.
func (f *forger) run(store, name string, args ...string) (string, error) {
	f.t.Helper()
	cmd := exec.CommandContext(f.t.Context(), name, args...)
	if name == "touchstone" {
		self, err := os.Executable()
		if err != nil {
			f.t.Fatal(err)
		}
		cmd.Path, cmd.Err = self, nil
	}
	if store == "" {
		store = "store"
	}
	cmd.Dir = f.dir
	cmd.Env = append(os.Environ(), "HOME="+f.dir, "TOUCHSTONE_CACHE="+filepath.Join(f.dir, store))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (f *forger) must(store, name string, args ...string) string {
	f.t.Helper()
	out, err := f.run(store, name, args...)
	if err != nil {
		f.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return out
}

func (f *forger) unpack(archive []byte) (files map[string][]byte, order []string) {
	f.t.Helper()
	zr, err := zstd.NewReader(bytes.NewReader(archive))
	if err != nil {
		f.t.Fatal(err)
	}
	defer zr.Close()
	files = map[string][]byte{}
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return files, order
		}
		if err != nil {
			f.t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(tr); err != nil {
			f.t.Fatal(err)
		}
		order = append(order, h.Name)
	}
}

func (f *forger) pack(files map[string][]byte) []byte {
	f.t.Helper()
	var b bytes.Buffer
	zw, err := zstd.NewWriter(&b)
	if err != nil {
		f.t.Fatal(err)
	}
	tw := tar.NewWriter(zw)
	for _, name := range f.order {
		content, ok := files[name]
		if !ok {
			continue
		}
		if err := tw.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: 0o600}); err != nil {
			f.t.Fatal(err)
		}
		if _, err := tw.Write(content); err != nil {
			f.t.Fatal(err)
		}
	}
	if err := errors.Join(tw.Close(), zw.Close()); err != nil {
		f.t.Fatal(err)
	}
	return b.Bytes()
}

// names lists the files below a folder of the archive.
func (f *forger) names(folder string) []string {
	names := slices.Collect(func(yield func(string) bool) {
		for _, name := range f.order {
			if strings.HasPrefix(name, folder+"/") && !yield(name) {
				return
			}
		}
	})
	if len(names) < 2 {
		f.t.Fatalf("the archive has %v in %s", names, folder)
	}
	return names
}

// swap exchanges the content of the first two files below a folder.
func (f *forger) swap(files map[string][]byte, folder string) {
	n := f.names(folder)
	files[n[0]], files[n[1]] = files[n[1]], files[n[0]]
}

// sign signs a record with ssh-keygen.
func (f *forger) sign(key, namespace string, record []byte) []byte {
	f.t.Helper()
	f.write("message", record)
	os.Remove(filepath.Join(f.dir, "message.sig"))
	f.must("", "ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", key, "message")
	return f.read("message.sig")
}

// withWrongOutput gives the first record the output of the second, and the checksum that goes with
// it: the right key with a wrong output.
func (f *forger) withWrongOutput(files map[string][]byte) {
	records := f.names("records")
	record, other := bytes.Clone(f.files[records[0]]), f.files[records[1]]
	// The places of the fields are those of cache/recordcodec.go.
	const output = 44 + 32 + 3*8 + 2*32 + 2 + 2 + len("result") + 2 + len("out/result")
	copy(record[output:output+32], other[output:output+32])
	end := binary.LittleEndian.Uint32(record[4:]) - 32
	sum := sha256.Sum256(record[:end])
	copy(record[end:], sum[:])
	files[records[0]] = record
}

// TestForgedArchives changes a signed archive in the ways of a forger. Each is refused as a whole,
// with its reason, and changes nothing.
func TestForgedArchives(t *testing.T) {
	f := newForger(t)
	records, signatures := f.names("records"), f.names("signatures")
	// ssh-keygen agrees with the signatures, and touchstone with those of ssh-keygen.
	for i := range records {
		f.write("signature", f.files[signatures[i]])
		cmd := exec.Command("ssh-keygen", "-Y", "verify", "-n", "touchstone", "-f", "allowed", "-I", "ci@example", "-s", "signature")
		cmd.Dir, cmd.Stdin = f.dir, bytes.NewReader(f.files[records[i]])
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v\n%s", err, out)
		}
	}
	own := maps.Clone(f.files)
	for i := range records {
		own[signatures[i]] = f.sign("ci", "touchstone", f.files[records[i]])
	}
	f.write("own.cache", f.pack(own))
	if out := f.must("own", "touchstone", "cache", "import", "own.cache", "--allowed-signers", "allowed"); !strings.Contains(out, "2 results") || !strings.Contains(out, "signed by ci@example") {
		t.Errorf("signed by ssh-keygen: %s", out)
	}

	for _, tc := range []struct {
		name   string
		change func(files map[string][]byte)
		want   string
	}{
		{"the right key with a wrong output", f.withWrongOutput, "1 of 2 results have no accepted signature, "},
		{"swapped signatures", func(files map[string][]byte) { f.swap(files, "signatures") }, "does not match its content"},
		{"a result under the key of another, with its signature", func(files map[string][]byte) {
			f.swap(files, "signatures")
			f.swap(files, "records")
		}, "it holds the record of"},
		{"a signature that is cut off", func(files map[string][]byte) {
			files[signatures[0]] = files[signatures[0]][:len(files[signatures[0]])/2]
		}, "its signature cannot be read"},
		{"no signature", func(files map[string][]byte) { delete(files, signatures[1]) }, "it is not signed"},
		{"an empty signature", func(files map[string][]byte) { files[signatures[1]] = nil }, "it is not signed"},
		{"an unknown key", func(files map[string][]byte) {
			files[signatures[0]] = f.sign("mallory", "touchstone", files[records[0]])
		}, "a key that allowed does not list"},
		{"a signature for another namespace", func(files map[string][]byte) {
			files[signatures[0]] = f.sign("ci", "git", files[records[0]])
		}, `it is signed for the namespace "git", not for "touchstone"`},
		{"a record that is cut off", func(files map[string][]byte) {
			files[records[0]] = files[records[0]][:100]
		}, "the record is corrupt"},
	} {
		files := maps.Clone(f.files)
		tc.change(files)
		f.refused(tc.name, f.pack(files), tc.want)
	}
	for _, cut := range []int{20, len(f.archive) / 2, len(f.archive) - 10} {
		f.refused("an archive that is cut off", f.archive[:cut], "damaged or cut off")
	}

	// With --trust the forgery comes in, but not where this machine knows better.
	files := maps.Clone(f.files)
	f.withWrongOutput(files)
	f.write("forged.cache", f.pack(files))
	if out := f.must("", "touchstone", "cache", "import", "forged.cache", "--trust"); !strings.Contains(out, "0 results") ||
		!strings.Contains(out, "differ from those that this machine made for the same key, which stay") {
		t.Errorf("over a result of this machine: %s", out)
	}
	f.must("", "touchstone", "run", "--only", "one", "-o", "out")
	if got := string(f.read("out/result")); got != "one\n" {
		t.Errorf("the result is %q", got)
	}
	f.must("gullible", "touchstone", "cache", "import", "forged.cache", "--trust")
	if out := f.must("gullible", "touchstone", "plan"); strings.Count(out, "imported from forged.cache") != 2 {
		t.Errorf("%s", out)
	}
}

// A record from elsewhere cannot act on the terminal, whether it is refused, imported or compared with.
func TestTextOfForgersOnATerminal(t *testing.T) {
	f := newForger(t)
	files := maps.Clone(f.files)
	for i, name := range f.names("records") {
		record := files[name]
		head := binary.LittleEndian.Uint32(record[4:])
		body := record[head:]
		for _, text := range []string{`"value":"`, `"stage":"`}[:2-i] { // the second is compared with, by its stage
			body = bytes.ReplaceAll(body, []byte(text), []byte(text+`\u001b[31m\u202e`))
		}
		files[name] = withBody(record[:head], body)
	}
	f.write("forged.cache", f.pack(files))
	out, err := f.run("victim", "touchstone", "cache", "import", "forged.cache", "--allowed-signers", "allowed")
	if err == nil {
		t.Errorf("it was imported\n%s", out)
	}
	out += f.must("victim", "touchstone", "cache", "import", "forged.cache", "--trust")
	for _, args := range [][]string{{"cache", "ls"}, {"cache", "verify"}, {"plan"}, {"explain", "one"}, {"explain", "two"}} {
		out += f.must("victim", "touchstone", args...)
	}
	f.write("pipeline.hcl", []byte(strings.ReplaceAll(forgedPipeline, "outputs", "network = \"loopback\"\n  outputs")))
	out += f.must("victim", "touchstone", "plan") + f.must("victim", "touchstone", "explain", "one") + f.must("victim", "touchstone", "explain", "two")
	if strings.ContainsAny(out, "\x1b\u202e") || strings.Count(out, `\u{1B}[31m`)+strings.Count(out, `\x1b[31m`) < 4 {
		t.Errorf("%q", out)
	}
}

// withBody returns a record with another body and the checksums that go with it.
func withBody(head, body []byte) []byte {
	b := bytes.Clone(head)
	binary.LittleEndian.PutUint32(b[8:], uint32(len(body)))
	sum := sha256.Sum256(body)
	copy(b[12:], sum[:])
	end := len(b) - 32
	sum = sha256.Sum256(b[:end])
	copy(b[end:], sum[:])
	return append(b, body...)
}

func (f *forger) refused(name string, archive []byte, want string) {
	f.t.Helper()
	f.write("forged.cache", archive)
	out, err := f.run("refused", "touchstone", "cache", "import", "forged.cache", "--allowed-signers", "allowed")
	if err == nil || !strings.Contains(out, want) {
		f.t.Errorf("%s: %v\n%s", name, err, out)
	}
	if out := f.must("refused", "touchstone", "cache", "stats"); !strings.Contains(out, "results    0\nblobs      0\n") {
		f.t.Errorf("%s: something was imported\n%s", name, out)
	}
}
