package sentence

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// randomModel is a model of the real shape with random weights: its manifest and
// its weights.
var randomModel = sync.OnceValues(func() (model, data []byte) {
	r := rand.New(rand.NewPCG(5, 5))
	var list []tensor
	put := func(name string, scale float64, shape ...int) {
		n := 1
		for _, d := range shape {
			n *= d
		}
		for range n {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32((r.Float64()-0.5)*scale)))
		}
		list = append(list, tensor{Name: name, Shape: shape, DType: "float32"})
	}
	const (
		variables = "module/Encoder_en/"
		folded    = "module_apply_default/Encoder_en/KonaTransformer/Encode/"
		joined    = "/ConcatPartitions/concat"
	)
	put("module/Embeddings_en", 1, embeddings, pieceWidth)
	put(folded+"TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1", 1, 1, pieceWidth/2)
	put(folded+"Layer_0/TransformerLayer/dense/kernel"+joined, 0.1, pieceWidth, Dimensions)
	put(folded+"Layer_0/TransformerLayer/dense/bias"+joined, 0.1, Dimensions)
	put(variables+"hidden_layers/tanh_layer_0/weights", 0.1, Dimensions, Dimensions)
	put(variables+"hidden_layers/tanh_layer_0/bias", 0.1, Dimensions)
	for i, width := range [2]int{pieceWidth, Dimensions} {
		constant := fmt.Sprintf("%sLayer_%d/TransformerLayer/", folded, i)
		variable := fmt.Sprintf("%sKonaTransformer/Encode/Layer_%d/TransformerLayer/MultiheadAttention/", variables, i)
		stack := fmt.Sprintf("%sTransformerStack/Layer_%d/TransformerLayer/", folded, i)
		put(constant+"layer_prepostprocess/layer_norm/layer_norm_scale"+joined, 2, width)
		put(constant+"layer_prepostprocess/layer_norm/layer_norm_bias"+joined, 1, width)
		put(variable+"qkv_transform_single/kernel/part_0", 0.3, 1, 1, width, 3*width)
		put(constant+"MultiheadAttention/qkv_transform_single/bias"+joined, 0.3, 3*width)
		put(variable+"output_transform_single/kernel/part_0", 0.1, 1, 1, width, Dimensions)
		put(constant+"MultiheadAttention/output_transform_single/bias"+joined, 0.1, Dimensions)
		put(constant+"FFN/layer_prepostprocess/layer_norm/layer_norm_scale"+joined, 2, Dimensions)
		put(constant+"FFN/layer_prepostprocess/layer_norm/layer_norm_bias"+joined, 1, Dimensions)
		put(stack+"FFN/conv1/Tensordot/Reshape_1", 0.1, Dimensions, hiddenWidth)
		put(constant+"FFN/conv1/bias"+joined, 0.5, hiddenWidth)
		put(stack+"FFN/conv2/Tensordot/Reshape_1", 0.1, hiddenWidth, Dimensions)
		put(constant+"FFN/conv2/bias"+joined, 0.1, Dimensions)
		put(stack+"MultiheadAttention/mul/y", 0.5)
	}
	var m manifest
	m.Weights = append(m.Weights, struct {
		Paths   []string `json:"paths"`
		Weights []tensor `json:"weights"`
	}{[]string{"weights"}, list})
	model, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return model, data
})

func randomEncoder(t testing.TB) *Encoder {
	t.Helper()
	model, data := randomModel()
	e, err := New(model, data, []byte(smallVocabulary), "random")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// plain computes the vector of a text by the definition of the model, step by
// step in float64, from the bytes of the weights. It shares no code with
// forward.
type plain struct{ tensors map[string][]float64 }

func newPlain(model, data []byte) plain {
	list, _ := readManifest(model)
	p := plain{map[string][]float64{}}
	for _, t := range list {
		n := 1
		for _, d := range t.Shape {
			n *= d
		}
		v := make([]float64, n)
		for i := range v {
			v[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
		}
		data = data[4*n:]
		p.tensors[t.Name] = v
	}
	return p
}

// find returns the only tensor whose name has all parts.
func (p plain) find(parts ...string) []float64 {
	var found [][]float64
	for name, v := range p.tensors {
		if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(name, part) }) {
			found = append(found, v)
		}
	}
	if len(found) != 1 {
		panic(fmt.Sprint(len(found), " tensors with ", parts))
	}
	return found[0]
}

func affine(x, w, b []float64) []float64 {
	out := slices.Clone(b)
	for i, v := range x {
		for j := range out {
			out[j] += v * w[i*len(b)+j]
		}
	}
	return out
}

func plus(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] + b[i]
	}
	return out
}

func layerNorm(x, scale, bias []float64) []float64 {
	var average, variance float64
	for _, v := range x {
		average += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - average) * (v - average) / float64(len(x))
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = (v-average)/math.Sqrt(variance+normEpsilon)*scale[i] + bias[i]
	}
	return out
}

