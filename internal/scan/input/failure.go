package input

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/proxy/mcpclient"
)

// Limits on the quoted output of a server that failed: in lines, and in bytes a line.
const (
	maxOutputLines = 5
	maxOutputLine  = 300
)

// colours are the escape sequences that only set colours.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// lastLines returns the last lines of what a server printed, safe to print.
func lastLines(text string) []string {
	var lines []string
	for line := range strings.Lines(colours.ReplaceAllString(text, "")) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, safetext.Clip(safetext.Visible(line), maxOutputLine))
		}
	}
	return lines[max(0, len(lines)-maxOutputLines):]
}

// failure is a server that could not be listed, for an error of mcpclient or of its
// answers.
type failure struct {
	server   Server // with its variables expanded
	err      error
	timedOut bool // it took longer than timeout
	timeout  time.Duration
	answered bool // it answered something
}

// explain says why, and what to do.
func (f failure) explain() (reason, remedy string) {
	var ended *mcpclient.EndedError
	var answer *mcpclient.AnswerError
	var refusal *jsonrpc.Error
	var start *mcpclient.StartError
	switch {
	case f.timedOut:
		return f.explainTimeout()
	case errors.As(f.err, &ended):
		return f.explainEnd(ended)
	case errors.As(f.err, &answer):
		return f.explainAnswer(answer)
	case f.server.URL != "":
		if reason, remedy = f.explainConnection(); reason != "" {
			return reason, remedy
		}
	case errors.As(f.err, &start):
		return f.explainStart(start.Err)
	}

	if errors.As(f.err, &refusal) {
		request := "its first request"
		if f.answered {
			request = "a request"
		}

		return fmt.Sprintf("it answered %s with an error: %s", request, refusal.Message),
			"check that it is an MCP server, and how it must be started"
	}

	return f.err.Error(), "check that it works in its client"
}

func (f failure) explainTimeout() (reason, remedy string) {
	reason = fmt.Sprintf("it did not answer within %s", f.timeout)
	if f.answered {
		reason = fmt.Sprintf("it answered, but did not list its tools within %s", f.timeout)
	}
	if f.server.URL != "" {
		return reason, "check the address, or allow more time with --timeout"
	}
	return reason, "allow more time with --timeout: the first start may download packages; or check that it is an " +
		"MCP server that speaks on standard input and output"
}

// explainEnd explains the end of a server's program.
func (f failure) explainEnd(e *mcpclient.EndedError) (reason, remedy string) {
	when := " before it answered"
	if f.answered {
		when = " before it had listed its tools"
	}

	switch {
	case e.State == "exit status 0":
		return e.Error() + when, "check that it is an MCP server that speaks on standard input and output, and " +
			"whether it needs arguments"
	case strings.HasPrefix(e.State, "signal: killed"):
		return e.Error() + when, "something else killed it: check the memory that it may use"
	}

	variables := "env in its entry"
	if !f.server.declared() {
		variables = `--server-command "env NAME=value PROGRAM"`
	}

	return e.Error() + when, "give it what it needs: it gets PATH, HOME and few other variables of your " +
		"environment, and more only with " + variables
}

// sources say how to get common programs that start servers.
var sources = map[string]string{
	"npx": "install Node.js", "node": "install Node.js", "npm": "install Node.js", "uvx": "install uv",
	"uv":   "install uv",
	"bunx": "install Bun", "bun": "install Bun", "docker": "install Docker",
	"python": "install Python, or name python3",
}

// explainStart explains why a program cannot be started.
func (f failure) explainStart(cause error) (reason, remedy string) {
	program := f.server.Command[0]
	reason = "it could not be started: " + cause.Error()
	where := "--server-command"
	if f.server.declared() {
		where = f.server.Place.String()
	}

	var file *fs.PathError
	switch {
	case f.server.Dir != "" && !isDir(f.server.Dir):
		return fmt.Sprintf("its directory %s does not exist", f.server.Dir), "correct cwd in " + where
	case errors.Is(cause, exec.ErrNotFound):
		return fmt.Sprintf("command not found: there is no %s in PATH", program),
			cmp.Or(sources[filepath.Base(program)], "install it") + ", or give its full path in " + where
	case errors.Is(cause, exec.ErrDot):
		return reason, "write ./" + program + " in " + where
	case errors.Is(cause, fs.ErrNotExist):
		if _, err := os.Stat(filepath.Join(f.server.Dir, program)); err == nil {
			return reason, "install that file" // the error says which file is missing
		}

		return fmt.Sprintf("command not found: there is no file %s", program), "correct the path in " + where
	case errors.Is(cause, fs.ErrPermission):
		return fmt.Sprintf("it could not be started: %s is not executable", program),
			"make it executable, or put its interpreter before it, such as node or python3, in " + where
	case errors.As(cause, &file) && errors.Is(file.Err, syscall.ENOEXEC):
		return fmt.Sprintf("it could not be started: %s is no program for this system", program),
			"put its interpreter before it, such as node or python3, in " + where
	}

	return reason, "check its command in " + where
}

