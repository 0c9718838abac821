package main

import (
	"context"

	"dagger/touchstone/internal/dagger"
)

// Cache is the store of results in the engine's cache volume touchstone-store.
type Cache struct {
	// +private
	Touchstone *Touchstone
}

// Cache returns the store of results in the engine.
func (t *Touchstone) Cache() *Cache { return &Cache{Touchstone: t} }

// Stats reports how many results the store has, and their size.
// +cache="never"
func (c *Cache) Stats(ctx context.Context) (string, error) {
	return c.do(nil, "stats").Stdout(ctx)
}

// Gc removes the least recently used results, down to a size or an age.
// +cache="never"
func (c *Cache) Gc(
	ctx context.Context,
	// The maximum size, such as 500MB.
	// +optional
	maxSize string,
	// Remove results that were not used for this long, such as 240h; 0 for no limit.
	// +optional
	maxAge string,
	// Only report what would be removed.
	// +optional
	dryRun bool,
) (string, error) {
	var flags []string
	if maxSize != "" {
		flags = append(flags, "--max-size", maxSize)
	}
	if maxAge != "" {
		flags = append(flags, "--max-age", maxAge)
	}
	if dryRun {
		flags = append(flags, "--dry-run")
	}
	return c.do(flags, "gc").Stdout(ctx)
}

// Archive writes all results to one file, for restore or "touchstone cache import".
// +cache="never"
func (c *Cache) Archive(
	// Sign the results with this key, such as env:SIGNING_KEY after with-secret.
	// +optional
	sign string,
) *dagger.File {
	var flags []string
	if sign != "" {
		flags = append(flags, "--sign", sign)
	}
	file := outDir + "/" + archivedStore
	return c.exec(c.Touchstone.cacheCommand(flags, "cache", "export", file).
		with(func(in *dagger.Container) *dagger.Container { return in.WithDirectory(outDir, dag.Directory()) })).
		File(file)
}

// Restore adds the results of an archive to the store.
//
// Either they are signed by allowed signers, those of a file or of the pipeline's trust block,
// or they are taken on trust.
// +cache="never"
func (c *Cache) Restore(
	ctx context.Context,
	// A file that archive or "touchstone cache export" wrote.
	archive *dagger.File,
	// Whoever wrote the archive is trusted, as if its results were made here.
	// +optional
	trust bool,
	// The list of keys whose signed results are accepted.
	// +optional
	allowedSigners *dagger.File,
) (string, error) {
	const file, signers = "/" + archivedStore, "/allowed-signers"
	// The pipeline may name the allowed signers.
	flags := c.Touchstone.pipelineFlags()
	if trust {
		flags = append(flags, "--trust")
	}

	if allowedSigners != nil {
		flags = append(flags, "--allowed-signers", signers)
	}

	return c.exec(c.Touchstone.cacheCommand(flags, "cache", "import", file).
		with(func(in *dagger.Container) *dagger.Container {
			if allowedSigners != nil {
				in = in.WithMountedFile(signers, allowedSigners)
			}

			return in.WithMountedFile(file, archive)
		})).
		Stdout(ctx)
}

const archivedStore = "touchstone-store.archive"

// do runs a verb of "touchstone cache".
func (c *Cache) do(flags []string, verb string) *dagger.Container {
	return c.exec(c.Touchstone.cacheCommand(flags, "cache", verb))
}

// exec runs a command that only uses the store. It needs no access to the engine.
func (c *Cache) exec(cmd command) *dagger.Container {
	return cmd.exec(dagger.ContainerWithExecOpts{NoInit: true})
}
