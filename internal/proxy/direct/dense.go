package direct

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"time"
)

// Embeddings is a service that turns texts into vectors, by the request and
// the answer of POST /v1/embeddings as OpenAI made them and many speak them.
type Embeddings struct {
	// URL is the address before /embeddings, such as https://host/v1.
	URL   string
	Model string
	Key   string // sent as a bearer token; may be empty
}

const (
	embedBatch   = 64 // texts in one request
	embedTimeout = 60 * time.Second
	maxEmbedBody = 256 << 20
	embedTries   = 3
)

// dense ranks tools by the cosine of the angle between the query's vector and
// theirs.
type dense struct {
	service Embeddings
	client  *http.Client
	tools   []tool
	vectors [][]float64 // of length 1
}

// newDense embeds all tools: name and description, as one text.
func newDense(ctx context.Context, service Embeddings, tools []tool) (*dense, error) {
	if service.URL == "" || service.Model == "" {
		return nil, errors.New("ranking by embeddings needs the address of a service and a model: give --embeddings-url and --embeddings-model")
	}
	d := &dense{service: service, client: &http.Client{Timeout: embedTimeout}, tools: tools}
	texts := make([]string, len(tools))
	for i, t := range tools {
		texts[i] = t.name + ": " + t.description
	}
	for from := 0; from < len(texts); from += embedBatch {
		vectors, err := d.embed(ctx, texts[from:min(from+embedBatch, len(texts))])
		if err != nil {
			return nil, err
		}
		d.vectors = append(d.vectors, vectors...)
	}
	return d, nil
}

func (d *dense) rank(ctx context.Context, query string) ([]ranked, error) {
	vectors, err := d.embed(ctx, []string{query})
	if err != nil {
		return nil, err
	}
	list := make([]ranked, len(d.tools))
	for i, v := range d.vectors {
		if len(v) != len(vectors[0]) {
			return nil, fmt.Errorf("the embeddings service gave a vector of %d numbers for the query and of %d for a tool", len(vectors[0]), len(v))
		}
		list[i] = ranked{i, dot(v, vectors[0])}
	}
	byScore(list, d.tools)
	return list, nil
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

// embed asks the service, again when it is overloaded or out of reach.
func (d *dense) embed(ctx context.Context, texts []string) (vectors [][]float64, err error) {
	for try := 1; ; try++ {
		var again bool
		vectors, again, err = d.ask(ctx, texts)
		if err == nil || !again || try == embedTries {
			return vectors, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Duration(try) * time.Second):
		}
	}
}

// ask makes one request. again says that the next may go better.
func (d *dense) ask(ctx context.Context, texts []string) (vectors [][]float64, again bool, err error) {
	body, err := json.Marshal(map[string]any{"model": d.service.Model, "input": texts, "encoding_format": "float"})
	if err != nil {
		return nil, false, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(d.service.URL, "/")+"/embeddings", bytes.NewReader(body))
	if err != nil {
		return nil, false, fmt.Errorf("the address of the embeddings service: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if d.service.Key != "" {
		req.Header.Set("Authorization", "Bearer "+d.service.Key)
	}
	resp, err := d.client.Do(req)
	if err != nil {
		return nil, true, fmt.Errorf("ask the embeddings service: %w: check its address, and that the network is open to it", err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxEmbedBody))
	if err != nil {
		return nil, true, fmt.Errorf("read the answer of the embeddings service: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		again := resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500
		return nil, again, fmt.Errorf("the embeddings service answered status %d: %q", resp.StatusCode, data[:min(len(data), 200)])
	}
	vectors, err = readVectors(data, len(texts))
	return vectors, false, err
}

// readVectors reads an answer for n texts, in the order of the texts, and
// brings each vector to length 1.
func readVectors(data []byte, n int) ([][]float64, error) {
	var answer struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float64 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, fmt.Errorf("the answer of the embeddings service is not what it should be: %w", err)
	}
	vectors := make([][]float64, n)
	for _, item := range answer.Data {
		if item.Index < 0 || item.Index >= n || vectors[item.Index] != nil {
			return nil, fmt.Errorf("the embeddings service answered for text %d of %d, or twice for one", item.Index+1, n)
		}
		length := math.Sqrt(dot(item.Embedding, item.Embedding))
		if length == 0 || math.IsInf(length, 0) {
			return nil, fmt.Errorf("the embeddings service gave a vector for text %d that has no direction", item.Index+1)
		}
		for i := range item.Embedding {
			item.Embedding[i] /= length
		}
		vectors[item.Index] = item.Embedding
	}
	for i, v := range vectors {
		if v == nil {
			return nil, fmt.Errorf("the embeddings service gave no vector for text %d of %d", i+1, n)
		}
	}
	return vectors, nil
}
