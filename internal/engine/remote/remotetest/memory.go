package remotetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"github.com/klauspost/compress/zstd"
	bspb "google.golang.org/genproto/googleapis/bytestream"
	rpc "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// Memory is a server that keeps everything in memory, by instance. Unlike a careful server it checks
// nothing, so that a test can put anything in it.
type Memory struct {
	repb.UnimplementedCapabilitiesServer
	repb.UnimplementedActionCacheServer
	repb.UnimplementedContentAddressableStorageServer
	bspb.UnimplementedByteStreamServer
	execution

	Address string // grpc://HOST:PORT
	// Zstd, MaxBatch and MaxBlob are what the server offers. Set them before it is used.
	Zstd              bool
	MaxBatch, MaxBlob int64
	ReadOnly          bool

	mu      sync.Mutex
	Blobs   map[string][]byte // by INSTANCE|HASH
	Actions map[string]*repb.ActionResult
	server  *grpc.Server
}

// StartMemory starts an empty server on a free port.
func StartMemory() (*Memory, error) {
	m := &Memory{Blobs: map[string][]byte{}, Actions: map[string]*repb.ActionResult{},
		server: grpc.NewServer(grpc.MaxRecvMsgSize(16 << 20))}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}

	m.Address = "grpc://" + l.Addr().String()
	m.execution.memory = m
	repb.RegisterCapabilitiesServer(m.server, m)
	repb.RegisterExecutionServer(m.server, m)
	longrunningpb.RegisterOperationsServer(m.server, m)
	repb.RegisterActionCacheServer(m.server, m)
	repb.RegisterContentAddressableStorageServer(m.server, m)
	bspb.RegisterByteStreamServer(m.server, m)
	go func() { _ = m.server.Serve(l) }() // it ends with Stop
	return m, nil
}

// Stop ends the server at once.
func (m *Memory) Stop() {
	m.server.Stop()
	m.stop()
}

// Locked calls f while no request changes the content.
func (m *Memory) Locked(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

// GetCapabilities implements the protocol.
func (m *Memory) GetCapabilities(context.Context, *repb.GetCapabilitiesRequest) (*repb.ServerCapabilities, error) {
	caps := &repb.CacheCapabilities{
		DigestFunctions:               []repb.DigestFunction_Value{repb.DigestFunction_SHA256},
		ActionCacheUpdateCapabilities: &repb.ActionCacheUpdateCapabilities{UpdateEnabled: !m.ReadOnly},
		MaxBatchTotalSizeBytes:        m.MaxBatch,
		MaxCasBlobSizeBytes:           m.MaxBlob,
	}
	if m.Zstd {
		caps.SupportedCompressors = []repb.Compressor_Value{repb.Compressor_ZSTD}
	}

	offer := &repb.ServerCapabilities{CacheCapabilities: caps}
	if m.Workers > 0 {
		offer.ExecutionCapabilities = &repb.ExecutionCapabilities{DigestFunction: repb.DigestFunction_SHA256,
			ExecEnabled: true}
	}

	return offer, nil
}

// GetActionResult implements the protocol.
func (m *Memory) GetActionResult(_ context.Context, r *repb.GetActionResultRequest) (*repb.ActionResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, ok := m.Actions[r.InstanceName+"|"+r.ActionDigest.GetHash()]
	if !ok {
		return nil, status.Error(codes.NotFound, "no such action")
	}
	return proto.Clone(a).(*repb.ActionResult), nil
}

// UpdateActionResult implements the protocol.
func (m *Memory) UpdateActionResult(_ context.Context, r *repb.UpdateActionResultRequest) (*repb.ActionResult, error) {
	if m.ReadOnly {
		return nil, status.Error(codes.PermissionDenied, "read only")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Actions[r.InstanceName+"|"+r.ActionDigest.GetHash()] = r.ActionResult
	return r.ActionResult, nil
}

// FindMissingBlobs implements the protocol.
func (m *Memory) FindMissingBlobs(_ context.Context, r *repb.FindMissingBlobsRequest) (*repb.FindMissingBlobsResponse,
	error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	answer := &repb.FindMissingBlobsResponse{}
	for _, d := range r.BlobDigests {
		if _, ok := m.Blobs[r.InstanceName+"|"+d.Hash]; !ok {
			answer.MissingBlobDigests = append(answer.MissingBlobDigests, d)
		}
	}
	return answer, nil
}

// BatchUpdateBlobs implements the protocol.
func (m *Memory) BatchUpdateBlobs(_ context.Context, r *repb.BatchUpdateBlobsRequest) (*repb.BatchUpdateBlobsResponse,
	error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	answer := &repb.BatchUpdateBlobsResponse{}
	for _, b := range r.Requests {
		s := &rpc.Status{}
		if sum := sha256.Sum256(b.Data); hex.EncodeToString(sum[:]) != b.Digest.GetHash() {
			s.Code = int32(codes.InvalidArgument)
		} else {
			m.Blobs[r.InstanceName+"|"+b.Digest.Hash] = b.Data
		}

		answer.Responses = append(answer.Responses,
			&repb.BatchUpdateBlobsResponse_Response{Digest: b.Digest, Status: s})
	}

	return answer, nil
}

// BatchReadBlobs implements the protocol.
func (m *Memory) BatchReadBlobs(_ context.Context, r *repb.BatchReadBlobsRequest) (*repb.BatchReadBlobsResponse,
	error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	answer := &repb.BatchReadBlobsResponse{}
	for _, d := range r.Digests {
		one := &repb.BatchReadBlobsResponse_Response{Digest: d, Status: &rpc.Status{}}
		content, ok := m.Blobs[r.InstanceName+"|"+d.Hash]
		switch {
		case !ok:
			one.Status.Code = int32(codes.NotFound)
		case m.Zstd && len(r.AcceptableCompressors) > 0:
			one.Data, one.Compressor = packed(content), repb.Compressor_ZSTD
		default:
			one.Data = content
		}

		answer.Responses = append(answer.Responses, one)
	}

	return answer, nil
}

func packed(content []byte) []byte {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err) // only for wrong options
	}
	defer func() { _ = z.Close() }() // it holds nothing
	return z.EncodeAll(content, nil)
}

