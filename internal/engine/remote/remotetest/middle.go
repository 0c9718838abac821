package remotetest

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// Middle stands between clients and a server, and passes messages on. It decodes none of them.
type Middle struct {
	Address string

	mu             sync.Mutex
	reply, request Change

	server *grpc.Server
	back   *grpc.ClientConn
}

// StartMiddle starts a Middle before the server at an address.
func StartMiddle(address string) (*Middle, error) {
	back, err := grpc.NewClient("passthrough:///"+strings.TrimPrefix(address, "grpc://"),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(rawCodec{}), grpc.MaxCallRecvMsgSize(64<<20)))
	if err != nil {
		return nil, err
	}

	m := &Middle{back: back}
	m.server = grpc.NewServer(grpc.ForceServerCodecV2(rawCodec{}), grpc.UnknownServiceHandler(m.pass),
		grpc.MaxRecvMsgSize(64<<20))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}

	m.Address = "grpc://" + l.Addr().String()
	go func() { _ = m.server.Serve(l) }() // it ends with Stop
	return m, nil
}

// A Change changes a message, or returns an error to answer with. method is such as
// "GetActionResult". ctx ends when the client gives up.
type Change func(ctx context.Context, method string, message []byte) ([]byte, error)

// Set sets what happens to answers and to requests. Either may be nil.
func (m *Middle) Set(reply, request Change) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reply, m.request = reply, request
}

// Stop ends all connections at once.
func (m *Middle) Stop() {
	m.server.Stop()
	m.back.Close()
}

func (m *Middle) changes() (reply, request Change) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.reply, m.request
}

func (m *Middle) pass(_ any, client grpc.ServerStream) error {
	full, _ := grpc.MethodFromServerStream(client)
	method := full[strings.LastIndexByte(full, '/')+1:]
	reply, request := m.changes()
	ctx, cancel := context.WithCancel(client.Context())
	defer cancel()
	if md, ok := metadata.FromIncomingContext(ctx); ok {
		ctx = metadata.NewOutgoingContext(ctx, md)
	}

	server, err := m.back.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, full)
	if err != nil {
		return err
	}

	go func() {
		for {
			var b []byte
			err := client.RecvMsg(&b)
			if err == nil && request != nil {
				b, err = request(ctx, method, b)
			}

			if errors.Is(err, io.EOF) {
				_ = server.CloseSend() // the other direction sees the error
				return
			}

			if err != nil || server.SendMsg(&b) != nil {
				if err != nil {
					cancel()
				}

				return
			}
		}
	}()
	for {
		var b []byte
		if err := server.RecvMsg(&b); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}

			return err
		}

		if reply != nil {
			if b, err = reply(ctx, method, b); err != nil {
				return err
			}
		}

		if err := client.SendMsg(&b); err != nil {
			return err
		}
	}
}

// Stall is a Change that passes nothing on.
func Stall(ctx context.Context, _ string, _ []byte) ([]byte, error) {
	<-ctx.Done()
	return nil, status.FromContextError(ctx.Err()).Err()
}

// Fail returns a Change that answers with an error.
func Fail(code codes.Code, text string) Change {
	return func(context.Context, string, []byte) ([]byte, error) { return nil, status.Error(code, text) }
}

// Only limits a Change to a method.
func Only(name string, change Change) Change {
	return func(ctx context.Context, method string, message []byte) ([]byte, error) {
		if method != name {
			return message, nil
		}
		return change(ctx, method, message)
	}
}

// rawCodec passes messages on as they are.
type rawCodec struct{}

func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil
}

func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}

func (rawCodec) Name() string { return "proto" }

// Garbled returns a message with some bytes changed, removed, added or repeated.
func Garbled(random *rand.Rand, message []byte) []byte {
	b := slices.Clone(message)
	for range 1 + random.IntN(3) {
		if len(b) == 0 {
			return []byte{byte(random.Uint32())}
		}

		at := random.IntN(len(b))
		switch random.IntN(5) {
		case 0:
			b[at] ^= 1 << random.IntN(8)
		case 1:
			b[at] = byte(random.Uint32())
		case 2:
			b = b[:at]
		case 3:
			b = slices.Insert(b, at, byte(random.Uint32()))
		case 4:
			b = slices.Concat(b, b[at:])
		}
	}

	return b
}
