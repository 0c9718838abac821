package pipeline

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/touchstone-eval/touchstone/cache"
)

// Comments, white space and order have no effect: a pipeline that is rewritten with
// other comments, other line breaks and in another order has the same keys.
func TestKeysIgnoreLayout(t *testing.T) {
	for _, path := range append(planFixtures(t), "../examples/matrix/pipeline.hcl", "../examples/shell/pipeline.hcl") {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := keysOf(t, path, src)
		for seed := range uint64(20) {
			edited := (&rewriter{rand.New(rand.NewPCG(seed, 0)), src}).file(t)
			if got := keysOf(t, path, edited); !slices.Equal(got, want) {
				t.Fatalf("%s, seed %d: the keys differ\n%s", path, seed, edited)
			}
		}
	}
}

// keysOf lists instances and keys. It sorts them, because the order of the plan may
// follow that of the file. The digest of an input represents its files and their
// paths.
func keysOf(t *testing.T, path string, src []byte) []string {
	t.Helper()
	return keysOn(t, &replacedFile{osDisk{}, path, src}, path)
}

func keysOn(t *testing.T, d disk, path string) []string {
	t.Helper()
	plan, diags, _ := load(Options{File: path}, d)
	if diags.HasErrors() {
		t.Fatalf("%s", diags)
	}
	var keys []string
	for _, in := range plan.Instances {
		digests := map[string]cache.Digest{}
		for _, input := range in.Inputs {
			members := ""
			for _, f := range input.Files {
				members += fmt.Sprintf("%s=%s\n", f.Path, f.Source)
			}
			for _, f := range input.From {
				members += fmt.Sprintf("%s=%s.%s\n", f.Path, plan.Instances[f.From.Instance], f.From.Output)
			}
			digests[input.Name] = sha256.Sum256([]byte(members))
		}
		key, _ := in.Key(digests, nil)
		keys = append(keys, in.String()+" "+key.String())
	}
	slices.Sort(keys)
	return keys
}

// rewriter rewrites a pipeline file at random.
type rewriter struct {
	*rand.Rand
	src []byte
}

func (r *rewriter) file(t *testing.T) []byte {
	t.Helper()
	file, diags := hclsyntax.ParseConfig(r.src, "", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	out := r.body(file.Body.(*hclsyntax.Body))
	if r.IntN(2) == 0 {
		out = "\xef\xbb\xbf" + out
	}
	if r.IntN(2) == 0 {
		out = strings.ReplaceAll(out, "\n", "\r\n")
	}
	return []byte(out)
}

func (r *rewriter) body(body *hclsyntax.Body) string {
	var items []string
	for _, name := range sortedKeys(body.Attributes) {
		items = append(items, name+r.space()+"="+r.space()+r.expr(body.Attributes[name].Expr)+r.lineEnd())
	}
	for _, b := range body.Blocks {
		head := b.Type
		for _, label := range b.Labels {
			head += fmt.Sprintf(" %q", label)
		}
		items = append(items, head+" {"+r.lineEnd()+r.body(b.Body)+"}"+r.lineEnd())
	}
	r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	return strings.Join(items, "")
}

// expr reorders objects and splits lists into lines. It keeps everything else.
func (r *rewriter) expr(e hclsyntax.Expression) string {
	switch e := e.(type) {
	case *hclsyntax.ObjectConsExpr:
		var items []string
		for _, item := range e.Items {
			items = append(items, r.text(item.KeyExpr)+r.space()+"="+r.space()+r.expr(item.ValueExpr)+","+r.lineEnd())
		}
		r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		return "{" + r.lineEnd() + strings.Join(items, "") + "}"
	case *hclsyntax.TupleConsExpr:
		var items []string
		for _, item := range e.Exprs {
			if text := r.text(item); strings.Contains(text, "<<") {
				return r.text(e) // a heredoc must end with its line
			}
			items = append(items, r.space()+r.expr(item)+","+r.lineEnd())
		}
		return "[" + r.lineEnd() + strings.Join(items, "") + "]"
	}
	return r.text(e)
}

func (r *rewriter) text(e hclsyntax.Expression) string {
	return string(e.Range().SliceBytes(r.src))
}

func (r *rewriter) space() string { return strings.Repeat(" ", 1+r.IntN(4)) }

func (r *rewriter) lineEnd() string {
	return []string{"\n", "\n\n", " # a comment\n", " // another, ${x} \"\n", " /* a { [ ( block */\n", "\n\t\n"}[r.IntN(6)]
}

// replacedFile is a disk with a different content for one file.
type replacedFile struct {
	disk
	path string
	src  []byte
}

func (d *replacedFile) Open(path string) (io.ReadCloser, error) {
	if filepath.Clean(path) == filepath.Clean(d.path) {
		return io.NopCloser(bytes.NewReader(d.src)), nil
	}
	return d.disk.Open(path)
}

// addedFiles is a disk with additional files in a directory. They are empty unless the
// underlying disk has content for them.
type addedFiles struct {
	disk
	dir   string
	names []string
}

func (d *addedFiles) added(path string) bool {
	return filepath.Dir(path) == d.dir && slices.Contains(d.names, filepath.Base(path))
}

func (d *addedFiles) ReadDir(path string) ([]fs.DirEntry, error) {
	if filepath.Clean(path) != filepath.Clean(d.dir) {
		return d.disk.ReadDir(path)
	}
	var entries []fs.DirEntry
	for _, name := range d.names {
		entries = append(entries, fs.FileInfoToDirEntry(addedInfo(name)))
	}
	return entries, nil
}

func (d *addedFiles) Resolve(path string) (string, error) {
	if d.added(path) {
		return path, nil
	}
	return d.disk.Resolve(path)
}

func (d *addedFiles) Lstat(path string) (fs.FileInfo, error) {
	if d.added(path) {
		return addedInfo(filepath.Base(path)), nil
	}
	return d.disk.Lstat(path)
}

// addedInfo describes a regular file with the given name.
type addedInfo string

func (i addedInfo) Name() string     { return string(i) }
func (addedInfo) Size() int64        { return 0 }
func (addedInfo) Mode() fs.FileMode  { return 0o644 }
func (addedInfo) ModTime() time.Time { return time.Time{} }
func (addedInfo) IsDir() bool        { return false }
func (addedInfo) Sys() any           { return nil }
