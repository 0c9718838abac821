package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	bspb "google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/touchstone-eval/touchstone/cache"
)

const (
	// maxMessage is the size in bytes of the largest message that is accepted.
	maxMessage = 8 << 20
	// defaultBatch is what servers accept that do not say how much, which is gRPC's limit.
	defaultBatch = 4 << 20
	// batchOverhead is subtracted from the size of a batch for what is not content.
	batchOverhead = 64 << 10
)

// client is a connection to a server. Its methods have the time limits of Settings.Limits, and repeat
// a request once if the server was unavailable after it had answered before.
type client struct {
	address Address
	limits  Limits
	conn    *grpc.ClientConn
	helper  *helper // nil: none

	cas     repb.ContentAddressableStorageClient
	actions repb.ActionCacheClient
	stream  bspb.ByteStreamClient

	// What the server offers, after connect.
	batch    int64 // the size in bytes of the largest batch
	largest  int64 // the size in bytes of the largest content, or 0
	zstd     bool  // for streams and for reading in batches
	writable bool  // whether it takes results
	executes bool  // whether it runs actions
}

// An Offer is what a server offers.
type Offer struct {
	Writable bool // it takes results
	Executes bool // it runs actions
}

// Ask connects to a server and returns what it offers.
func Ask(ctx context.Context, s Settings) (Offer, error) {
	if s.Limits == (Limits{}) {
		s.Limits = DefaultLimits
	}

	c, err := newClient(ctx, &s)
	if err != nil {
		return Offer{}, err
	}

	defer c.close()
	if err := c.connect(ctx); err != nil {
		return Offer{}, fmt.Errorf("the %s %s: %w", s.what(), s.Address, err)
	}

	return Offer{c.writable, c.executes}, nil
}

// newClient prepares a connection. It reads the secrets, but does not connect.
func newClient(ctx context.Context, s *Settings) (*client, error) {
	options, err := s.dialOptions(ctx)
	if err != nil {
		return nil, err
	}

	c := &client{address: s.Address, limits: s.Limits}
	if s.CredentialHelper != "" {
		c.helper = &helper{settings: s}
		options = append(options, grpc.WithPerRPCCredentials(c.helper))
	}

	if c.conn, err = grpc.NewClient("dns:///"+s.Address.hostPort(), options...); err != nil {
		return nil, fmt.Errorf("the %s %s: %w; %s", s.what(), s.Address, err, addressForm)
	}

	c.cas = repb.NewContentAddressableStorageClient(c.conn)
	c.actions = repb.NewActionCacheClient(c.conn)
	c.stream = bspb.NewByteStreamClient(c.conn)
	return c, nil
}

func (c *client) close() { c.conn.Close() }

// connect asks the server what it offers, and returns an error if that is not enough for a cache.
func (c *client) connect(ctx context.Context) error {
	if c.helper != nil {
		if _, err := c.helper.GetRequestMetadata(ctx); err != nil {
			return err
		}
	}

	ctx, cancel := context.WithTimeout(ctx, c.limits.Connect)
	defer cancel()
	offer, err := repb.NewCapabilitiesClient(c.conn).GetCapabilities(ctx,
		&repb.GetCapabilitiesRequest{InstanceName: c.address.Instance})
	if err != nil {
		return fmt.Errorf("it cannot be reached: %w", readableError(err))
	}

	caps := offer.GetCacheCapabilities()
	switch {
	case caps == nil:
		return errors.New("it offers no cache")
	case !slices.Contains(caps.DigestFunctions, repb.DigestFunction_SHA256):
		return errors.New("it does not offer SHA-256 digests")
	}

	c.batch = defaultBatch
	if n := caps.MaxBatchTotalSizeBytes; n > 0 {
		c.batch = min(n, defaultBatch)
	}

	c.batch = max(c.batch-batchOverhead, c.batch/2)
	c.largest = max(caps.MaxCasBlobSizeBytes, 0)
	c.zstd = slices.Contains(caps.SupportedCompressors, repb.Compressor_ZSTD)
	c.executes = executes(offer.GetExecutionCapabilities())
	c.writable = caps.GetActionCacheUpdateCapabilities().GetUpdateEnabled()
	return nil
}

// retryOnce calls do, and once more if the server became unavailable, such as by a restart. The second call
// waits until the server is there again, within its time limit.
func (c *client) retryOnce(ctx context.Context, do func(ctx context.Context, o ...grpc.CallOption) error) error {
	err := do(ctx)
	if status.Code(err) == codes.Unavailable && ctx.Err() == nil {
		err = do(ctx, grpc.WaitForReady(true))
	}
	return err
}

// readableError returns an error of gRPC as a person would say it.
func readableError(err error) error {
	if err == nil {
		return nil
	}

	s, ok := status.FromError(err)
	if !ok {
		return err
	}

	switch s.Code() {
	case codes.DeadlineExceeded:
		return errors.New("it did not answer in time")
	case codes.Canceled:
		return context.Canceled
	case codes.Unauthenticated:
		return fmt.Errorf("it does not accept the credentials (%s)", truncate(s.Message()))
	case codes.PermissionDenied:
		return fmt.Errorf("it does not permit that with these credentials (%s)", truncate(s.Message()))
	case codes.ResourceExhausted:
		return fmt.Errorf("it is full or too busy (%s)", truncate(s.Message()))
	case codes.Unavailable:
		text := strings.TrimSuffix(strings.TrimPrefix(s.Message(), `connection error: desc = "`), `"`)
		return errors.New(truncate(strings.TrimPrefix(text, "transport: Error while dialing: ")))
	}

	return fmt.Errorf("%s: %s", s.Code(), truncate(s.Message()))
}

// truncate limits a text of the server.
func truncate(text string) string {
	const limit = 300
	if len(text) > limit {
		return text[:limit] + "..."
	}
	return text
}

// digest returns a digest in the form of the protocol.
func digest(b cache.SizedDigest) *repb.Digest {
	return &repb.Digest{Hash: b.Digest.String(), SizeBytes: b.Size}
}
