package remote

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/proto"

	"github.com/touchstone-eval/touchstone/cache"
)

const (
	// maxOutputs is the number of files and directories that one action may have made. A tree of a few
	// messages can describe more than any disk holds.
	maxOutputs = 1_000_000
	maxDepth   = 200
)

// errMalformed is the error of an answer that no server may give.
var errMalformed = errors.New("its answer is broken")

// outputs are what an action has made.
type outputs struct {
	files map[cache.SizedDigest][]outputFile
	dirs  []string // each after the one that it is in
	links map[string]string
	count int
}

type outputFile struct {
	path       string
	executable bool
}

func (o *outputs) add() error {
	if o.count++; o.count > maxOutputs {
		return fmt.Errorf("%w: it lists more than %d outputs", errMalformed, maxOutputs)
	}
	return nil
}

func (o *outputs) file(p string, d *repb.Digest, executable bool) error {
	b, err := sized(d)
	if err == nil {
		err = o.add()
	}
	if err != nil {
		return err
	}
	o.files[b] = append(o.files[b], outputFile{p, executable})
	return nil
}

func (o *outputs) link(p, target string) error {
	if target == "" || strings.ContainsRune(target, 0) {
		return errMalformed
	}
	o.links[p] = target
	return o.add()
}

// sized parses a digest.
func sized(d *repb.Digest) (b cache.SizedDigest, err error) {
	sum, err := hex.DecodeString(d.GetHash())
	if err != nil || len(sum) != sha256.Size || d.GetSizeBytes() < 0 {
		return b, fmt.Errorf("%w: it has no valid digest", errMalformed)
	}
	return cache.SizedDigest{Digest: cache.Digest(sum), Size: d.GetSizeBytes()}, nil
}

// valid reports whether a path of an output stays inside its directory.
func valid(p string) bool {
	return filepath.IsLocal(p) && path.Clean(p) == p && p != "." && !strings.ContainsRune(p, 0) &&
		(filepath.Separator != '\\' || !strings.ContainsRune(p, '\\'))
}

// take fetches the outputs of an action and writes them into dir. Everything is compared with its digest.
func (w *Workers) take(ctx context.Context, r *repb.ActionResult, dir string) error {
	o := &outputs{files: map[cache.SizedDigest][]outputFile{}, links: map[string]string{}}
	for _, f := range r.OutputFiles {
		if !valid(f.GetPath()) {
			return errMalformed
		}

		if err := o.file(f.Path, f.Digest, f.IsExecutable); err != nil {
			return err
		}
	}

	for _, l := range r.OutputSymlinks {
		if !valid(l.GetPath()) {
			return errMalformed
		}

		if err := o.link(l.Path, l.Target); err != nil {
			return err
		}
	}

	if err := w.trees(ctx, r.OutputDirectories, o); err != nil {
		return err
	}

	if err := os.MkdirAll(dir, 0o755); err != nil {
		return &localError{err}
	}

	root, err := os.OpenRoot(dir)
	if err != nil {
		return &localError{err}
	}

	defer root.Close()
	return w.write(ctx, o, root)
}

// trees fetches the trees of directories and adds what is in them.
func (w *Workers) trees(ctx context.Context, list []*repb.OutputDirectory, o *outputs) error {
	at := map[cache.SizedDigest][]string{}
	for _, d := range list {
		b, err := sized(d.GetTreeDigest())
		if err != nil {
			return err
		}

		if !valid(d.GetPath()) || b.Size > maxUnsigned {
			return errMalformed
		}

		at[b] = append(at[b], d.Path)
	}

	var mu sync.Mutex
	return w.fetch(ctx, keys(at), func(b cache.SizedDigest, r io.Reader) error {
		var content bytes.Buffer
		if err := verified(&content, b, r); err != nil {
			return err
		}

		mu.Lock()
		defer mu.Unlock()
		for _, p := range at[b] {
			if err := o.tree(p, content.Bytes()); err != nil {
				return err
			}
		}

		return nil
	})
}

// tree adds what is in a tree.
func (o *outputs) tree(p string, encoded []byte) error {
	var t repb.Tree
	if err := proto.Unmarshal(encoded, &t); err != nil {
		return errMalformed
	}

	below := map[string]*repb.Directory{}
	for _, d := range t.Children {
		// The digest is that of the bytes, which another program may have encoded in another order.
		// All encoders that write fields in their order give the same.
		below[encode(d).Digest.String()] = d
	}

	if t.Root == nil {
		t.Root = &repb.Directory{}
	}

	return o.directory(p, t.Root, below, 0)
}

