package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// A record file is a header with the fields that a lookup needs, so that a hit
// parses no JSON, and a JSON body with the rest. Integers are little-endian,
// times are nanoseconds since 1970, and a time of 0 means none.
//
//	"TSR1"
//	u32 length of the header, from the magic to its checksum
//	u32 length of the body
//	32  SHA-256 of the body
//	32  key
//	i64 written, i64 expires, i64 duration
//	32  stdout, 32 stderr
//	u16 number of outputs; each:
//	    u16 length and bytes of the name, u16 and bytes of the path,
//	    32 digest, i64 size, u32 mode, u8 1 for a directory
//	32  reads, or nothing
//	32  SHA-256 of the header up to here
//	body
const (
	recordMagic     = "TSR1"
	recordFixedSize = 4 + 4 + 4 + 32 + 32 + 3*8 + 2*32 + 2
	recordSumSize   = 32
)

// recordBody holds the fields that are not in the header.
type recordBody struct {
	Stage      string          `json:"stage"`
	Instance   string          `json:"instance,omitempty"`
	Started    time.Time       `json:"started"`
	PeakMemory int64           `json:"peak_memory_bytes"`
	Attempts   int             `json:"attempts"`
	Executor   string          `json:"executor"`
	Isolation  []string        `json:"isolation,omitempty"`
	Components []componentJSON `json:"components"`
}

type componentJSON struct {
	Name   string `json:"name"`
	Digest Digest `json:"digest"`
	Value  string `json:"value,omitempty"`
}

// recordHeader holds the fields that a lookup needs.
type recordHeader struct {
	key            Key
	written        time.Time
	expires        time.Time
	duration       time.Duration
	stdout, stderr Digest
	reads          Digest
	outputs        []RecordOutput
	// origin is the text of the record's Origin, or empty. It is not a part of the
	// record's own file.
	origin string
	// remote is content that the store may lack, and its source has. It is not a part
	// of the record's own file either.
	remote []SizedDigest
}

func encodeRecord(r *Record, written time.Time) ([]byte, error) {
	body := recordBody{
		Stage: r.Stage, Instance: r.Instance, Started: r.Started, PeakMemory: r.PeakMemory,
		Attempts: r.Attempts, Executor: r.Executor, Isolation: r.Isolation,
		Components: make([]componentJSON, len(r.Components)),
	}
	for i, c := range r.Components {
		body.Components[i] = componentJSON(c)
	}

	js, err := json.Marshal(&body)
	if err != nil {
		return nil, fmt.Errorf("record of %s: %w", r.label(), err)
	}

	if len(js) > maxRecordBody {
		return nil, fmt.Errorf("record of %s: its description has %d bytes, at most %d are possible", r.label(),
			len(js), maxRecordBody)
	}

	le := binary.LittleEndian
	b := make([]byte, 0, recordFixedSize+len(r.Outputs)*128+recordSumSize+len(js))
	b = append(b, recordMagic...)
	b = le.AppendUint32(b, 0) // set below
	b = le.AppendUint32(b, uint32(len(js)))
	sum := sha256.Sum256(js)
	b = append(b, sum[:]...)
	h := recordHeader{
		key: r.Key, written: written, expires: r.Expires, duration: r.Duration,
		stdout: r.Stdout, stderr: r.Stderr, outputs: r.Outputs, reads: r.Reads,
	}
	b = h.append(b)
	le.PutUint32(b[4:], uint32(len(b)+recordSumSize))
	sum = sha256.Sum256(b)
	b = append(b, sum[:]...)
	return append(b, js...), nil
}

