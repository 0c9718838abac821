// Package image finds the images and the programs of stages that do not run on this machine's own file
// system. Stages of touchstone itself need no image.
package image

import (
	"crypto/sha256"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// OwnProgram is the name of the program that needs no image.
const OwnProgram = "touchstone"

// dirImage is the prefix of an image that is a directory on this machine.
const dirImage = "dir:"

// Root is the root filesystem of a stage: empty, a directory on this machine
// ("dir:PATH", an unpacked root filesystem), or an image of a registry that is
// pinned by digest.
type Root struct{ Ref, Dir string }

// None reports whether the root filesystem is empty.
func (r Root) None() bool { return r.Ref == "" && r.Dir == "" }

// pinned matches a reference with a digest, which always has the same content.
var pinned = lazyregexp.New(`^[a-z0-9][a-zA-Z0-9._/:-]*@sha256:[0-9a-f]{64}$`)

// parseImage parses an image attribute. A relative directory is relative to root.
func parseImage(s, root string) (Root, error) {
	if dir, ok := strings.CutPrefix(s, dirImage); ok {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(root, dir)
		}

		if st, err := os.Stat(dir); err != nil || !st.IsDir() {
			return Root{}, fmt.Errorf("image %q: the directory %s does not exist; use the directory of an unpacked "+
				"root filesystem", s, dir)
		}

		return Root{Dir: dir}, nil
	}

	if s != "" && !pinned().MatchString(s) {
		return Root{}, fmt.Errorf("image %q is not pinned, and the content of a tag can change; write "+
			"NAME@sha256:DIGEST, or dir:PATH for a directory", s)
	}

	return Root{Ref: s}, nil
}

// Images determines the images of instances. Stages of touchstone need no image.
type Images struct {
	// Root is the directory for relative paths in images of the pipeline.
	Root string
	// Default is the image for stages that declare none and run a program other
	// than touchstone. If it is empty, such a stage is an error. A relative
	// directory is relative to the working directory.
	Default string
	// Worker means that a stage without an image uses the programs of the machine that it
	// runs on, which must be the same as here.
	Worker bool
}

// Of returns the root filesystem of an instance.
func (i Images) Of(in *pipeline.Instance) (Root, error) {
	ref := in.Image
	if ref == "" && in.Command[0] != OwnProgram {
		if ref = i.Default; ref == "" && i.Worker {
			return Root{}, nil
		} else if ref == "" {
			return Root{}, fmt.Errorf("it runs %s but has no image, and a container without an image only contains "+
				"touchstone; "+
				"set its image (NAME@sha256:DIGEST or dir:PATH), name one for all with TOUCHSTONE_CONTAINER_IMAGE, "+
				"or use --executor local", in.Command[0])
		}
	}

	if in.Image != "" {
		return parseImage(ref, i.Root)
	}

	wd, err := os.Getwd()
	if err != nil {
		return Root{}, err
	}

	return parseImage(ref, wd)
}

// Tools finds the programs of stages that run in containers. Host resolves
// touchstone. A program in a directory image is identified by its content, like a
// program of this machine, so that the same program gives the same key in both. A
// program in an image of a registry is identified by the image.
type Tools struct {
	Images
	Host  engine.Tools
	Index *cache.StatIndex
}

// Resolve finds argv[0].
func (t *Tools) Resolve(in *pipeline.Instance) (engine.Tool, error) {
	name := in.Command[0]
	if name == OwnProgram || strings.Contains(name, "/") && !path.IsAbs(name) {
		return t.Host.Resolve(in)
	}

	img, err := t.Images.Of(in)
	if err != nil {
		return engine.Tool{}, err
	}

	if img.None() {
		return t.Host.Resolve(in)
	}

	if img.Ref != "" {
		d := cache.Digest(sha256.Sum256([]byte(img.Ref)))
		return engine.Tool{ToolIdentity: pipeline.ToolIdentity{Name: name, Digest: d}, Path: name, Complete: true}, nil
	}

	search := engine.DefaultPath
	for _, v := range in.Env {
		if v.Name == "PATH" {
			search = v.Value
		}
	}

	inside, file, err := lookIn(img.Dir, name, search)
	if err != nil {
		return engine.Tool{}, err
	}

	d, _, _, err := t.Index.File(file)
	if err != nil {
		return engine.Tool{}, err
	}

	return engine.Tool{ToolIdentity: pipeline.ToolIdentity{Name: name, Digest: d}, Path: inside, Complete: true}, nil
}

// lookIn finds a program in the root filesystem at root. It resolves symbolic
// links relative to root. inside is the path of the program in the root
// filesystem, and file is its path on this machine.
func lookIn(root, name, search string) (inside, file string, err error) {
	candidates := []string{name}
	if !path.IsAbs(name) {
		candidates = nil
		for dir := range strings.SplitSeq(search, ":") {
			if path.IsAbs(dir) {
				candidates = append(candidates, path.Join(dir, name))
			}
		}
	}

	r, err := os.OpenRoot(root)
	if err != nil {
		return "", "", err
	}

	defer r.Close()
	for _, c := range candidates {
		at := c
		for range 40 { // the kernel's limit on symbolic links
			st, err := r.Lstat(strings.TrimPrefix(at, "/"))
			if err != nil {
				break
			}

			if st.Mode().IsRegular() {
				return c, filepath.Join(root, filepath.FromSlash(at)), nil
			}

			if st.Mode()&fs.ModeSymlink == 0 {
				break
			}

			target, err := r.Readlink(strings.TrimPrefix(at, "/"))
			if err != nil {
				break
			}

			if path.IsAbs(target) {
				at = path.Clean(target)
			} else {
				at = path.Join(path.Dir(at), target)
			}
		}
	}

	return "", "", fmt.Errorf("program %q is not in %s of the image %s%s", name, search, dirImage, root)
}

// OwnFile returns the path of the touchstone program for other machines: the given one, or else the running
// one. It must run there.
func OwnFile(file string) (string, error) {
	if file == "" {
		self, err := os.Executable()
		if err != nil {
			return "", fmt.Errorf("finding this program: %w", err)
		}

		file = self
	}

	file, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}

	return file, checkStatic(file)
}

// checkStatic returns an error if a program cannot run in an empty root filesystem.
func checkStatic(file string) error {
	const remedy = "build one with CGO_ENABLED=0 GOOS=linux go build ./cmd/touchstone and name it with " +
		"TOUCHSTONE_CONTAINER_BINARY"
	f, err := elf.Open(file)
	var notRead *fs.PathError
	if errors.As(err, &notRead) {
		return err
	}

	if err != nil {
		return fmt.Errorf("%s is not a Linux program, but the stages run on Linux: %s", file, remedy)
	}

	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return fmt.Errorf("%s needs a dynamic linker, but an empty container has none: %s", file, remedy)
		}
	}

	return nil
}
