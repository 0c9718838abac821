package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/engine/signing"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// envAllowedSigners names the list of signers whose results are accepted.
const envAllowedSigners = "TOUCHSTONE_ALLOWED_SIGNERS"

// allowedSigners reads the list of signers whose results are accepted: the file of a flag, or else of the
// environment, or else of the pipeline, if there is one. It returns nil if none names a list.
func (f *globalFlags) allowedSigners(ctx context.Context, flag string, stderr io.Writer) (*signing.Allowed, error) {
	file := flag
	if file == "" {
		file = os.Getenv(envAllowedSigners)
	}

	if file == "" && exists(pipeline.MainFileOf(f.file)) {
		plan, err := loadPlan(f, stderr)
		if err != nil {
			return nil, err
		}

		return f.signersOf(ctx, plan)
	}

	if file == "" {
		return nil, nil
	}

	return signing.ReadAllowed(ctx, file)
}

// signersOf reads the list of signers that the environment names, or else a pipeline. It returns nil
// if neither names one.
func (f *globalFlags) signersOf(ctx context.Context, plan *pipeline.Plan) (*signing.Allowed, error) {
	file := os.Getenv(envAllowedSigners)
	if file == "" {
		if file = plan.AllowedSigners; file != "" && !filepath.IsAbs(file) {
			file = filepath.Join(plan.Root, filepath.FromSlash(file))
		}
	}
	if file == "" {
		return nil, nil
	}
	return signing.ReadAllowed(ctx, file)
}

// verifier returns who signed a record, as of now.
func verifier(signers *signing.Allowed) func(record, signature []byte) (cache.Signer, error) {
	now := time.Now()
	return func(record, signature []byte) (cache.Signer, error) {
		signer, err := signers.Verify(record, signature, now)
		return cache.Signer{Name: signer.Name, Key: signer.Fingerprint}, err
	}
}
