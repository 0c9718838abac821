package remotetest

import (
	"io"
	"net"
	"strings"
	"sync"
)

// Wire passes the bytes of connections on, until a number of bytes has come from the server.
type Wire struct {
	Address string
	after   int64
	then    Fault
	back    string
	l       net.Listener

	mu    sync.Mutex
	conns []net.Conn
}

// A Fault is what Wire does after its number of bytes.
type Fault int

// Faults of a connection.
const (
	StallWire Fault = iota // pass nothing on anymore
	CloseWire              // close the connection
	FlipWire               // change a bit, and pass the rest on
)

// StartWire starts a Wire before the server at an address.
func StartWire(address string, after int64, then Fault) (*Wire, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}

	w := &Wire{Address: "grpc://" + l.Addr().String(), after: after, then: then,
		back: strings.TrimPrefix(address, "grpc://"), l: l}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}

			go w.serve(c)
		}
	}()
	return w, nil
}

// Stop closes all connections.
func (w *Wire) Stop() {
	w.l.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.conns {
		c.Close()
	}
}

func (w *Wire) serve(client net.Conn) {
	server, err := net.Dial("tcp", w.back)
	if err != nil {
		client.Close()
		return
	}

	w.mu.Lock()
	w.conns = append(w.conns, client, server)
	w.mu.Unlock()
	go func() {
		_, _ = io.Copy(server, client) // the other direction ends the connection
		server.Close()
	}()
	if _, err := io.CopyN(client, server, w.after); err != nil {
		client.Close()
		return
	}

	switch w.then {
	case StallWire:
		return // Stop closes it
	case FlipWire:
		var b [1]byte
		if _, err := io.ReadFull(server, b[:]); err == nil {
			b[0] ^= 1 << (w.after % 8)
			if _, err = client.Write(b[:]); err == nil {
				_, _ = io.Copy(client, server) // until either side closes it
			}
		}
	}

	client.Close()
	server.Close()
}
