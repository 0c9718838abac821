package main

import (
	"io"
	"os"
	"path/filepath"

	"github.com/touchstone-eval/touchstone/internal/signing"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// envAllowedSigners names the list of signers whose results count.
const envAllowedSigners = "TOUCHSTONE_ALLOWED_SIGNERS"

// allowedSigners reads the list of signers whose results count: the file of a flag, or else of the
// environment, or else of the pipeline, if there is one. It returns nil if none names a list.
func (f *globalFlags) allowedSigners(flag string, stderr io.Writer) (*signing.Allowed, error) {
	file := flag
	if file == "" {
		file = os.Getenv(envAllowedSigners)
	}
	if file == "" && exists(pipeline.MainFileOf(f.file)) {
		plan, err := loadPlan(f, stderr)
		if err != nil {
			return nil, err
		}
		if file = plan.AllowedSigners; file != "" && !filepath.IsAbs(file) {
			file = filepath.Join(plan.Root, filepath.FromSlash(file))
		}
	}
	if file == "" {
		return nil, nil
	}
	return signing.ReadAllowed(file)
}
