//go:build !containers

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// skipped records the revisions that could not be tested. Other results are cached.
type skipped struct {
	file    string
	Reasons map[string]string `json:"skipped"` // by commit
}

// readSkipped reads the revisions that an earlier bisection with the same settings
// skipped. If the build command was changed in any of the files, all revisions are
// tested again.
func readSkipped(dir string, flags *globalFlags, forget bool) (skipped, error) {
	var contents [][]byte
	for _, file := range flags.sources() {
		b, _ := readlimit.File(context.Background(), file, pipeline.MaxSource) // the first run reports errors
		contents = append(contents, b)
	}

	var environ []string
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, pipeline.VarPrefix) {
			environ = append(environ, v)
		}
	}

	slices.Sort(environ)
	settings, err := json.Marshal([]any{contents, environ, flags.vars, flags.executor.name,
		os.Getenv(envContainerImage)})
	if err != nil {
		return skipped{}, err
	}

	id := sha256.Sum256(settings)
	s := skipped{file: filepath.Join(dir, "skipped-"+hex.EncodeToString(id[:8])+".json"), Reasons: map[string]string{}}
	b, err := readlimit.File(context.Background(), s.file, pipeline.MaxSource)
	if err != nil || forget {
		return s, nil
	}

	if json.Unmarshal(b, &s) != nil || s.Reasons == nil {
		s.Reasons = map[string]string{} // a damaged file only costs time
	}

	return s, nil
}

func (s *skipped) write() error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := atomicfile.WriteFile(s.file, b, 0o600); err != nil {
		return fmt.Errorf("write the list of skipped revisions: %w", err)
	}
	return nil
}
