package sentence

import "math"

const (
	normEpsilon   = 1e-6
	lengthEpsilon = 1e-12
)

// forward computes the vectors of several texts, each given by its pieces, of
// which there are at most MaxPieces. The rows of all texts pass through each
// matrix together, so that the matrix is read from memory once.
func (w *weights) forward(texts [][]int32) [][]float32 {
	rows := 0
	for _, ids := range texts {
		rows += len(ids)
	}

	// The first layer is half as wide as the second. A separate matrix widens
	// the input that bypasses its attention.
	narrow := w.pieceVectors(texts, rows)
	wide := make([]float32, rows*Dimensions)
	w.widen.times(wide, narrow, w.widenBias)

	scratch := make([]float32, rows*Dimensions)
	hidden := make([]float32, rows*hiddenWidth)
	first, second := &w.layers[0], &w.layers[1]
	first.attend(scratch, narrow, texts, pieceWidth)
	add(wide, scratch)
	first.expand(hidden, wide)
	first.down.timesSparse(scratch, hidden, first.downBias)
	add(wide, scratch)
	second.attend(scratch, wide, texts, Dimensions)
	add(wide, scratch)
	second.expand(hidden, wide)

	// The vector of a text is the mean over its rows. The second layer's last
	// matrix is linear, so it is applied to the mean of its inputs, once per
	// text, and not to each row.
	means := make([]float32, len(texts)*Dimensions)
	hiddenMeans := make([]float32, len(texts)*hiddenWidth)
	row := 0
	for i, ids := range texts {
		mean(means[i*Dimensions:(i+1)*Dimensions], wide[row*Dimensions:(row+len(ids))*Dimensions])
		mean(hiddenMeans[i*hiddenWidth:(i+1)*hiddenWidth], hidden[row*hiddenWidth:(row+len(ids))*hiddenWidth])
		row += len(ids)
	}

	pooled := make([]float32, len(texts)*Dimensions)
	second.down.timesSparse(pooled, hiddenMeans, second.downBias)
	add(pooled, means)
	for i, ids := range texts {
		if len(ids) == 0 { // nothing to pool, not even a bias
			clear(pooled[i*Dimensions : (i+1)*Dimensions])
		}
	}

	out := make([]float32, len(texts)*Dimensions)
	w.last.times(out, pooled, w.lastBias)
	vectors := make([][]float32, len(texts))
	for i := range vectors {
		v := out[i*Dimensions : (i+1)*Dimensions : (i+1)*Dimensions]
		for j, x := range v {
			v[j] = float32(math.Tanh(float64(x)))
		}

		toUnitLength(v)
		vectors[i] = v
	}

	return vectors
}

// pieceVectors returns the vector of each piece: twice that of the table, plus
// the sines and cosines of its position. The factor of two is part of the
// model.
func (w *weights) pieceVectors(texts [][]int32, rows int) []float32 {
	out := make([]float32, 0, rows*pieceWidth)
	var signal [pieceWidth]float32
	for _, ids := range texts {
		for position, id := range ids {
			for i, f := range w.frequencies {
				angle := float64(float32(position) * f)
				signal[i] = float32(math.Sin(angle))
				signal[i+pieceWidth/2] = float32(math.Cos(angle))
			}

			for i, v := range w.pieces[int(id)*pieceWidth : (int(id)+1)*pieceWidth] {
				out = append(out, v+float32(v+signal[i]))
			}
		}
	}

	return out
}

// attend computes the output of the layer's attention into out, from rows of
// the given width.
func (l *layer) attend(out, in []float32, texts [][]int32, width int) {
	rows := len(in) / width
	normed := make([]float32, len(in))
	normalize(normed, in, l.normScale, l.normBias)
	qkv := make([]float32, rows*3*width)
	l.qkv.times(qkv, normed, l.qkvBias)
	mixed := normed // no longer needed
	scores := make([]float32, MaxPieces)
	row := 0
	for _, ids := range texts {
		l.mix(mixed[row*width:(row+len(ids))*width], qkv[row*3*width:(row+len(ids))*3*width], scores[:len(ids)], width)
		row += len(ids)
	}

	l.out.times(out, mixed, l.outBias)
}

// mix computes the attention of one text. A row of qkv holds queries, keys and
// values, each of the given width, divided among the heads.
func (l *layer) mix(out, qkv, scores []float32, width int) {
	size := width / heads
	for h := range heads {
		for r := range scores {
			query := qkv[r*3*width+h*size:][:size]
			for k := range scores {
				key := qkv[k*3*width+width+h*size:][:size]
				scores[k] = dot(query, key) * l.queryScale
			}

			softmax(scores)
			to := out[r*width+h*size:][:size]
			clear(to)
			for k, s := range scores {
				for i, v := range qkv[k*3*width+2*width+h*size:][:size] {
					to[i] += float32(s * v)
				}
			}
		}
	}
}

// expand computes the hidden activations of the layer's feed-forward part.
func (l *layer) expand(hidden, in []float32) {
	normed := make([]float32, len(in))
	normalize(normed, in, l.ffnNormScale, l.ffnNormBias)
	l.up.times(hidden, normed, l.upBias)
	for i, v := range hidden {
		hidden[i] = max(v, 0)
	}
}

// normalize scales each row to mean 0 and variance 1, then scales and shifts it
// by the weights.
func normalize(out, in, scale, bias []float32) {
	width := len(scale)
	for from := 0; from < len(in); from += width {
		row, to := in[from:from+width], out[from:from+width]
		var sum, squares float64
		for _, v := range row {
			sum += float64(v)
		}

		average := sum / float64(width)
		for _, v := range row {
			d := float64(v) - average
			squares += float64(d * d)
		}

		factor := 1 / math.Sqrt(squares/float64(width)+normEpsilon)
		for i, v := range row {
			to[i] = float32(float64((float64(v)-average)*factor)*float64(scale[i])) + bias[i]
		}
	}
}

func softmax(scores []float32) {
	top := scores[0]
	for _, s := range scores {
		top = max(top, s)
	}

	var sum float64
	for i, s := range scores {
		e := math.Exp(float64(s - top))
		scores[i] = float32(e)
		sum += e
	}

	for i := range scores {
		scores[i] = float32(float64(scores[i]) / sum)
	}
}

func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	for i := 0; i+3 < len(a); i += 4 { // the widths are multiples of four
		s0 += float32(a[i] * b[i])
		s1 += float32(a[i+1] * b[i+1])
		s2 += float32(a[i+2] * b[i+2])
		s3 += float32(a[i+3] * b[i+3])
	}
	return (s0 + s1) + (s2 + s3)
}

// add adds the beginning of from, which may be longer, to to.
func add(to, from []float32) {
	for i, v := range from[:len(to)] {
		to[i] += v
	}
}

// mean computes the mean of the rows, or 0 if there are none.
func mean(out, rows []float32) {
	n := len(rows) / len(out)
	for r := range n {
		add(out, rows[r*len(out):(r+1)*len(out)])
	}
	for i := range out {
		out[i] /= float32(max(n, 1))
	}
}

func toUnitLength(v []float32) {
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	factor := 1 / math.Sqrt(max(squares, lengthEpsilon))
	for i, x := range v {
		v[i] = float32(float64(x) * factor)
	}
}
