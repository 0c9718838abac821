package sentence

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
)

// Sizes of the model.
const (
	// Dimensions is the length of a vector.
	Dimensions = 512
	// MaxPieces is the number of word pieces after which a text is truncated.
	MaxPieces = 128

	pieceWidth  = 256 // of the vector of a word piece, and of the first layer's attention
	hiddenWidth = 1536
	heads       = 4
	embeddings  = 8002 // rows of the table of word pieces
)

// tensor is one entry of the manifest of a TensorFlow.js graph model. The files
// that the manifest names hold the numbers of all tensors, one after the other,
// little-endian, without padding.
type tensor struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"`
	DType string `json:"dtype"`
}

// manifest is the part of model.json that locates the weights.
type manifest struct {
	Weights []struct {
		Paths   []string `json:"paths"`
		Weights []tensor `json:"weights"`
	} `json:"weightsManifest"`
}

// readManifest returns the tensors of a model.json. It refuses a model with
// more than one group of files, because this model has one.
func readManifest(model []byte) ([]tensor, error) {
	var m manifest
	if err := json.Unmarshal(model, &m); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	if len(m.Weights) != 1 {
		return nil, fmt.Errorf("model: %d groups of weights, want 1", len(m.Weights))
	}
	return m.Weights[0].Weights, nil
}

// size is the number of numbers of a tensor, each of four bytes. It returns an
// error if the tensor does not fit into data of the given length.
func (t tensor) size(length int) (int, error) {
	if t.DType != "float32" && t.DType != "int32" {
		return 0, fmt.Errorf("tensor %q has the type %q, want float32 or int32", t.Name, t.DType)
	}

	n := 1
	for _, d := range t.Shape {
		if d < 0 || (d > 0 && n > length/4/d) {
			return 0, fmt.Errorf("tensor %q of shape %v does not fit into the weights", t.Name, t.Shape)
		}

		n *= d
	}

	if n > length/4 {
		return 0, fmt.Errorf("tensor %q of shape %v does not fit into the weights", t.Name, t.Shape)
	}

	return n, nil
}

// layer holds the weights of one layer of the transformer.
type layer struct {
	normScale, normBias       []float32
	qkv                       matrix
	qkvBias                   []float32
	out                       matrix
	outBias                   []float32
	ffnNormScale, ffnNormBias []float32
	up                        matrix
	upBias                    []float32
	down                      matrix
	downBias                  []float32
	queryScale                float32
}

type weights struct {
	pieces      []float32 // embeddings x pieceWidth
	frequencies []float32 // of the position's sines, pieceWidth/2
	widen       matrix    // from the first layer's width to the second's
	widenBias   []float32
	layers      [2]layer
	last        matrix
	lastBias    []float32
}

// tensors finds tensors by name in the bytes of all weights.
type tensors struct {
	bytes map[string][]byte
	err   error // the first problem
}

func newTensors(list []tensor, data []byte) (*tensors, error) {
	ts := &tensors{bytes: make(map[string][]byte, len(list))}
	rest := data
	for _, t := range list {
		n, err := t.size(len(rest))
		if err != nil {
			return nil, err
		}

		if t.DType == "float32" {
			ts.bytes[t.Name] = rest[:4*n]
		}

		rest = rest[4*n:]
	}

	if len(rest) != 0 {
		return nil, fmt.Errorf("weights: %d bytes beyond the last tensor", len(rest))
	}

	return ts, nil
}

// find returns the bytes of a tensor of n numbers. After a problem it returns
// nil, and err holds the problem.
func (ts *tensors) find(name string, n int) []byte {
	b, ok := ts.bytes[name]
	switch {
	case ts.err != nil:
		return nil
	case !ok:
		ts.err = fmt.Errorf("weights: there is no tensor %q", name)
		return nil
	case len(b) != 4*n:
		ts.err = fmt.Errorf("weights: tensor %q has %d numbers, want %d", name, len(b)/4, n)
		return nil
	}

	return b
}

func (ts *tensors) vector(name string, n int) []float32 {
	b := ts.find(name, n)
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}

func (ts *tensors) matrix(name string, rows, columns int) matrix {
	b := ts.find(name, rows*columns)
	if b == nil {
		return matrix{}
	}
	return newMatrix(rows, columns, b)
}

// newWeights reads the weights of the encoder by the names that they have in
// its graph.
func newWeights(model, data []byte) (*weights, error) {
	list, err := readManifest(model)
	if err != nil {
		return nil, err
	}

	ts, err := newTensors(list, data)
	if err != nil {
		return nil, err
	}

	const (
		variables = "module/Encoder_en/"
		folded    = "module_apply_default/Encoder_en/KonaTransformer/Encode/"
		joined    = "/ConcatPartitions/concat"
	)
	w := &weights{
		pieces: ts.vector("module/Embeddings_en", embeddings*pieceWidth),
		frequencies: ts.vector(folded+"TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1",
			pieceWidth/2),
		widen:     ts.matrix(folded+"Layer_0/TransformerLayer/dense/kernel"+joined, pieceWidth, Dimensions),
		widenBias: ts.vector(folded+"Layer_0/TransformerLayer/dense/bias"+joined, Dimensions),
		last:      ts.matrix(variables+"hidden_layers/tanh_layer_0/weights", Dimensions, Dimensions),
		lastBias:  ts.vector(variables+"hidden_layers/tanh_layer_0/bias", Dimensions),
	}
	for i, width := range [2]int{pieceWidth, Dimensions} {
		constant := fmt.Sprintf("%sLayer_%d/TransformerLayer/", folded, i)
		variable := fmt.Sprintf("%sKonaTransformer/Encode/Layer_%d/TransformerLayer/MultiheadAttention/", variables, i)
		stack := fmt.Sprintf("%sTransformerStack/Layer_%d/TransformerLayer/", folded, i)
		l := &w.layers[i]
		norm := constant + "layer_prepostprocess/layer_norm/layer_norm_"
		l.normScale, l.normBias = ts.vector(norm+"scale"+joined, width), ts.vector(norm+"bias"+joined, width)
		l.qkv = ts.matrix(variable+"qkv_transform_single/kernel/part_0", width, 3*width)
		l.qkvBias = ts.vector(constant+"MultiheadAttention/qkv_transform_single/bias"+joined, 3*width)
		l.out = ts.matrix(variable+"output_transform_single/kernel/part_0", width, Dimensions)
		l.outBias = ts.vector(constant+"MultiheadAttention/output_transform_single/bias"+joined, Dimensions)
		norm = constant + "FFN/layer_prepostprocess/layer_norm/layer_norm_"
		l.ffnNormScale, l.ffnNormBias = ts.vector(norm+"scale"+joined, Dimensions),
			ts.vector(norm+"bias"+joined, Dimensions)
		l.up = ts.matrix(stack+"FFN/conv1/Tensordot/Reshape_1", Dimensions, hiddenWidth)
		l.upBias = ts.vector(constant+"FFN/conv1/bias"+joined, hiddenWidth)
		l.down = ts.matrix(stack+"FFN/conv2/Tensordot/Reshape_1", hiddenWidth, Dimensions)
		l.downBias = ts.vector(constant+"FFN/conv2/bias"+joined, Dimensions)
		if scale := ts.vector(stack+"MultiheadAttention/mul/y", 1); len(scale) == 1 {
			l.queryScale = scale[0]
		}
	}

	return w, ts.err
}
