package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/touchstone-eval/touchstone"
	"github.com/touchstone-eval/touchstone/cache"
)

const modulePath = "github.com/touchstone-eval/touchstone/"

// source reads the source embedded in the program. Stages have most of their source in common, so
// each file is read only once: reading the files for each of nine stages took a third of the time
// of a run that had nothing to do.
var source = sourceReader{files: map[string]sourceFile{}}

type sourceReader struct {
	mu      sync.Mutex
	files   map[string]sourceFile
	content bytes.Buffer // of the current file
}

// sourceFile holds the digest of a file's content and, for a Go file, its imports from this
// module, as paths relative to the module's root.
type sourceFile struct {
	digest  cache.Digest
	imports []string
}

// sourceIdentity returns a digest over the source of some packages or files, everything in this
// module that they import, the versions of all dependencies (go.sum), the toolchain, and the
// architecture, on which floating-point results may depend.
func sourceIdentity(rooms ...string) (cache.Digest, error) {
	files, err := source.list(rooms)
	if err != nil {
		return cache.Digest{}, err
	}

	h := sha256.New()
	write := func(s string) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	write(runtime.Version() + " " + runtime.GOARCH)
	for _, name := range append([]string{"go.mod", "go.sum"}, files...) {
		f, err := source.file(name)
		if err != nil {
			return cache.Digest{}, err
		}

		write(name)
		h.Write(f.digest[:])
	}

	return cache.Digest(h.Sum(nil)), nil
}

// list returns the files of the rooms and of their imports.
func (r *sourceReader) list(rooms []string) ([]string, error) {
	seen := map[string]bool{}
	var files []string
	queue := slices.Clone(rooms)
	for len(queue) > 0 {
		room := queue[0]
		queue = queue[1:]
		if seen[room] {
			continue
		}

		seen[room] = true
		if strings.HasSuffix(room, ".go") {
			files = append(files, room)
			f, err := r.file(room)
			if err != nil {
				return nil, err
			}

			queue = append(queue, f.imports...)
			continue
		}

		entries, err := fs.ReadDir(touchstone.Source, room)
		if err != nil {
			return nil, fmt.Errorf("touchstone has no stage in %s; touchstone stage --help lists the stages", room)
		}

		for _, e := range entries {
			name := path.Join(room, e.Name())
			switch {
			case e.IsDir() && e.Name() != "testdata":
				queue = append(queue, name)
			case e.IsDir(), strings.HasSuffix(name, "_test.go"):
			case strings.HasSuffix(name, ".go"):
				queue = append(queue, name)
			default:
				files = append(files, name)
			}
		}
	}

	slices.Sort(files)
	return files, nil
}

func (r *sourceReader) file(name string) (sourceFile, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f, ok := r.files[name]; ok {
		return f, nil
	}

	carried, err := touchstone.Source.Open(name)
	if err != nil {
		return sourceFile{}, err
	}

	defer func() { _ = carried.Close() }()
	// Use one buffer for all files: new memory for each would cost as much as reading.
	r.content.Reset()
	if _, err := r.content.ReadFrom(carried); err != nil {
		return sourceFile{}, err
	}

	f := sourceFile{digest: cache.Digest(sha256.Sum256(r.content.Bytes()))}
	if strings.HasSuffix(name, ".go") {
		if f.imports, err = ownImports(name, r.content.Bytes()); err != nil {
			return sourceFile{}, err
		}
	}

	r.files[name] = f
	return f, nil
}

func ownImports(name string, content []byte) ([]string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), name, content, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var own []string
	for _, spec := range f.Imports {
		if room, ok := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), modulePath); ok {
			own = append(own, room)
		}
	}
	return own, nil
}