// resource parses the name of content in a stream.
func resource(name string) (key string, compressed bool, err error) {
	instance, rest, ok := strings.Cut("/"+name, "/blobs/")
	if !ok {
		instance, rest, ok = strings.Cut("/"+name, "/compressed-blobs/zstd/")
		compressed = true
	}
	instance, _, _ = strings.Cut(instance, "/uploads/")
	hash, _, sized := strings.Cut(rest, "/")
	if !ok || !sized {
		return "", false, status.Error(codes.InvalidArgument, "no such resource")
	}
	return strings.TrimPrefix(instance, "/") + "|" + hash, compressed, nil
}

// Read implements the protocol.
func (m *Memory) Read(r *bspb.ReadRequest, to bspb.ByteStream_ReadServer) error {
	key, compressed, err := resource(r.ResourceName)
	if err != nil {
		return err
	}

	m.mu.Lock()
	content, ok := m.Blobs[key]
	m.mu.Unlock()
	if !ok {
		return status.Error(codes.NotFound, "no such content")
	}

	if compressed {
		content = packed(content)
	}

	for len(content) > 0 {
		n := min(len(content), 64<<10)
		if err := to.Send(&bspb.ReadResponse{Data: content[:n]}); err != nil {
			return err
		}

		content = content[n:]
	}

	return nil
}

// Write implements the protocol.
func (m *Memory) Write(from bspb.ByteStream_WriteServer) error {
	var name string
	var got bytes.Buffer
	for done := false; !done; {
		part, err := from.Recv()
		if err != nil {
			if errors.Is(err, io.EOF) {
				return status.Error(codes.InvalidArgument, "the stream ended early")
			}

			return err
		}

		if name == "" {
			name = part.ResourceName
		}

		got.Write(part.Data)
		done = part.FinishWrite
	}

	key, compressed, err := resource(name)
	if err != nil {
		return err
	}

	content := got.Bytes()
	if compressed {
		z, err := zstd.NewReader(nil)
		if err != nil {
			return err
		}

		defer z.Close()
		if content, err = z.DecodeAll(content, nil); err != nil {
			return status.Error(codes.InvalidArgument, err.Error())
		}
	}

	if sum := sha256.Sum256(content); !strings.HasSuffix(key, "|"+hex.EncodeToString(sum[:])) {
		return status.Error(codes.InvalidArgument, fmt.Sprintf("the content is not %s", key))
	}

	m.mu.Lock()
	m.Blobs[key] = content
	m.mu.Unlock()
	return from.SendAndClose(&bspb.WriteResponse{CommittedSize: int64(got.Len())})
}
