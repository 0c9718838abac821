package buildproxy

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/embedding/models"
)

// modelDir is the directory of the sentence model, next to the manifest.
const modelDir = "model"

// keepModel verifies a sentence model and copies it next to the manifest, so that it is part
// of the proxy. A proxy with a different model is a different proxy.
func keepModel(m *contracts.ProxyManifest, opts Options) error {
	model, err := models.Identify(opts.Model)
	if err != nil {
		return &UsageError{fmt.Sprintf("--model: %v", err)}
	}

	to := filepath.Join(opts.Out, modelDir)
	if err := os.Mkdir(to, 0o755); err != nil {
		return fmt.Errorf("keep the model: %w", err)
	}

	for _, f := range model.Files {
		if err := copyFile(filepath.Join(to, f.Name), filepath.Join(opts.Model, f.Name)); err != nil {
			return fmt.Errorf("keep the model: %w", err)
		}
	}

	m.Model = modelDir
	m.Identity += fmt.Sprintf("+%x", sha256.Sum256([]byte(model.Identity())))
	return nil
}
