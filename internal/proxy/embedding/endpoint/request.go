package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
)

const (
	// maxBody bounds an answer, in bytes. It is enough for 64 vectors of 16,384
	// numbers of 24 characters.
	maxBody = 32 << 20
	// shownBody is how much of an answer an error shows.
	shownBody = 200
)

// ask sends one request. A busyError means that a retry may succeed.
func (s *Service) ask(ctx context.Context, texts []string) ([][]float32, error) {
	body, err := json.Marshal(map[string]any{"model": s.opts.Model, "input": texts, "encoding_format": "float"})
	if err != nil {
		return nil, err
	}

	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("the address of the embeddings service: %w", err)
	}

	req.Header.Set("Content-Type", "application/json")
	if s.opts.Key != "" {
		req.Header.Set("Authorization", "Bearer "+s.opts.Key)
	}

	resp, err := s.client.Do(req)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err
		}

		return nil, fmt.Errorf("request to the embeddings service at %s: %w: check its address and the network",
			s.address, err)
	}

	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the answer of the embeddings service: %w", err)
	case len(data) > maxBody:
		return nil, fmt.Errorf("the answer of the embeddings service is larger than %d MiB: send fewer texts at a time",
			maxBody>>20)
	case resp.StatusCode == http.StatusOK:
		return readVectors(data, len(texts))
	}

	err = fmt.Errorf("the embeddings service answered with status %d: %q", resp.StatusCode, s.shown(data))
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500 {
		return nil, &busyError{err, retryAfter(resp.Header)}
	}

	return nil, err
}

// shown is the beginning of an answer without the key, which some services
// repeat when they refuse it.
func (s *Service) shown(data []byte) string {
	text := string(data)
	if s.opts.Key != "" {
		text = strings.ReplaceAll(text, s.opts.Key, "[key]")
	}
	return text[:min(len(text), shownBody)]
}

// readVectors reads an answer for n texts, in the order of the texts, and
// normalises each vector to length 1.
func readVectors(data []byte, n int) ([][]float32, error) {
	var answer struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float64 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, fmt.Errorf("the answer of the embeddings service is invalid: %w", err)
	}

	vectors := make([][]float32, n)
	for _, item := range answer.Data {
		if item.Index < 0 || item.Index >= n || vectors[item.Index] != nil {
			return nil, fmt.Errorf("the embeddings service answered for text %d of %d, or twice for one", item.Index+1,
				n)
		}

		v, ok := unit(item.Embedding)
		if !ok {
			return nil, fmt.Errorf("the embeddings service returned an empty or zero vector for text %d", item.Index+1)
		}

		vectors[item.Index] = v
	}

	for i, v := range vectors {
		if v == nil {
			return nil, fmt.Errorf("the embeddings service returned no vector for text %d of %d", i+1, n)
		}

		if len(v) != len(vectors[0]) {
			return nil, fmt.Errorf("the embeddings service returned vectors of %d and of %d numbers", len(vectors[0]),
				len(v))
		}
	}

	return vectors, nil
}

// unit normalises a vector to length 1. ok is false for the zero vector.
func unit(v []float64) ([]float32, bool) {
	var squares float64
	for _, x := range v {
		squares += float64(x * x)
	}

	length := math.Sqrt(squares)
	if length == 0 || math.IsInf(length, 0) {
		return nil, false
	}

	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x / length)
	}

	return out, true
}