func (p plain) vector(ids []int32) []float64 {
	table, frequencies := p.find("Embeddings_en"), p.find("TimingSignal")
	var rows, residual [][]float64
	for position, id := range ids {
		row := make([]float64, pieceWidth)
		for i := range row {
			angle := float64(position) * frequencies[i%(pieceWidth/2)]
			signal := math.Sin(angle)
			if i >= pieceWidth/2 {
				signal = math.Cos(angle)
			}
			row[i] = 2*table[int(id)*pieceWidth+i] + signal
		}
		rows = append(rows, row)
		residual = append(residual, affine(row, p.find("dense/kernel"), p.find("dense/bias")))
	}
	for i := range 2 {
		layer := fmt.Sprintf("Layer_%d/", i)
		in := rows
		if i == 1 {
			residual = rows
		}
		rows = p.attention(layer, in, len(in[0]))
		for r := range rows {
			rows[r] = plus(rows[r], residual[r])
			x := layerNorm(rows[r], p.find(layer, "FFN/", "norm_scale"), p.find(layer, "FFN/", "norm_bias"))
			h := affine(x, p.find(layer, "conv1/Tensordot"), p.find(layer, "conv1/bias"))
			for j := range h {
				h[j] = math.Max(h[j], 0)
			}
			rows[r] = plus(rows[r], affine(h, p.find(layer, "conv2/Tensordot"), p.find(layer, "conv2/bias")))
		}
	}
	pooled := make([]float64, Dimensions)
	for _, row := range rows {
		for j, v := range row {
			pooled[j] += v / float64(len(rows))
		}
	}
	out := affine(pooled, p.find("tanh_layer_0/weights"), p.find("tanh_layer_0/bias"))
	var squares float64
	for j := range out {
		out[j] = math.Tanh(out[j])
		squares += out[j] * out[j]
	}
	for j := range out {
		out[j] /= math.Sqrt(squares)
	}
	return out
}

func (p plain) attention(layer string, in [][]float64, width int) [][]float64 {
	var qkv [][]float64
	for _, row := range in {
		// The names of the first norm's tensors are part of those of the second.
		prefix := "Encode/" + layer + "TransformerLayer/layer_prepostprocess"
		x := layerNorm(row, p.find(prefix, "norm_scale"), p.find(prefix, "norm_bias"))
		qkv = append(qkv, affine(x, p.find(layer, "qkv_transform_single/kernel"), p.find(layer, "qkv_transform_single/bias")))
	}
	scale, size := p.find(layer, "mul/y")[0], width/heads
	var out [][]float64
	for r := range in {
		mixed := make([]float64, width)
		for h := range heads {
			var total float64
			weights := make([]float64, len(in))
			for k := range in {
				var product float64
				for j := h * size; j < (h+1)*size; j++ {
					product += qkv[r][j] * scale * qkv[k][width+j]
				}
				weights[k] = math.Exp(product)
				total += weights[k]
			}
			for k := range in {
				for j := h * size; j < (h+1)*size; j++ {
					mixed[j] += weights[k] / total * qkv[k][2*width+j]
				}
			}
		}
		out = append(out, affine(mixed, p.find(layer, "output_transform_single/kernel"), p.find(layer, "output_transform_single/bias")))
	}
	return out
}

func TestForward(t *testing.T) {
	e, p := randomEncoder(t), newPlain(randomModel())
	for _, ids := range [][]int32{{7}, {8001, 0, 3}, {5, 5, 5, 90, 1234, 7999, 12}} {
		got, want := e.weights.forward([][]int32{ids})[0], p.vector(ids)
		for i := range want {
			if math.Abs(float64(got[i])-want[i]) > 1e-5 {
				t.Fatalf("pieces %v: number %d is %g, want %g", ids, i, got[i], want[i])
			}
		}
	}
}

// A vector is the same to the last bit, whatever other texts are computed with
// it and on however many processors.
func TestEmbedIsDeterministic(t *testing.T) {
	e := randomEncoder(t)
	texts := []string{"", "a", "ab ab ab", strings.Repeat("abc ", 20), "", "bc", strings.Repeat("b", 500), "a a a a", "é"}
	together, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	again, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		alone, err := e.Embed(t.Context(), []string{text})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(alone[0], together[i]) || !slices.Equal(again[i], together[i]) {
			t.Errorf("the vector of %.20q differs from call to call", text)
		}
		var squares float64
		for _, v := range together[i] {
			squares += float64(v) * float64(v)
		}
		if len(together[i]) != Dimensions || math.Abs(squares-1) > 1e-5 {
			t.Errorf("the vector of %.20q has %d dimensions and the squared length %g", text, len(together[i]), squares)
		}
	}
	if slices.Equal(together[1], together[2]) {
		t.Error("two texts have one vector")
	}
}

// Text after the last piece that is read has no effect.
func TestEmbedCutsOff(t *testing.T) {
	e := randomEncoder(t)
	long := strings.Repeat("b", MaxPieces-1) // and one piece before the first word
	v, err := e.Embed(t.Context(), []string{long, long + "a", long[1:] + "a"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(v[0], v[1]) {
		t.Error("a piece after the last one changes the vector")
	}
	if slices.Equal(v[0], v[2]) {
		t.Error("the last piece that is read does not change the vector")
	}
}

func TestEmbedStops(t *testing.T) {
	e := randomEncoder(t)
	ctx, cancel := contextThatEnds(t)
	cancel()
	if v, err := e.Embed(ctx, []string{"a"}); err == nil || v != nil {
		t.Errorf("Embed in an ended context gave %v, %v", v, err)
	}
	if v, err := e.Embed(t.Context(), nil); err != nil || len(v) != 0 {
		t.Errorf("Embed of no text gave %v, %v", v, err)
	}
}
