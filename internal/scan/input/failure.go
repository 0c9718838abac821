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
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/proxy/mcpclient"
)

// Limits on the quoted output of a server that failed: in lines, and in bytes a line.
const (
	maxOutputLines = 5
	maxOutputLine  = 300
)

// colours are the escape sequences that only set colours.
var colours = lazyregexp.New("\x1b\\[[0-9;]*m")

// lastLines returns the last lines of what a server printed, safe to print.
func lastLines(text string) []string {
	var lines []string
	for line := range strings.Lines(colours().ReplaceAllString(text, "")) {
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

// partial is what a server told before it failed, with the failure. s is the server as declared, and
// printed the end of what its program printed.
func (f failure) partial(s Server, in *Input, everything bool, printed []string) *Input {
	if !everything {
		in.Others = nil
	}

	reason, remedy := f.explain()
	if f.server.URL != "" { // it may contain a token
		reason = strings.ReplaceAll(reason, f.server.URL, s.Display())
	}

	reason = safetext.Clip(f.server.redact(reason), 500)
	if n := len(in.Tools); n > 0 {
		reason += fmt.Sprintf("; %s that it sent before %s read", english.Plural(n, "tool", ""),
			english.PluralWord(n, "was", "were"))
	}

	u := s.unscanned(reason, f.server.redact(remedy))
	u.Output = printed
	in.Unscanned = append(in.Unscanned, u)
	return in
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
	case strings.ContainsAny(program, " \t") && !isFile(filepath.Join(f.server.Dir, program)):
		return fmt.Sprintf("command not found: %q is a program with its arguments in one string", program),
			f.server.splitRemedy(where)
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

// splitRemedy says how to write a command whose first word holds its arguments too.
func (s Server) splitRemedy(where string) string {
	words, err := SplitCommand(s.Command[0])
	if err != nil {
		return `put the arguments in "args" in ` + where
	}

	words = append(words, s.Command[1:]...)
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}

	switch {
	case !s.declared():
		return "do not quote the command as a whole: each word of " + where + " is an argument"
	case s.oneList:
		return fmt.Sprintf("write each argument as a string of its own, as \"command\": [%s], in %s",
			strings.Join(quoted, ", "), where)
	}

	return fmt.Sprintf("put the arguments in \"args\", as \"command\": %s, \"args\": [%s], in %s",
		quoted[0], strings.Join(quoted[1:], ", "), where)
}

func isFile(p string) bool {
	info, err := os.Stat(p)
	return err == nil && !info.IsDir()
}

func isDir(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// ofHost matches the words of servers that refuse a request because of the host or origin that it names.
var ofHost = lazyregexp.New(`(?i)\b(?:hosts?|hostname|origins?|rebinding|domain)\b`)

// explainAnswer explains an answer that is not MCP.
func (f failure) explainAnswer(e *mcpclient.AnswerError) (reason, remedy string) {
	reason = f.err.Error()
	header := `--header "Authorization: Bearer TOKEN"`
	if f.server.declared() {
		header = "headers in its entry in " + f.server.Place.String()
	}

	if (e.Status == http.StatusForbidden || e.Status == http.StatusMisdirectedRequest) && ofHost().MatchString(e.Text) {
		return reason, fmt.Sprintf("give the address by the host name that the server allows, or let it allow %s",
			hostOf(f.server.URL))
	}

	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		sent := false
		for name := range f.server.Headers {
			sent = sent || secretName().MatchString(name)
		}

		if sent {
			return reason, "check the token that is sent: it may have expired, or may not allow this (" + header + ")"
		}

		if e.Status == http.StatusForbidden {
			return reason, "the server refuses this client or this host name: check which addresses it allows, and " +
				"whether it needs a token (" + header + ")"
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
