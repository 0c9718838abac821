package sentence

import (
	"encoding/binary"
	"math"
)

// panelWidth is the number of columns that the multiplication computes at a time.
const panelWidth = 8

// A panel holds panelWidth columns of a matrix, row after row.
type panel [][panelWidth]float32

// A matrix is stored as panels, in the order in which the multiplication reads
// it. The number of columns is a multiple of panelWidth.
type matrix struct {
	rows   int
	panels []panel
}

func (m matrix) columns() int { return len(m.panels) * panelWidth }

// newMatrix reads rows x columns little-endian numbers, row after row.
func newMatrix(rows, columns int, values []byte) matrix {
	m := matrix{rows: rows, panels: make([]panel, columns/panelWidth)}
	all := make(panel, rows*len(m.panels))
	for i := range m.panels {
		m.panels[i] = all[i*rows : (i+1)*rows]
	}

	for r := range rows {
		row := values[4*r*columns : 4*(r+1)*columns]
		for _, p := range m.panels {
			part := (*[4 * panelWidth]byte)(row)
			row = row[4*panelWidth:]
			for j := range p[r] {
				p[r][j] = math.Float32frombits(binary.LittleEndian.Uint32(part[4*j:]))
			}
		}
	}

	return m
}

// times computes out = in * m + bias for each row of in. Each sum runs over the
// rows of m in ascending order, so that it does not depend on how many rows or
// columns are computed at a time.
func (m matrix) times(out, in, bias []float32) {
	n := len(in) / m.rows
	columns := m.columns()
	for i := 0; i < len(m.panels); i += wide {
		panels := m.panels[i:min(i+wide, len(m.panels))]
		from := i * panelWidth
		width := len(panels) * panelWidth
		for r := range n {
			o := out[r*columns+from:][:width]
			multiply(o, in[r*m.rows:(r+1)*m.rows], panels)
			add(o, bias[from:])
		}
	}
}

// timesSparse computes the same as times, but skips the rows of m that meet a
// zero in in. The activations after a rectifier are mostly zero.
func (m matrix) timesSparse(out, in, bias []float32) {
	n := len(in) / m.rows
	columns := m.columns()
	places := make([]int32, 0, m.rows)
	values := make([]float32, 0, m.rows)
	for r := range n {
		places, values = places[:0], values[:0]
		for k, v := range in[r*m.rows : (r+1)*m.rows] {
			if v != 0 {
				places, values = append(places, int32(k)), append(values, v)
			}
		}

		o := out[r*columns : (r+1)*columns]
		for i, p := range m.panels {
			multiplySparse((*[panelWidth]float32)(o[i*panelWidth:]), places, values, p)
		}

		add(o, bias)
	}
}

// wide is how many panels the multiplication computes at a time.
const wide = 4

// multiplyPanel computes out = x * p. The conversions keep the compiler from
// fusing a product and a sum, which would round differently from one processor
// to another.
func multiplyPanel(out *[panelWidth]float32, x []float32, p panel) {
	var a0, a1, a2, a3, a4, a5, a6, a7 float32
	p = p[:len(x)]
	for k, v := range x {
		w := &p[k]
		a0 += float32(v * w[0])
		a1 += float32(v * w[1])
		a2 += float32(v * w[2])
		a3 += float32(v * w[3])
		a4 += float32(v * w[4])
		a5 += float32(v * w[5])
		a6 += float32(v * w[6])
		a7 += float32(v * w[7])
	}

	*out = [panelWidth]float32{a0, a1, a2, a3, a4, a5, a6, a7}
}

// multiplySparse is multiplyPanel for an x that is zero except at places.
func multiplySparse(out *[panelWidth]float32, places []int32, values []float32, p panel) {
	var a0, a1, a2, a3, a4, a5, a6, a7 float32
	values = values[:len(places)]
	for k, place := range places {
		v, w := values[k], &p[place]
		a0 += float32(v * w[0])
		a1 += float32(v * w[1])
		a2 += float32(v * w[2])
		a3 += float32(v * w[3])
		a4 += float32(v * w[4])
		a5 += float32(v * w[5])
		a6 += float32(v * w[6])
		a7 += float32(v * w[7])
	}

	*out = [panelWidth]float32{a0, a1, a2, a3, a4, a5, a6, a7}
}
