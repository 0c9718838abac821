package remote

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"github.com/klauspost/compress/zstd"
	bspb "google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/touchstone-eval/touchstone/cache"
)

const (
	// smallBlob is the size in bytes up to which content is sent in batches.
	smallBlob = 512 << 10
	// chunk is the size in bytes of the parts of a stream.
	chunk = 64 << 10
	// findAtOnce is the number of digests in a request of missing.
	findAtOnce = 10_000
	// batchCount is the number of contents in a batch.
	batchCount = 1_000
)

// missing returns those of blobs that the server does not have.
func (c *client) missing(ctx context.Context, blobs []cache.SizedDigest) ([]cache.SizedDigest, error) {
	var lacks []cache.SizedDigest
	for len(blobs) > 0 {
		part := blobs[:min(len(blobs), findAtOnce)]
		blobs = blobs[len(part):]
		request := &repb.FindMissingBlobsRequest{InstanceName: c.address.Instance}
		bySum := make(map[string]cache.SizedDigest, len(part))
		for _, b := range part {
			request.BlobDigests = append(request.BlobDigests, digest(b))
			bySum[b.Digest.String()] = b
		}

		ctx, cancel := context.WithTimeout(ctx, c.limits.Answer)
		var answer *repb.FindMissingBlobsResponse
		err := c.retryOnce(ctx, func(ctx context.Context, o ...grpc.CallOption) (err error) {
			answer, err = c.cas.FindMissingBlobs(ctx, request, o...)
			return err
		})
		cancel()
		if err != nil {
			return nil, err
		}

		for _, d := range answer.MissingBlobDigests {
			if b, asked := bySum[d.GetHash()]; asked {
				lacks = append(lacks, b)
				delete(bySum, d.GetHash())
			}
		}
	}

	return lacks, nil
}

// batches splits blobs into those that fit into batches, and those that do not.
func (c *client) batches(blobs []cache.SizedDigest) (batches [][]cache.SizedDigest, large []cache.SizedDigest) {
	var batch []cache.SizedDigest
	var size int64
	for _, b := range blobs {
		if b.Size > min(smallBlob, c.batch/2) {
			large = append(large, b)
			continue
		}

		const framing = 128 // of the digest and the lengths
		if size+b.Size+framing > c.batch || len(batch) == batchCount {
			batches, batch, size = append(batches, batch), nil, 0
		}

		batch, size = append(batch, b), size+b.Size+framing
	}

	if len(batch) > 0 {
		batches = append(batches, batch)
	}

	return batches, large
}

// errFalse is the error of a server that sent something else than it was asked for.
var errFalse = errors.New("it sent content that does not match its digest")

// readBatch passes the contents of a batch to put. It leaves out what the server does not have. It
// returns the number of bytes that arrived.
func (c *client) readBatch(ctx context.Context, batch []cache.SizedDigest,
	put func(cache.SizedDigest, io.Reader) error) (n int64, err error) {
	request := &repb.BatchReadBlobsRequest{InstanceName: c.address.Instance}
	if c.zstd {
		request.AcceptableCompressors = []repb.Compressor_Value{repb.Compressor_ZSTD}
	}

	asked := map[string]cache.SizedDigest{}
	var total int64
	for _, b := range batch {
		request.Digests = append(request.Digests, digest(b))
		asked[b.Digest.String()] = b
		total += b.Size
	}

	ctx, cancel := context.WithTimeout(ctx, c.limits.transfer(total))
	defer cancel()
	var answer *repb.BatchReadBlobsResponse
	err = c.retryOnce(ctx, func(ctx context.Context, o ...grpc.CallOption) (err error) {
		answer, err = c.cas.BatchReadBlobs(ctx, request, o...)
		return err
	})
	if err != nil {
		return 0, err
	}

	for _, r := range answer.Responses {
		b, ok := asked[r.GetDigest().GetHash()]
		if !ok {
			return n, errFalse
		}

		delete(asked, r.GetDigest().GetHash())
		switch code := codes.Code(r.GetStatus().GetCode()); code {
		case codes.OK:
		case codes.NotFound:
			continue
		default:
			return n, status.Error(code, r.GetStatus().GetMessage())
		}

		n += int64(len(r.Data))
		var content io.Reader = bytes.NewReader(r.Data)
		if r.Compressor == repb.Compressor_ZSTD {
			d, err := newDecoder(content)
			if err != nil {
				return n, err
			}

			defer d.Close()
			content = d
		}

		if err := put(b, content); err != nil {
			return n, err
		}
	}

	return n, nil
}

