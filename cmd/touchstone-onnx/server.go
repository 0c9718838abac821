package main

import (
	"encoding/json"
	"errors"
	"net/http"
)

const (
	maxRequest = 16 << 20 // bytes
	maxTexts   = 2048     // in one request
)

// request is the part of a request that counts. The model's name is ignored:
// there is one.
type request struct {
	Input texts `json:"input"`
}

// texts is one text or a list of them.
type texts []string

func (t *texts) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*t = texts{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(t))
}

type item struct {
	Object    string    `json:"object"`
	Index     int       `json:"index"`
	Embedding []float32 `json:"embedding"`
}

type answer struct {
	Object string `json:"object"`
	Model  string `json:"model"`
	Data   []item `json:"data"`
}

func handler(m *model) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/embeddings", func(w http.ResponseWriter, r *http.Request) {
		var req request
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&req)
		var large *http.MaxBytesError
		switch {
		case errors.As(err, &large):
			refuse(w, http.StatusRequestEntityTooLarge, "the request is larger than 16 MiB: send fewer texts at a time")
			return
		case err != nil:
			refuse(w, http.StatusBadRequest, "the request is not what it should be: give \"input\", a text or a "+
				"list of texts")
			return
		case len(req.Input) == 0 || len(req.Input) > maxTexts:
			refuse(w, http.StatusBadRequest, "give 1 to 2048 texts as \"input\"")
			return
		}

		vectors, err := m.embed(req.Input)
		if err != nil {
			refuse(w, http.StatusUnprocessableEntity, err.Error())
			return
		}

		a := answer{Object: "list", Model: m.identity, Data: make([]item, len(vectors))}
		for i, v := range vectors {
			a.Data[i] = item{"embedding", i, v}
		}

		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(a)
	})
	return http.NewCrossOriginProtection().Handler(mux)
}

// refuse answers with an error in the shape of OpenAI's API.
func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"message": message}})
}
