package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/knights-analytics/hugot"
	"github.com/knights-analytics/hugot/pipelines"
)

// model is a loaded ONNX model. It computes one batch at a time.
type model struct {
	identity string
	session  *hugot.Session
	pipeline *pipelines.FeatureExtractionPipeline
	mu       sync.Mutex
}

// open loads the model in dir. file chooses among several .onnx files.
func open(dir, file string) (m *model, err error) {
	// The runtime panics on some damaged models.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the model in %s cannot be loaded: %v", dir, r)
		}
	}()
	identity, err := identify(dir)
	if err != nil {
		return nil, err
	}

	session, err := hugot.NewGoSession()
	if err != nil {
		return nil, fmt.Errorf("start the runtime: %w", err)
	}

	pipeline, err := hugot.NewPipeline(session, hugot.FeatureExtractionConfig{
		ModelPath: dir, Name: "embeddings", OnnxFilename: file,
		Options: []hugot.FeatureExtractionOption{pipelines.WithNormalization()},
	})
	if err != nil {
		_ = session.Destroy()
		return nil, fmt.Errorf("the model in %s cannot be loaded: %w", dir, err)
	}

	return &model{identity: identity, session: session, pipeline: pipeline}, nil
}

// identify names a model by its directory and the digest of the files that its
// vectors depend on.
func identify(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.onnx"))
	if err != nil {
		return "", err
	}

	if len(files) == 0 {
		return "", fmt.Errorf("%s holds no .onnx file: name the directory of an ONNX model", dir)
	}

	tokenizer := filepath.Join(dir, "tokenizer.json")
	if _, err := os.Stat(tokenizer); err != nil {
		return "", fmt.Errorf("the model's tokenizer: %w: put the tokenizer.json of the model beside it", err)
	}

	h := sha256.New()
	for _, path := range append(files, tokenizer, filepath.Join(dir, "config.json")) {
		f, err := os.Open(path)
		if os.IsNotExist(err) && filepath.Base(path) == "config.json" {
			continue
		}

		if err != nil {
			return "", err
		}

		_, err = io.Copy(h, f)
		f.Close()
		if err != nil {
			return "", err
		}
	}

	return fmt.Sprintf("%s sha256-%x", filepath.Base(filepath.Clean(dir)), h.Sum(nil)[:8]), nil
}

func (m *model) close() { _ = m.session.Destroy() }

// embed returns the vectors of texts, of length 1. Each text is computed alone:
// in a batch, the runtime's result would depend on how far the longest text pads
// the others.
func (m *model) embed(texts []string) (vectors [][]float32, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the model failed: %v", r)
		}
	}()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, text := range texts {
		out, err := m.pipeline.RunPipeline([]string{text})
		if err != nil {
			return nil, fmt.Errorf("the model failed: %w", err)
		}

		vectors = append(vectors, out.Embeddings[0])
	}

	return vectors, nil
}