func newDecoder(r io.Reader) (*zstd.Decoder, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(64<<20))
}

// readStream passes one content to put. found is false if the server does not have it. n is the number
// of bytes that arrived.
func (c *client) readStream(ctx context.Context, b cache.SizedDigest,
	put func(cache.SizedDigest, io.Reader) error) (n int64, found bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.limits.transfer(b.Size))
	defer cancel()
	name := c.resource("", b)
	stream, err := c.stream.Read(ctx, &bspb.ReadRequest{ResourceName: name})
	if err != nil {
		return 0, false, err
	}

	in := &incoming{stream: stream, alarm: newIdleTimer(c.limits.Stall, cancel)}
	defer in.alarm.stop()
	var content io.Reader = in
	if c.zstd {
		d, err := newDecoder(in)
		if err != nil {
			return 0, false, err
		}

		defer d.Close()
		content = d
	}

	err = put(b, content)
	switch {
	case status.Code(in.err) == codes.NotFound:
		return in.n, false, nil
	case in.err != nil && !errors.Is(in.err, io.EOF):
		return in.n, false, in.alarm.explain(in.err)
	}

	return in.n, err == nil, err
}

// resource returns the name of content in a stream. upload is empty for reading.
func (c *client) resource(upload string, b cache.SizedDigest) string {
	name := ""
	if c.address.Instance != "" {
		name = c.address.Instance + "/"
	}

	if upload != "" {
		name += "uploads/" + upload + "/"
	}

	if c.zstd {
		name += "compressed-blobs/zstd"
	} else {
		name += "blobs"
	}

	return fmt.Sprintf("%s/%s/%d", name, b.Digest, b.Size)
}

// incoming is a stream as an io.Reader.
type incoming struct {
	stream grpc.ServerStreamingClient[bspb.ReadResponse]
	alarm  *idleTimer
	rest   []byte
	n      int64
	err    error // the end of the stream
}

func (in *incoming) Read(p []byte) (int, error) {
	for len(in.rest) == 0 {
		if in.err != nil {
			return 0, in.err
		}

		m, err := in.stream.Recv()
		if err != nil {
			in.err = err
			return 0, err
		}

		if len(m.Data) > 0 { // what is empty is no progress
			in.alarm.reset()
		}

		in.rest = m.Data
		in.n += int64(len(m.Data))
	}

	n := copy(p, in.rest)
	in.rest = in.rest[n:]
	return n, nil
}

// idleTimer ends a stream that makes no progress.
type idleTimer struct {
	timer *time.Timer
	after time.Duration
	rang  chan struct{}
}

func newIdleTimer(after time.Duration, cancel func()) *idleTimer {
	a := &idleTimer{after: after, rang: make(chan struct{})}
	a.timer = time.AfterFunc(after, func() {
		close(a.rang)
		cancel()
	})
	return a
}

func (a *idleTimer) reset() {
	if a.timer.Stop() {
		a.timer.Reset(a.after)
	}
}

func (a *idleTimer) stop() { a.timer.Stop() }

// explain returns the error of a stream, or that it made no progress.
func (a *idleTimer) explain(err error) error {
	select {
	case <-a.rang:
		return fmt.Errorf("no byte of content arrived in %s", a.after)
	default:
		return err
	}
}

