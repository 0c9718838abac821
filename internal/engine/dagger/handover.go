package dagger

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	sdk "dagger.io/dagger"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/engine/image"
)

// Names of the uploaded files, relative to the root of the build.
const (
	uploadRecipe  = "Dockerfile"
	uploadIgnore  = uploadRecipe + ".dockerignore"
	uploadRun     = "run" // the program
	uploadProgram = uploadRun + "/touchstone"
	uploadStage   = "stage"
)

// uploaded is the upload that a container is built from: the program, the recipe
// and the inputs. Jobs with the same upload share it, so that the engine
// receives, unpacks and hashes it once and not for each instance of a matrix.
// inside.Job has what is specific to one instance.
type uploaded struct {
	mu  sync.Mutex
	dir *sdk.Directory // nil until it was uploaded
}

// handedKey identifies an upload. Jobs with the same key share it.
type handedKey struct {
	recipe string
	root   string // the directory of the image, if it is one
	inputs cache.Digest
}

// uploadContext uploads what the job's container is built from, unless the engine has
// it already. It moves the inputs out of the job's directory.
func (e *Executor) uploadContext(ctx context.Context, client *sdk.Client, job *engine.Job, root image.Root,
	binary string) (*sdk.Directory, error) {
	hasInputs := len(job.Instance.Inputs) > 0
	key := handedKey{recipe: containerFile(job.Instance, root, hasInputs), root: root.Dir, inputs: job.Inputs}
	e.mu.Lock()
	h := e.handed[key]
	if h == nil {
		h = &uploaded{}
		if e.handed == nil {
			e.handed = map[handedKey]*uploaded{}
		}

		e.handed[key] = h
	}

	e.mu.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.dir != nil {
		return h.dir, nil
	}

	upload := filepath.Join(job.TempDir, "upload")
	if err := os.MkdirAll(upload, 0o755); err != nil {
		return nil, err
	}

	for name, text := range map[string]string{
		uploadRecipe: key.recipe,
		// Without this file, the engine looks for two files in every build.
		uploadIgnore: "# nothing is left out\n",
	} {
		if err := os.WriteFile(filepath.Join(upload, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}

	// The engine identifies the inputs by content: the path of the prepared
	// directory is not part of any digest.
	if hasInputs {
		if err := os.Rename(filepath.Join(job.Dir, inputRoot), filepath.Join(upload, uploadStage)); err != nil {
			return nil, fmt.Errorf("upload the inputs: %w", err)
		}
	}

	// The binary comes first, because it is the same for every job of the run.
	// The engine then copies it only once.
	build := client.Directory().WithFile(uploadProgram, client.Host().File(binary))
	if root.Dir != "" {
		build = build.WithDirectory(uploadRoot, e.rootfs(client, root.Dir))
	}

	dir, err := build.WithDirectory("/", client.Host().Directory(upload)).Sync(ctx)
	if err != nil {
		return nil, notRun(ctx, job, err)
	}

	h.dir = dir
	return dir, nil
}

// rootfs returns a directory image, which is uploaded once per session.
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
