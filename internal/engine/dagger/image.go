package dagger

import (
	"crypto/sha256"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	sdk "dagger.io/dagger"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// ownProgram is the program that needs no image.
const ownProgram = "touchstone"

// dirImage marks an image that is a directory of this machine.
const dirImage = "dir:"

// image is the root filesystem of a container: nothing, a directory of this
// machine ("dir:PATH", a root filesystem as it is unpacked), or an image of a
// registry, pinned by digest.
type image struct{ ref, dir string }

func (i image) none() bool { return i.ref == "" && i.dir == "" }

func (i image) from() string {
	if i.ref != "" {
		return i.ref
	}
	return "scratch"
}

// pinned is a reference that always names the same bytes.
var pinned = regexp.MustCompile(`^[a-z0-9][a-zA-Z0-9._/:-]*@sha256:[0-9a-f]{64}$`)

// parseImage reads an image attribute; a relative directory starts at root.
func parseImage(s, root string) (image, error) {
	if dir, ok := strings.CutPrefix(s, dirImage); ok {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(root, dir)
		}
		if st, err := os.Stat(dir); err != nil || !st.IsDir() {
			return image{}, fmt.Errorf("image %q: there is no directory %s; name an unpacked root filesystem", s, dir)
		}
		return image{dir: dir}, nil
	}
	if s != "" && !pinned.MatchString(s) {
		return image{}, fmt.Errorf("image %q is not pinned: a tag may name other bytes tomorrow; write NAME@sha256:DIGEST, or dir:PATH for a directory", s)
	}
	return image{ref: s}, nil
}

// Images says what instances run in. Our own stages need no image.
type Images struct {
	// Root is where relative directories of the pipeline's images start.
	Root string
	// Default is used by stages that name no image and run another program
	// than touchstone; empty makes them an error. A relative directory
	// starts at the working directory.
	Default string
}

func (i Images) of(in *pipeline.Instance) (image, error) {
	ref := in.Image
	if ref == "" && in.Command[0] != ownProgram {
		if ref = i.Default; ref == "" {
			return image{}, fmt.Errorf("it runs %s and names no image: a container without one holds nothing but touchstone; "+
				"set its image (NAME@sha256:DIGEST or dir:PATH), give one for all with --container-image, or use --executor local", in.Command[0])
		}
	}
	if in.Image != "" {
		return parseImage(ref, i.Root)
	}
	wd, err := os.Getwd()
	if err != nil {
		return image{}, err
	}
	return parseImage(ref, wd)
}

// program is argv[0] as the container knows it.
func (i image) program(job *engine.Job) string {
	if job.Instance.Command[0] == ownProgram {
		return toolRoot + "/touchstone"
	}
	return job.Program
}

// rootfs is a directory image, uploaded once a session.
func (e *Executor) rootfs(client *sdk.Client, dir string) *sdk.Directory {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.roots == nil {
		e.roots = map[string]*sdk.Directory{}
	}
	if e.roots[dir] == nil {
		e.roots[dir] = client.Host().Directory(dir)
	}
	return e.roots[dir]
}

// Tools finds the programs of stages that run in containers. Host resolves our
// own; a program in a directory image is identified by its content, as on
// this machine, so the same busybox here and there is the same key; one in a
// registry's image is identified by the image.
type Tools struct {
	Images
	Host  engine.Tools
	Index *cache.StatIndex
}

// Resolve finds argv[0].
func (t *Tools) Resolve(in *pipeline.Instance) (engine.Tool, error) {
	name := in.Command[0]
	if name == ownProgram || strings.Contains(name, "/") && !path.IsAbs(name) {
		return t.Host.Resolve(in)
	}
	img, err := t.Images.of(in)
	if err != nil {
		return engine.Tool{}, err
	}
	if img.ref != "" {
		d := cache.Digest(sha256.Sum256([]byte(img.ref)))
		return engine.Tool{ToolIdentity: pipeline.ToolIdentity{Name: name, Digest: d}, Path: name}, nil
	}
	search := engine.DefaultPath
	for _, v := range in.Env {
		if v.Name == "PATH" {
			search = v.Value
		}
	}
	inside, file, err := lookIn(img.dir, name, search)
	if err != nil {
		return engine.Tool{}, err
	}
	d, _, _, err := t.Index.File(file)
	if err != nil {
		return engine.Tool{}, err
	}
	return engine.Tool{ToolIdentity: pipeline.ToolIdentity{Name: name, Digest: d}, Path: inside}, nil
}

// lookIn finds a program in a root filesystem that is not ours: links in it
// are read as if it were the root. inside is the program's path there; file
// is where its bytes are here.
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
		for range 40 { // the kernel's limit of links
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

// checkStatic refuses a program that an empty root filesystem cannot run.
func checkStatic(file string) error {
	const remedy = "build one with CGO_ENABLED=0 GOOS=linux go build ./cmd/touchstone and name it with --container-binary"
	f, err := elf.Open(file)
	var notRead *fs.PathError
	if errors.As(err, &notRead) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%s is no Linux program, and the engine's containers run Linux: %s", file, remedy)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return fmt.Errorf("%s needs a dynamic linker, and an empty container has none: %s", file, remedy)
		}
	}
	return nil
}