// writeBatch uploads the contents of a batch, which read returns.
func (c *client) writeBatch(ctx context.Context, batch []cache.SizedDigest,
	read func(cache.SizedDigest) io.ReadCloser) error {
	request := &repb.BatchUpdateBlobsRequest{InstanceName: c.address.Instance}
	var total int64
	for _, b := range batch {
		r := read(b)
		content, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			return &localError{err}
		}

		request.Requests = append(request.Requests,
			&repb.BatchUpdateBlobsRequest_Request{Digest: digest(b), Data: content})
		total += b.Size
	}

	ctx, cancel := context.WithTimeout(ctx, c.limits.transfer(total))
	defer cancel()
	var answer *repb.BatchUpdateBlobsResponse
	err := c.retryOnce(ctx, func(ctx context.Context, o ...grpc.CallOption) (err error) {
		answer, err = c.cas.BatchUpdateBlobs(ctx, request, o...)
		return err
	})
	if err != nil {
		return err
	}

	kept := map[string]bool{}
	for _, r := range answer.Responses {
		if code := codes.Code(r.GetStatus().GetCode()); code != codes.OK {
			return status.Error(code, r.GetStatus().GetMessage())
		}

		kept[r.GetDigest().GetHash()] = true
	}

	for _, b := range batch {
		if !kept[b.Digest.String()] {
			return errors.New("it did not say that it keeps all content")
		}
	}

	return nil
}

// writeStream uploads one content, which read returns.
func (c *client) writeStream(ctx context.Context, b cache.SizedDigest,
	read func(cache.SizedDigest) io.ReadCloser) error {
	ctx, cancel := context.WithTimeout(ctx, c.limits.transfer(b.Size))
	defer cancel()
	alarm := newIdleTimer(c.limits.Stall, cancel)
	defer alarm.stop()
	stream, err := c.stream.Write(ctx)
	if err != nil {
		return err
	}

	out := &outgoing{stream: stream, name: c.resource(rand.Text(), b), alarm: alarm}
	content := read(b)
	defer content.Close()
	err = out.send(content, c.zstd)
	if err == nil {
		err = out.finish()
	}

	var local *localError
	if errors.As(err, &local) {
		return err
	}

	if err != nil && !errors.Is(err, io.EOF) {
		return alarm.explain(err)
	}

	// The server may end the stream early because it has the content already. Its answer says so.
	answer, err := stream.CloseAndRecv()
	if err != nil {
		return alarm.explain(err)
	}

	// A server that has the content may answer with its size, or with -1 if it is compressed.
	if n := answer.CommittedSize; n != out.sent && n != b.Size && n != -1 {
		return fmt.Errorf("it kept %d of %d bytes", n, out.sent)
	}

	return nil
}

// localError is an error of this machine.
type localError struct{ error }

func (e *localError) Unwrap() error { return e.error }

// Local marks an error as one of this machine, such as that of a file that cannot be read: the server has lost nothing,
// and nothing is tried again.
func Local(err error) error { return &localError{err} }

// outgoing is a stream as an io.Writer.
type outgoing struct {
	stream grpc.ClientStreamingClient[bspb.WriteRequest, bspb.WriteResponse]
	name   string
	alarm  *idleTimer
	rest   []byte
	sent   int64
	err    error
}

// send writes content to the stream.
func (o *outgoing) send(content io.Reader, compress bool) error {
	var to io.Writer = o
	var z *zstd.Encoder
	if compress {
		var err error
		if z, err = zstd.NewWriter(o, zstd.WithEncoderConcurrency(1),
			zstd.WithEncoderLevel(zstd.SpeedFastest)); err != nil {
			return &localError{err}
		}

		to = z
	}

	_, err := io.Copy(to, content)
	if z != nil {
		if cerr := z.Close(); err == nil {
			err = cerr
		}
	}

	if o.err != nil {
		return o.err
	}

	if err != nil {
		return &localError{err}
	}

	return nil
}

func (o *outgoing) Write(p []byte) (int, error) {
	for n := 0; n < len(p); {
		take := min(len(p)-n, chunk-len(o.rest))
		o.rest = append(o.rest, p[n:n+take]...)
		n += take
		if len(o.rest) == chunk {
			if err := o.flush(false); err != nil {
				return 0, err
			}
		}
	}
	return len(p), nil
}

func (o *outgoing) flush(last bool) error {
	if o.err != nil {
		return o.err
	}

	m := &bspb.WriteRequest{WriteOffset: o.sent, Data: o.rest, FinishWrite: last}
	if o.sent == 0 {
		m.ResourceName = o.name
	}

	if o.err = o.stream.Send(m); o.err != nil {
		return o.err
	}

	o.alarm.reset()
	o.sent += int64(len(o.rest))
	o.rest = nil // gRPC may still read the old one
	return nil
}

func (o *outgoing) finish() error { return o.flush(true) }
