package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// skipped remembers what could not be tried. What could is in the store.
type skipped struct {
	file    string
	Reasons map[string]string `json:"skipped"` // by commit
}

// readSkipped reads what an earlier bisection with the same settings noted.
func readSkipped(dir string, flags *globalFlags, forget bool) (skipped, error) {
	pipeline, err := filepath.Abs(flags.file)
	if err != nil {
		return skipped{}, err
	}
	settings, err := json.Marshal([]any{pipeline, flags.vars, flags.varFiles, flags.executor.name, flags.executor.image})
	if err != nil {
		return skipped{}, err
	}
	id := sha256.Sum256(settings)
	s := skipped{file: filepath.Join(dir, "skipped-"+hex.EncodeToString(id[:8])+".json"), Reasons: map[string]string{}}
	b, err := os.ReadFile(s.file)
	if err != nil || forget {
		return s, nil
	}
	if json.Unmarshal(b, &s) != nil || s.Reasons == nil {
		s.Reasons = map[string]string{} // damaged: only time is lost
	}
	return s, nil
}

func (s *skipped) write() error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := renameio.WriteFile(s.file, b, 0o600); err != nil {
		return fmt.Errorf("remember what was skipped: %w", err)
	}
	return nil
}