// append writes the fields of a header, from the key to the last output.
func (h *recordHeader) append(b []byte) []byte {
	le := binary.LittleEndian
	b = append(b, h.key[:]...)
	b = le.AppendUint64(b, uint64(unixNano(h.written)))
	b = le.AppendUint64(b, uint64(unixNano(h.expires)))
	b = le.AppendUint64(b, uint64(h.duration))
	b = append(b, h.stdout[:]...)
	b = append(b, h.stderr[:]...)
	b = le.AppendUint16(b, uint16(len(h.outputs)))
	for i := range h.outputs {
		o := &h.outputs[i]
		b = le.AppendUint16(b, uint16(len(o.Name)))
		b = append(b, o.Name...)
		b = le.AppendUint16(b, uint16(len(o.Path)))
		b = append(b, o.Path...)
		b = append(b, o.Digest[:]...)
		b = le.AppendUint64(b, uint64(o.Size))
		b = le.AppendUint32(b, uint32(o.Mode))
		if o.Dir {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	}

	if !h.reads.IsZero() {
		b = append(b, h.reads[:]...)
	}

	return b
}

func unixNano(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromUnixNano(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

var errShortRecord = errors.New("the file is cut off")

// decodeRecordHeader verifies a whole record file and decodes its header. It
// verifies the digest of the body but does not parse it.
func decodeRecordHeader(b []byte) (h recordHeader, body []byte, err error) {
	f, err := splitForeign(b)
	if err != nil {
		return h, nil, err
	}

	b, h.origin, h.remote = f.record, f.origin, f.remote
	le := binary.LittleEndian
	if len(b) < recordFixedSize+recordSumSize {
		return h, nil, errShortRecord
	}

	if string(b[:4]) != recordMagic {
		return h, nil, errors.New("wrong magic")
	}

	headLen, bodyLen := uint64(le.Uint32(b[4:])), uint64(le.Uint32(b[8:]))
	switch {
	case headLen < recordFixedSize+recordSumSize || headLen > uint64(len(b)):
		return h, nil, errShortRecord
	case headLen+bodyLen != uint64(len(b)):
		return h, nil, fmt.Errorf("it has %d bytes, but should have %d according to its header", len(b), headLen+
			bodyLen)
	}

	head := b[:headLen-recordSumSize]
	if sha256.Sum256(head) != [32]byte(b[headLen-recordSumSize:headLen]) {
		return h, nil, errors.New("the header does not match its checksum")
	}

	body = b[headLen:]
	if sha256.Sum256(body) != [32]byte(b[12:44]) {
		return h, nil, errors.New("the body does not match its checksum")
	}

	var d headerDecoder
	err = d.decode(head[44:], &h)
	return h, body, err
}

// headerDecoder decodes the fields of headers. Headers that one decoder decodes
// share the memory of their outputs and equal names.
type headerDecoder struct {
	spare []RecordOutput // unused memory for outputs
	names [8]string      // recently read names and paths
	next  int
}

// decode reads what recordHeader.append has written.
func (d *headerDecoder) decode(fields []byte, h *recordHeader) error {
	c := cursor{b: fields}
	c.copy(h.key[:])
	h.written = fromUnixNano(int64(c.u64()))
	h.expires = fromUnixNano(int64(c.u64()))
	h.duration = time.Duration(c.u64())
	c.copy(h.stdout[:])
	c.copy(h.stderr[:])
	n := int(c.u16())
	// The smallest output has 49 bytes: a false count cannot cause an
	// allocation larger than the file justifies.
	if n*49 > len(c.b) {
		return errShortRecord
	}

	if n <= len(d.spare) {
		h.outputs, d.spare = d.spare[:n:n], d.spare[n:]
	} else {
		h.outputs = make([]RecordOutput, n)
	}

	for i := range h.outputs {
		o := &h.outputs[i]
		o.Name = d.name(c.take(int(c.u16())))
		o.Path = d.name(c.take(int(c.u16())))
		c.copy(o.Digest[:])
		o.Size = int64(c.u64())
		o.Mode = fs.FileMode(c.u32())
		switch c.u8() {
		case 0:
		case 1:
			o.Dir = true
		default:
			return fmt.Errorf("output %d is neither a file nor a directory", i)
		}
	}

	if len(c.b) > 0 {
		c.copy(h.reads[:])
	}

	if c.short {
		return errShortRecord
	}

	if len(c.b) != 0 {
		return errors.New("the header has trailing bytes")
	}

	if h.key.IsZero() {
		return errors.New("the key is zero")
	}

	return validateOutputs(h.outputs)
}

// name returns the bytes as a string. It reuses the string if the same bytes were
// read recently.
func (d *headerDecoder) name(b []byte) string {
	for _, s := range d.names {
		if string(b) == s {
			return s
		}
	}
	s := string(b)
	d.names[d.next%len(d.names)] = s
	d.next++
	return s
}

// decodeRecord verifies and decodes a whole record file.
func decodeRecord(b []byte) (*Record, error) {
	h, js, err := decodeRecordHeader(b)
	if err != nil {
		return nil, err
	}

	var body recordBody
	dec := json.NewDecoder(bytes.NewReader(js))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&body); err != nil {
		return nil, fmt.Errorf("its body: %w", err)
	}

	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("its body holds more than one value")
	}

	origin, err := decodeOrigin(h.origin)
	if err != nil {
		return nil, err
	}

	r := &Record{
		Origin: origin, Key: h.key, Stage: body.Stage, Instance: body.Instance,
		Outputs: h.outputs, Stdout: h.stdout, Stderr: h.stderr, Reads: h.reads,
		Started: body.Started, Duration: h.duration, PeakMemory: body.PeakMemory,
		Attempts: body.Attempts, Executor: body.Executor, Isolation: body.Isolation,
		Expires: h.expires,
	}
	if len(body.Components) > 0 {
		r.Components = make([]Component, len(body.Components))
	}

	for i, c := range body.Components {
		r.Components[i] = Component(c)
	}

	return r, nil
}

// cursor reads fixed and length-prefixed values. Past the end it returns zeros
// and sets short.
type cursor struct {
	b     []byte
	short bool
}

func (c *cursor) take(n int) []byte {
	if n > len(c.b) {
		c.short, c.b = true, nil
		return nil
	}
	out := c.b[:n]
	c.b = c.b[n:]
	return out
}

func (c *cursor) copy(dst []byte) { copy(dst, c.take(len(dst))) }

func (c *cursor) u8() byte {
	if b := c.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) u16() uint16 {
	if b := c.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (c *cursor) u32() uint32 {
	if b := c.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) u64() uint64 {
	if b := c.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}
