package cache

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A blob file is a header of 16 bytes and the content:
//
//	0  4  "TSB1"
//	4  1  codec: 'r' raw, 'z' one zstd frame
//	5  3  zero
//	8  8  length of the plain content, little-endian
const (
	blobMagic      = "TSB1"
	blobHeaderSize = 16

	codecRaw  = 'r'
	codecZstd = 'z'
)

// Content below minCompress bytes is stored uncompressed: it fills a disk block
// anyway, and reading it is faster.
const minCompress = 1 << 10

// Content is stored uncompressed if its first sampleSize bytes do not shrink by
// at least a sixteenth.
const sampleSize = 64 << 10

type blobHeader struct {
	codec byte
	size  int64
}

func (h blobHeader) append(b []byte) []byte {
	b = append(b, blobMagic...)
	b = append(b, h.codec, 0, 0, 0)
	return binary.LittleEndian.AppendUint64(b, uint64(h.size))
}

func parseBlobHeader(b []byte) (blobHeader, error) {
	if len(b) < blobHeaderSize {
		return blobHeader{}, errors.New("shorter than its header")
	}

	if string(b[:4]) != blobMagic {
		return blobHeader{}, errors.New("not a blob: wrong magic")
	}

	h := blobHeader{codec: b[4], size: int64(binary.LittleEndian.Uint64(b[8:]))}
	if h.codec != codecRaw && h.codec != codecZstd {
		return blobHeader{}, errors.New("unknown codec")
	}

	if b[5] != 0 || b[6] != 0 || b[7] != 0 || h.size < 0 {
		return blobHeader{}, errors.New("damaged header")
	}

	return h, nil
}

// Encoders and decoders hold buffers of megabytes. They are created on demand,
// run without goroutines of their own, and are reused.
var (
	encoders = sync.Pool{New: func() any {
		enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20),
			zstd.WithEncoderCRC(false))
		if err != nil {
			panic(err) // the options are constants
		}
		return enc
	}}
	decoders = sync.Pool{New: func() any {
		dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(8<<20))
		if err != nil {
			panic(err) // the options are constants
		}
		return dec
	}}
)

// worthCompressing reports whether the first bytes of some content compress
// well enough.
func worthCompressing(sample []byte, enc *zstd.Encoder) bool {
	if len(sample) < minCompress {
		return false
	}
	sample = sample[:min(len(sample), sampleSize)]
	return len(enc.EncodeAll(sample, nil)) < len(sample)-len(sample)/16
}

// encodeBlob returns the blob file for some content.
func encodeBlob(content []byte) []byte {
	enc := encoders.Get().(*zstd.Encoder)
	defer encoders.Put(enc)
	if worthCompressing(content, enc) {
		out := blobHeader{codecZstd, int64(len(content))}.append(make([]byte, 0, blobHeaderSize+len(content)/2))
		return enc.EncodeAll(content, out)
	}
	out := blobHeader{codecRaw, int64(len(content))}.append(make([]byte, 0, blobHeaderSize+len(content)))
	return append(out, content...)
}

// limited returns a reader of at most one byte more than the expected size of r. With it, io.Copy makes its buffer no
// larger than that: a hundred thousand small files would fill gigabytes with buffers of the usual size.
func limited(r io.Reader, size int64) io.Reader { return io.LimitReader(r, size+1) }

// plainReader returns a reader of the plain content after a header. The reader
// returns at most one byte more than the header's length, so that a damaged or
// hostile frame cannot fill a disk. The caller calls done after reading.
func plainReader(h blobHeader, r io.Reader) (plain io.Reader, done func(), err error) {
	limit := h.size
	if limit < 1<<62 {
		limit++
	}

	if h.codec == codecRaw {
		return io.LimitReader(r, limit), func() {}, nil
	}

	dec := decoders.Get().(*zstd.Decoder)
	if err := dec.Reset(r); err != nil {
		return nil, nil, err
	}

	return io.LimitReader(dec, limit), func() {
		// Drop the reference to r even if the frame was not read to its end.
		if dec.Reset(nil) == nil {
			decoders.Put(dec)
		}
	}, nil
}
