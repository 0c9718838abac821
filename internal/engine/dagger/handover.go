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
)

// Names of what is handed over, relative to the build's root.
const (
	uploadRecipe  = "Dockerfile"
	uploadIgnore  = uploadRecipe + ".dockerignore"
	uploadRun     = "run" // the program
	uploadProgram = uploadRun + "/touchstone"
	uploadBox     = "box"
)

// handed is what a container is built from: the program, the recipe and the
// inputs. Jobs that agree in them share one, so that the engine receives it,
// lays it out and adds it up once and not for each of a matrix. What is the
// job's own travels beside it, as the order.
type handed struct {
	mu  sync.Mutex
	dir *sdk.Directory // nil until the engine has it
}

// handedKey tells what two jobs have to agree in.
type handedKey struct {
	recipe string
	root   string // the directory of the image, if it is one
	inputs cache.Digest
}

// handOver gives the engine what the job's container is built from, unless it
// has it. It takes the inputs out of the job's directory.
func (e *Executor) handOver(ctx context.Context, client *sdk.Client, job *engine.Job, image image, binary string) (*sdk.Directory, error) {
	hasInputs := len(job.Instance.Inputs) > 0
	key := handedKey{recipe: containerFile(job.Instance, image, hasInputs), root: image.dir, inputs: job.Inputs}
	e.mu.Lock()
	h := e.handed[key]
	if h == nil {
		h = &handed{}
		if e.handed == nil {
			e.handed = map[handedKey]*handed{}
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
		// Without this file the engine looks for two, each time.
		uploadIgnore: "# nothing is left out\n",
	} {
		if err := os.WriteFile(filepath.Join(upload, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	// The inputs are handed over by content: only the prepared directory is
	// read, and its place on this machine is in no digest.
	if hasInputs {
		if err := os.Rename(filepath.Join(job.Dir, inputRoot), filepath.Join(upload, uploadBox)); err != nil {
			return nil, fmt.Errorf("handing over the inputs: %w", err)
		}
	}
	// The binary comes first: what is below it is the same for every job of
	// the run, and the engine copies it once.
	build := client.Directory().WithFile(uploadProgram, client.Host().File(binary))
	if image.dir != "" {
		build = build.WithDirectory(uploadRoot, e.rootfs(client, image.dir))
	}
	dir, err := build.WithDirectory("/", client.Host().Directory(upload)).Sync(ctx)
	if err != nil {
		return nil, notRun(ctx, job, err)
	}
	h.dir = dir
	return dir, nil
}
