package selection

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/internal/scan/input"
)

// Transport is how a server is connected.
type Transport string

const (
	SSE            Transport = "sse"
	StreamableHTTP Transport = "streamable-http"
	Stdio          Transport = "stdio"
)

// ServerStatus is the result of the last check of a server's connection. A
// server that was never contacted is inactive.
type ServerStatus string

const (
	ServerInactive ServerStatus = "inactive"
	ServerActive   ServerStatus = "active"
	ServerFailed   ServerStatus = "failed"
)

// Server is a registered MCP server. The URL of a stdio server is "stdio:" and
// its command line (see CommandURL).
type Server struct {
	ID              string       `json:"id"`
	Name            string       `json:"name"`
	URL             string       `json:"url"`
	Transport       Transport    `json:"transport"`
	Login           Login        `json:"login,omitzero"`
	Status          ServerStatus `json:"status"`
	LastConnectedAt *time.Time   `json:"last_connected_at"`
	CreatedAt       time.Time    `json:"created_at"`
	UpdatedAt       time.Time    `json:"updated_at"`
}

const stdioScheme = "stdio:"

// MaxServerName is the length of the longest name of a server, in characters.
const MaxServerName = 100

// Validate checks the fields that a user sets: the name, the URL and the
// transport. An empty transport is replaced by the default for the URL.
func (s *Server) Validate() error {
	if err := checkText("the name of a server", s.Name, MaxServerName); err != nil {
		return err
	}

	if s.Transport == "" {
		s.Transport = StreamableHTTP
		if strings.HasPrefix(s.URL, stdioScheme) {
			s.Transport = Stdio
		}
	}

	switch s.Transport {
	case Stdio:
		command, err := s.Command()
		if err != nil {
			return fmt.Errorf("server %q: %w", s.Name, err)
		}

		s.URL = CommandURL(command)
	case SSE, StreamableHTTP:
		s.URL, _, _ = strings.Cut(s.URL, "#") // never sent
		if err := checkURL(s.Name, s.URL); err != nil {
			return err
		}
	default:
		return s.unknownTransport()
	}

	if err := s.checkLogin(); err != nil {
		return fmt.Errorf("server %q: %w", s.Name, err)
	}

	return nil
}

func (s *Server) unknownTransport() error {
	return fmt.Errorf("server %q: transport %q is unknown: use streamable-http, sse or stdio", s.Name, s.Transport)
}

// addressKey is equal for the URLs of one server.
func addressKey(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return address
	}

	u.Fragment, u.RawFragment = "", ""
	host, port := strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()
	if ip, err := netip.ParseAddr(host); err == nil && ip.Unmap().IsLoopback() {
		host = "localhost"
	}

	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}

	u.Host = net.JoinHostPort(host, port)
	if u.Path == "" {
		u.Path = "/"
	}

	return u.String()
}

func checkURL(name, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("server %q: its URL is not an http or https URL: write it as https://host/mcp", name)
	}
	if u.User != nil {
		return fmt.Errorf("server %q: its URL contains a user name or a password, which would be stored: remove it",
			name)
	}
	return nil
}

// Command is the command line of a stdio server.
func (s Server) Command() ([]string, error) {
	line, ok := strings.CutPrefix(s.URL, stdioScheme)
	if !ok {
		return nil, fmt.Errorf("its URL does not begin with %q: write it as stdio:program argument", stdioScheme)
	}
	return input.SplitCommand(line)
}

// CommandURL is the URL of a stdio server: the words of its command, quoted if
// necessary. Command parses it.
func CommandURL(command []string) string {
	quoted := make([]string, len(command))
	for i, word := range command {
		quoted[i] = input.QuoteWord(word)
	}
	return stdioScheme + strings.Join(quoted, " ")
}