func (o *outputs) directory(p string, d *repb.Directory, below map[string]*repb.Directory, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%w: it has more than %d directories inside each other", errMalformed, maxDepth)
	}

	o.dirs = append(o.dirs, p)
	if err := o.add(); err != nil {
		return err
	}

	for _, f := range d.Files {
		if !validName(f.GetName()) {
			return errMalformed
		}

		if err := o.file(path.Join(p, f.Name), f.Digest, f.IsExecutable); err != nil {
			return err
		}
	}

	for _, l := range d.Symlinks {
		if !validName(l.GetName()) {
			return errMalformed
		}

		if err := o.link(path.Join(p, l.Name), l.Target); err != nil {
			return err
		}
	}

	for _, n := range d.Directories {
		sub := below[n.GetDigest().GetHash()]
		if n.GetDigest().GetSizeBytes() == 0 {
			sub = &repb.Directory{}
		}

		if sub == nil || !validName(n.GetName()) {
			return errMalformed
		}

		if err := o.directory(path.Join(p, n.Name), sub, below, depth+1); err != nil {
			return err
		}
	}

	return nil
}

func validName(name string) bool { return valid(name) && !strings.Contains(name, "/") }

func keys[V any](m map[cache.SizedDigest]V) []cache.SizedDigest {
	list := make([]cache.SizedDigest, 0, len(m))
	for k := range m {
		list = append(list, k)
	}
	return list
}

// fetch passes contents to put. An error of type *lostError means that the server does not have all.
func (w *Workers) fetch(ctx context.Context, blobs []cache.SizedDigest,
	put func(cache.SizedDigest, io.Reader) error) error {
	var wanted []cache.SizedDigest
	for _, b := range blobs {
		if b.Size > 0 {
			wanted = append(wanted, b)
		} else if err := put(b, strings.NewReader("")); err != nil { // servers need not have it
			return err
		}
	}

	var mu sync.Mutex
	came := 0
	counted := func(b cache.SizedDigest, r io.Reader) error {
		err := put(b, r)
		mu.Lock()
		defer mu.Unlock()
		came++
		return err
	}
	var g errgroup.Group
	g.SetLimit(fetchers)
	batches, large := w.client.batches(wanted)
	for _, batch := range batches {
		g.Go(func() error {
			_, err := w.client.readBatch(ctx, batch, counted)
			return err
		})
	}

	for _, b := range large {
		g.Go(func() error {
			_, found, err := w.client.readStream(ctx, b, counted)
			if err == nil && !found {
				return &lostError{errors.New("it has lost an output")}
			}

			return err
		})
	}

	if err := g.Wait(); err != nil {
		return err
	}

	if came < len(wanted) {
		return &lostError{errors.New("it has lost an output")}
	}

	return nil
}

// verified copies content and compares it with its digest.
func verified(to io.Writer, b cache.SizedDigest, r io.Reader) error {
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(localWriter{to}, h), io.LimitReader(r, b.Size+1))
	if err != nil {
		return err
	}
	if n != b.Size || cache.Digest(h.Sum(nil)) != b.Digest {
		return errFalse
	}
	return nil
}

// localWriter marks the errors of a writer as those of this machine.
type localWriter struct{ io.Writer }

func (l localWriter) Write(p []byte) (int, error) {
	n, err := l.Writer.Write(p)
	if err != nil {
		err = &localError{err}
	}
	return n, err
}

// write writes all outputs. Links come last, so that nothing is written through them.
func (w *Workers) write(ctx context.Context, o *outputs, root *os.Root) error {
	for _, p := range o.dirs {
		if err := root.MkdirAll(p, 0o755); err != nil {
			return &localError{err}
		}
	}

	err := w.fetch(ctx, keys(o.files), func(b cache.SizedDigest, r io.Reader) error {
		files := o.files[b]
		if err := writeFile(root, files[0], func(to io.Writer) error { return verified(to, b, r) }); err != nil {
			return err
		}

		for _, f := range files[1:] {
			if err := writeFile(root, f, func(to io.Writer) error {
				from, err := root.Open(files[0].path)
				if err != nil {
					return &localError{err}
				}

				defer from.Close()
				_, err = io.Copy(to, from)
				return err
			}); err != nil {
				return err
			}
		}

		return nil
	})
	if err != nil {
		return err
	}

	for p, target := range o.links {
		if err := root.MkdirAll(path.Dir(p), 0o755); err != nil {
			return &localError{err}
		}

		if err := root.Symlink(target, p); err != nil {
			return &localError{err}
		}
	}

	return nil
}

func writeFile(root *os.Root, f outputFile, content func(io.Writer) error) error {
	if err := root.MkdirAll(path.Dir(f.path), 0o755); err != nil {
		return &localError{err}
	}

	mode := os.FileMode(0o644)
	if f.executable {
		mode = 0o755
	}

	to, err := root.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return &localError{err}
	}

	if err := content(to); err != nil {
		to.Close()
		return err
	}

	if err := to.Close(); err != nil {
		return &localError{err}
	}

	return nil
}
