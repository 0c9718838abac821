package main

import (
	"context"
	"fmt"
	"strings"

	"dagger/touchstone/internal/dagger"
)

// Paths in the working directory of the module's own container.
const (
	archivePath  = "touchstone.tar.gz"
	unpackedPath = "touchstone"
)

// fetch returns the program of a release. The engine downloads the archive and checks its
// digest. If the digest is unknown, fetch reads it from the release's checksums.txt.
func fetch(ctx context.Context, downloads, version, digest string) (*dagger.File, error) {
	platform, err := dag.DefaultPlatform(ctx)
	if err != nil {
		return nil, err
	}

	name, err := archiveName(version, string(platform))
	if err != nil {
		return nil, err
	}

	base := strings.TrimSuffix(downloads, "/") + "/v" + version + "/"
	if digest == "" && version == release.version {
		digest = release.digests[name]
	}

	if digest == "" {
		list, err := dag.HTTP(base + checksums).Contents(ctx)
		if err != nil {
			return nil, fmt.Errorf("fetch %s%s: %w; give the digest of %s with --digest, or a program with --binary",
				base, checksums, err, name)
		}

		if digest, err = digestOf(list, name); err != nil {
			return nil, fmt.Errorf("%s%s: %w", base, checksums, err)
		}
	}

	if digest, err = parseDigest(digest); err != nil {
		return nil, err
	}

	archive := dag.HTTP(base+name, dagger.HTTPOpts{Checksum: "sha256:" + digest})
	if _, err := archive.Export(ctx, archivePath); err != nil {
		return nil, fmt.Errorf("fetch %s%s with the SHA-256 digest %s: %w; correct --version or --digest, or give a "+
			"program with --binary", base, name, digest, err)
	}

	if err := unpack(archivePath, unpackedPath); err != nil {
		return nil, fmt.Errorf("%s%s: %w", base, name, err)
	}

	return dag.CurrentModule().WorkdirFile(unpackedPath), nil
}

// sourcePaths are the paths of this project that the program is compiled from. Other files
// of a checkout are not part of the build.
var sourcePaths = []string{
	"go.mod", "go.sum", "source.go", "adapters", "cache", "cmd", "contracts", "docs/scanner", "internal", "metrics",
	"pipeline", "scanner", "stages", "templates",
}

// dataPaths are the paths that only init uses: the pipeline and the data embedded in the
// program.
var dataPaths = []string{"datasets", "pipeline.hcl", "variables.hcl", "proxy.hcl"}

// standIns are empty files for the data that the program embeds.
var standIns = []string{
	"pipeline.hcl", "variables.hcl", "proxy.hcl",
	"datasets/corpus_v2.json", "datasets/golden_v2.json", "datasets/security_v2.json", "datasets/cases_v2.json",
	"datasets/lock.json",
	"datasets/upstreams.hcl", "datasets/upstreams/none.json",
}

// Paths of the caches of Go in the module's own container.
const (
	goModCache   = "/go/pkg/mod"
	goBuildCache = "/root/.cache/go-build"
)

// Build compiles touchstone from the tree of the module and returns the static program.
func (t *Touchstone) Build() *dagger.File {
	return t.compile(t.sources(append(dataPaths, sourcePaths...)), "")
}

// buildBare compiles the planner and the stages, without the verbs that this module does not call. It
// leaves out the embedded pipeline and data, so that an edit of a dataset does not compile it again.
func (t *Touchstone) buildBare() *dagger.File {
	source := t.sources(sourcePaths)
	for _, path := range standIns {
		source = source.WithNewFile(path, "")
	}
	return t.compile(source, "-tags containers")
}

func (t *Touchstone) sources(paths []string) *dagger.Directory {
	return t.Code.Filter(dagger.DirectoryFilterOpts{Include: paths})
}

func (t *Touchstone) compile(source *dagger.Directory, flags string) *dagger.File {
	// This module runs in a container with a Go toolchain, so no other image is
	// pulled: the build uses the module's container, made from the same files.
	runtime := t.Code.Filter(dagger.DirectoryFilterOpts{Include: []string{"dagger.json", "ci"}}).AsModule().Runtime()
	// The image of this container has the standard library compiled. The caches begin with what it has. With
	// -trimpath, go would compile it again.
	first := func(path string) dagger.ContainerWithMountedCacheOpts {
		return dagger.ContainerWithMountedCacheOpts{Source: runtime.Directory(path)}
	}

	return runtime.
		WithoutEntrypoint().
		WithMountedCache(goModCache, dag.CacheVolume("touchstone-go-mod"), first(goModCache)).
		WithMountedCache(goBuildCache, dag.CacheVolume("touchstone-go-build"), first(goBuildCache)).
		WithMountedDirectory("/src", source).
		WithWorkdir("/src").
		WithEnvVariable("CGO_ENABLED", "0").
		WithExec([]string{"sh", "-c", fmt.Sprintf(
			"go build %s -buildvcs=false -ldflags '-s -w' -o %s ./cmd/touchstone || exit %d", flags, program,
			buildFailed)}).
		File(program)
}
