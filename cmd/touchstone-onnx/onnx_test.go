package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// words are the vocabulary of the test's model, by id, and vectors theirs.
var (
	words   = []string{"[UNK]", "rain", "sun", "book", "novel"}
	vectors = [][]float32{{0, 0, 1}, {1, 0, 0}, {0.8, 0.1, 0}, {0, 1, 0}, {0.1, 0.9, 0}}
)

// message builds a protobuf message.
type message []byte

func (m message) bytes(field protowire.Number, b []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), b)
}

func (m message) text(field protowire.Number, s string) message { return m.bytes(field, []byte(s)) }

func (m message) number(field protowire.Number, n int) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), uint64(n))
}

// Numbers of ONNX: the types of elements.
const (
	typeFloat = 1
	typeInt64 = 7
)

// value is a ValueInfoProto: a tensor whose first two dimensions are the batch
// and the sequence.
func value(name string, kind int, last ...int) message {
	shape := message{}.bytes(1, message{}.text(2, "batch")).bytes(1, message{}.text(2, "sequence"))
	for _, n := range last {
		shape = shape.bytes(1, message{}.number(1, n))
	}
	tensor := message{}.number(1, kind).bytes(2, shape)
	return message{}.text(1, name).bytes(2, message{}.bytes(1, tensor))
}

// tinyONNX is a model of one step: it looks up the vector of each word. The
// program's runtime takes the mean.
func tinyONNX() []byte {
	var raw []byte
	for _, v := range vectors {
		for _, x := range v {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
		}
	}
	table := message{}.number(1, len(vectors)).number(1, len(vectors[0])).number(2, typeFloat).text(8, "table").bytes(9, raw)
	gather := message{}.text(1, "table").text(1, "input_ids").text(2, "last_hidden_state").text(3, "lookup").text(4, "Gather")
	graph := message{}.bytes(1, gather).text(2, "tiny").bytes(5, table).
		bytes(11, value("input_ids", typeInt64)).bytes(12, value("last_hidden_state", typeFloat, len(vectors[0])))
	return message{}.number(1, 8).bytes(7, graph).bytes(8, message{}.text(1, "").number(2, 14))
}

func tinyTokenizer(t *testing.T) []byte {
	ids := map[string]int{}
	for id, w := range words {
		ids[w] = id
	}
	b, err := json.Marshal(map[string]any{
		"version": "1.0", "truncation": nil, "padding": nil, "added_tokens": []any{},
		"normalizer": map[string]any{"type": "Lowercase"}, "pre_tokenizer": map[string]any{"type": "Whitespace"},
		"post_processor": nil, "decoder": nil,
		"model": map[string]any{"type": "WordLevel", "vocab": ids, "unk_token": "[UNK]"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func tinyModel(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tiny")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"model.onnx": tinyONNX(), "tokenizer.json": tinyTokenizer(t)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func serve(t *testing.T) string {
	t.Helper()
	m, err := open(tinyModel(t), "")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler(m))
	t.Cleanup(func() {
		server.Close()
		m.close()
	})
	return server.URL + "/v1/embeddings"
}

func ask(t *testing.T, url, body string) (int, answer, string) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var a answer
	if resp.StatusCode == http.StatusOK {
		if err := json.Unmarshal(b, &a); err != nil {
			t.Fatal(err)
		}
	}
	return resp.StatusCode, a, string(b)
}

// mean is what the model says of the words with the given ids.
func mean(ids ...int) []float32 {
	out := make([]float32, len(vectors[0]))
	for _, id := range ids {
		for i, x := range vectors[id] {
			out[i] += x
		}
	}
	var squares float64
	for _, x := range out {
		squares += float64(x * x)
	}
	for i := range out {
		out[i] /= float32(math.Sqrt(squares))
	}
	return out
}

func TestEmbeddings(t *testing.T) {
	url := serve(t)
	status, a, body := ask(t, url, `{"model":"any","input":["rain","Rain sun","a novel book","book rain sun novel"]}`)
	if status != http.StatusOK || len(a.Data) != 4 || !strings.HasPrefix(a.Model, "tiny sha256-") {
		t.Fatalf("status %d: %s", status, body)
	}
	for i, want := range [][]float32{mean(1), mean(1, 2), mean(0, 4, 3), mean(3, 1, 2, 4)} {
		got := a.Data[i]
		if got.Index != i || len(got.Embedding) != len(want) {
			t.Fatalf("item %d: %+v", i, got)
		}
		for j := range want {
			if math.Abs(float64(got.Embedding[j]-want[j])) > 1e-6 {
				t.Errorf("vector %d is %v, want %v", i, got.Embedding, want)
				break
			}
		}
	}
	if _, one, _ := ask(t, url, `{"input":"Rain sun"}`); len(one.Data) != 1 || one.Data[0].Embedding[0] != a.Data[1].Embedding[0] {
		t.Errorf("one text alone: %+v", one)
	}
}

func TestRefuses(t *testing.T) {
	url := serve(t)
	for body, want := range map[string]int{
		"": 400, "{": 400, `{"input":[]}`: 400, `{"input":[1]}`: 400, `{}`: 400,
		`{"input":[` + strings.Repeat(`"a",`, maxTexts) + `"a"]}`: 400,
		`{"input":"` + strings.Repeat("a", maxRequest) + `"}`:     413,
	} {
		if status, _, text := ask(t, url, body); status != want || !strings.Contains(text, `"message"`) {
			t.Errorf("%.40s: status %d, want %d: %s", body, status, want, text)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	empty := t.TempDir()
	bare, damaged := tinyModel(t), tinyModel(t)
	if err := os.Remove(filepath.Join(bare, "tokenizer.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(damaged, "model.onnx"), []byte("no model"), 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{empty: "no .onnx file", bare: "tokenizer.json", damaged: "cannot be loaded"} {
		if _, err := open(dir, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := run(context.Background(), tinyModel(t), "", "0.0.0.0:0"); err == nil || !strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("an address of other machines: %v", err)
	}
}
