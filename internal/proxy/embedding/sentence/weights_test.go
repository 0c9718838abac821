package sentence

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

func contextThatEnds(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}

func TestNewRefuses(t *testing.T) {
	model, data := randomModel()
	vocabulary := []byte(smallVocabulary)
	big := []byte("[" + strings.Repeat(`["a",0],`, embeddings) + `["a",0]]`)
	for _, c := range []struct {
		name                    string
		model, data, vocabulary []byte
		want                    string
	}{
		{"no JSON", []byte("{"), data, vocabulary, "model: "},
		{"two groups", []byte(`{"weightsManifest":[{},{}]}`), data, vocabulary, "2 groups"},
		{"no tensors", []byte(`{"weightsManifest":[{}]}`), nil, vocabulary, "there is no tensor"},
		{"cut off", model, data[:len(data)-4], vocabulary, "does not fit"},
		{"too long", model, append(bytes.Clone(data), 0), vocabulary, "1 bytes beyond"},
		{"wrong type", bytes.Replace(model, []byte("float32"), []byte("float16"), 1), data, vocabulary, `"float16"`},
		{"another name", bytes.Replace(model, []byte("Embeddings_en"), []byte("Embeddings_de"), 1), data, vocabulary, "Embeddings_en"},
		{"another shape", bytes.Replace(model, []byte("[8002,256]"), []byte("[8002,128,2,0]"), 1), nil, vocabulary, "does not fit"},
		{"negative shape", bytes.Replace(model, []byte("[8002,256]"), []byte("[-1,256]"), 1), data, vocabulary, "does not fit"},
		{"huge shape", bytes.Replace(model, []byte("[8002,256]"), []byte("[4611686018427387904,4]"), 1), data, vocabulary, "does not fit"},
		{"vocabulary", model, data, []byte("[]"), "vocabulary: 0 entries"},
		{"too many pieces", model, data, big, "8003 pieces"},
	} {
		_, err := New(c.model, c.data, c.vocabulary, "")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}

func FuzzNewWeights(f *testing.F) {
	f.Add([]byte(`{"weightsManifest":[{"paths":["a"],"weights":[{"name":"module/Embeddings_en","shape":[2,3],"dtype":"float32"}]}]}`), make([]byte, 24))
	f.Add([]byte(`{"weightsManifest":[{"weights":[{"shape":[4611686018427387904,4],"dtype":"int32"}]}]}`), []byte{})
	f.Fuzz(func(t *testing.T, model, data []byte) {
		if len(data) > 1<<20 {
			return // too small for the real shape anyway
		}
		if _, err := newWeights(model, data); err == nil {
			t.Fatal("a model was read from too few bytes")
		}
	})
}