func isDir(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// explainAnswer explains an answer that is not MCP.
func (f failure) explainAnswer(e *mcpclient.AnswerError) (reason, remedy string) {
	reason = f.err.Error()
	header := `--header "Authorization: Bearer TOKEN"`
	if f.server.declared() {
		header = "headers in its entry in " + f.server.Place.String()
	}

	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		sent := false
		for name := range f.server.Headers {
			sent = sent || secretName.MatchString(name)
		}

		if sent {
			return reason, "check the token that is sent: it may have expired, or may not allow this (" + header + ")"
		}

		return reason, "give a token with " + header + "; a login in a browser is not supported"
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return reason, "check the path of the address: " + f.otherPaths()
	case http.StatusTooManyRequests:
		return reason, "wait, and scan it again"
	}

	switch {
	case strings.Contains(e.Text, "HTTP request to an HTTPS server"):
		return reason, "write https:// in the address"
	case e.Status >= 500:
		return reason, "the server is at fault: scan it again later, or tell its operator"
	case e.Status < 400:
		return reason, "check the address: it is no endpoint of an MCP server; " + f.otherPaths()
	}

	return reason, "check the address and the headers"
}

// otherPaths names the usual endpoints of the server.
func (f failure) otherPaths() string {
	u, err := url.Parse(f.server.URL)
	if err != nil {
		return "many servers use /mcp or /sse"
	}

	u.RawQuery, u.User = "", nil
	var others []string
	for _, p := range []string{"/mcp", "/sse"} {
		if strings.TrimSuffix(u.Path, "/") != p {
			other := *u
			other.Path = p
			others = append(others, other.String())
		}
	}

	return "many servers answer at " + strings.Join(others, " or ")
}

// explainConnection explains why there is no connection, if that is known.
func (f failure) explainConnection() (reason, remedy string) {
	var name *net.DNSError
	var notTLS tls.RecordHeaderError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var redirect *mcpclient.RedirectError
	var network *net.OpError
	address := hostOf(f.server.URL)
	switch {
	case errors.As(f.err, &redirect):
		return redirect.Reason, "if you trust it, give the address that it redirects to"
	case errors.Is(f.err, syscall.ECONNREFUSED):
		return fmt.Sprintf("connection refused: nothing listens at %s", address),
			"start the server, or check the host and the port"
	case errors.As(f.err, &name):
		return fmt.Sprintf("the host %s was not found: %s", name.Name, name.Err), "check the address and the network"
	case errors.As(f.err, &notTLS):
		return fmt.Sprintf("%s does not speak TLS", address),
			"write http:// in the address if the server is meant to be without encryption"
	case errors.As(f.err, &unknown):
		return fmt.Sprintf("TLS: the certificate of %s is signed by an authority that is not trusted here", address),
			"add the authority to the system's certificates, on Unix also with the variable SSL_CERT_FILE"
	case errors.As(f.err, &host):
		return "TLS: " + strings.TrimPrefix(host.Error(), "x509: "), "write the name of its certificate in the address"
	case errors.As(f.err, &invalid):
		return "TLS: " + strings.TrimPrefix(invalid.Error(), "x509: "),
			"ask the operator of the server for a valid certificate, and check the clock"
	case strings.Contains(f.err.Error(), "failed to decode response"): // the client library's words
		return "it answered with JSON that is no answer of MCP",
			"check the address: it is no endpoint of an MCP server; " + f.otherPaths()
	case errors.As(f.err, &network):
		return fmt.Sprintf("there is no connection to %s: %s", address, network), "check the address and the network"
	}

	return "", ""
}

func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.Host
	}
	return "the address"
}
