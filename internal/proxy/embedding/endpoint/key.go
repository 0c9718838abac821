package endpoint

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// maxKey bounds a key, in bytes.
const maxKey = 64 << 10

// Key reads a key from a reference: env:NAME or file:PATH. The empty reference
// is no key. Errors name the reference and never the value.
func Key(reference string) (string, error) {
	kind, place, _ := strings.Cut(reference, ":")
	switch {
	case reference == "":
		return "", nil
	case kind == "env" && place != "":
		key := os.Getenv(place)
		if key == "" {
			return "", fmt.Errorf("the key of the embeddings service: the environment variable %s is not set: set it, or give another reference", place)
		}
		return key, nil
	case kind == "file" && place != "":
		return keyFile(place)
	}
	return "", fmt.Errorf("the key of the embeddings service is given by reference, env:NAME or file:PATH, and never by its value")
}

func keyFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("the key of the embeddings service: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxKey+1))
	if err != nil {
		return "", fmt.Errorf("the key of the embeddings service: %w", err)
	}
	key := strings.TrimSpace(string(b))
	if key == "" || len(b) > maxKey {
		return "", fmt.Errorf("the key of the embeddings service: %s is empty or larger than %d KiB", path, maxKey>>10)
	}
	return key, nil
}
