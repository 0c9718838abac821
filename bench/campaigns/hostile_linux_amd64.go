package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// serveVerb makes this program a hostile server, over HTTP or standard input and output.
const serveVerb = "serve"

// honest is the flaw of a server without one.
const honest = "honest"

// flaws are what is wrong with an answer, by name. Each writes the answer to a request with
// that ID. An error of w ends them, because the client has gone.
var flaws = map[string]func(w io.Writer, id json.RawMessage, random *rand.Rand){
	"an endless line": func(w io.Writer, _ json.RawMessage, _ *rand.Rand) {
		repeat(w, "", strings.Repeat("a", 1<<16))
	},
	"an endless text": func(w io.Writer, id json.RawMessage, _ *rand.Rand) {
		repeat(w, before(id)+`{"tools":[{"name":"t","inputSchema":{},"description":"`, strings.Repeat("words ", 1<<13))
	},
	"endless tools": func(w io.Writer, id json.RawMessage, _ *rand.Rand) {
		repeat(w, before(id)+`{"tools":[{"name":"t","inputSchema":{}}`,
			strings.Repeat(`,{"name":"t","inputSchema":{}}`, 1<<10))
	},
	"endless space": func(w io.Writer, id json.RawMessage, _ *rand.Rand) {
		repeat(w, before(id), strings.Repeat(" ", 1<<16))
	},
	"silence": func(io.Writer, json.RawMessage, *rand.Rand) { time.Sleep(time.Hour) },
	"a slow drip": func(w io.Writer, id json.RawMessage, _ *rand.Rand) {
		for _, c := range tools(id, `{"name":"t","inputSchema":{"type":"object"}}`, "") {
			if _, err := w.Write([]byte{byte(c)}); err != nil {
				return
			}
			flush(w)
			time.Sleep(200 * time.Millisecond)
		}
	},
	"a cut": func(w io.Writer, id json.RawMessage, random *rand.Rand) {
		text := tools(id, `{"name":"t","inputSchema":{"type":"object"}}`, "")
		_, _ = io.WriteString(w, text[:random.IntN(len(text))])
		flush(w)
		panic(http.ErrAbortHandler)
	},
	"noise": func(w io.Writer, _ json.RawMessage, random *rand.Rand) {
		b := make([]byte, 1+random.IntN(5000))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		_, _ = w.Write(b)
	},
	"depth": func(w io.Writer, id json.RawMessage, _ *rand.Rand) {
		_, _ = io.WriteString(w, before(id)+strings.Repeat(`{"tools":[`, 1_000_000))
	},
	"a deep schema": func(w io.Writer, id json.RawMessage, _ *rand.Rand) {
		n := 9000
		schema := strings.Repeat(`{"type":"object","properties":{"a":`, n) + "{}" + strings.Repeat("}}", n)
		_, _ = io.WriteString(w, tools(id, `{"name":"t","inputSchema":`+schema+`}`, ""))
	},
	"a schema that refers to itself": func(w io.Writer, id json.RawMessage, _ *rand.Rand) {
		_, _ = io.WriteString(w,
			tools(id, `{"name":"t","inputSchema":{"$ref":"#","allOf":[{"$ref":"#"}],"$defs":{"a":{"$ref":"#/$defs/a"}}}}`, ""))
	},
	"numbers": func(w io.Writer, id json.RawMessage, _ *rand.Rand) {
		_, _ = io.WriteString(w,
			tools(id, `{"name":"t","inputSchema":{"minimum":1e999999999,"maximum":`+strings.Repeat("9", 1<<20)+`}}`,
				""))
	},
	"another ID": func(w io.Writer, _ json.RawMessage, _ *rand.Rand) {
		_, _ = io.WriteString(w, tools(json.RawMessage(`"another"`), "", ""))
	},
	"no ID": func(w io.Writer, _ json.RawMessage, _ *rand.Rand) {
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","result":{}}`)
	},
	"other types": func(w io.Writer, id json.RawMessage, _ *rand.Rand) {
		_, _ = io.WriteString(w, before(id)+
			`{"tools":{"name":["t"]},"protocolVersion":7,"content":"x","capabilities":[],"total":"many","state":{}}}`)
	},
	"an error of a megabyte": func(w io.Writer, id json.RawMessage, _ *rand.Rand) {
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":%q}}`, id,
			strings.Repeat("\x1b[31mno", 1<<17))
	},
	"endless pages": func(w io.Writer, id json.RawMessage, random *rand.Rand) {
		_, _ = io.WriteString(w,
			tools(id, fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object"}}`, random.Uint64()),
				fmt.Sprint(random.Uint64())))
	},
	"the same page": func(w io.Writer, id json.RawMessage, _ *rand.Rand) {
		_, _ = io.WriteString(w, tools(id, `{"name":"t","inputSchema":{"type":"object"}}`, "again"))
	},
	"many tools": func(w io.Writer, id json.RawMessage, _ *rand.Rand) {
		_, _ = io.WriteString(w,
			tools(id, strings.Repeat(`{"name":"t","inputSchema":{}},`, 300_000)+`{"name":"t","inputSchema":{}}`, ""))
	},
	"a long description": func(w io.Writer, id json.RawMessage, _ *rand.Rand) {
		_, _ = io.WriteString(w,
			tools(id, `{"name":"t","inputSchema":{},"description":"`+strings.Repeat(`\u4f60 you must `, 300_000)+`"}`,
				""))
	},
	"broken text": func(w io.Writer, id json.RawMessage, _ *rand.Rand) {
		_, _ = io.WriteString(w,
			tools(id, `{"name":"\ud800\u0000`+"\xff\xfe"+`","name":"t","inputSchema":{},"description":"\u202e\ud83d"}`,
				""))
	},
	"notifications": func(w io.Writer, _ json.RawMessage, _ *rand.Rand) {
		repeat(w, "", strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`+"\n", 1000))
	},
	"requests": func(w io.Writer, _ json.RawMessage, _ *rand.Rand) {
		repeat(w, "", strings.Repeat(`{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{}}`+"\n",
			1000))
	},
}

// httpFlaws are what only a server over HTTP can do.
var httpFlaws = map[string]func(w http.ResponseWriter, r *http.Request){
	"a bomb": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z, _ := gzip.NewWriterLevel(w, gzip.BestCompression)
		repeat(z, before(json.RawMessage("1"))+`{"tools":["`, strings.Repeat(" ", 1<<20))
	},
	"redirects": func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, fmt.Sprintf("%s?%d", r.URL.Path, time.Now().UnixNano()), http.StatusTemporaryRedirect)
	},
	"a redirect to a file": func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
	},
	"headers": func(w http.ResponseWriter, _ *http.Request) {
		for i := range 5000 {
			w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("h", 1000))
		}
	},
	"an error of the server": func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		repeat(w, "", strings.Repeat("no", 1<<15))
	},
	"nothing": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
	"endless events": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		repeat(w, "", strings.Repeat("event: message\ndata: {}\n\n", 1000))
	},
	"an endless event": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		repeat(w, "", strings.Repeat("data: {\n", 1000))
	},
	"endless comments": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		repeat(w, "", strings.Repeat(": still here\n", 1000))
	},
	"another content type": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_, _ = io.WriteString(w, tools(json.RawMessage("1"), "", ""))
	},
}

// processFlaws are what only a server that the program starts can do.
var processFlaws = map[string]func(token string){
	"a daemon": func(token string) {
		cmd := exec.Command("setsid", "sh", "-c", "sh -c 'sleep 300; : "+token+"' </dev/null >/dev/null 2>&1 & exit")
		_ = cmd.Run()
	},
	"no end by a signal": func(string) {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		go func() { time.Sleep(5 * time.Minute) }()
	},
	"endless standard error": func(string) {
		go repeat(os.Stderr, "", strings.Repeat("error\x1b]0;title\x07\n", 1000))
	},
}

// repeat writes a text again and again, until the client has gone.
func repeat(w io.Writer, head, text string) {
	_, err := io.WriteString(w, head)
	for err == nil {
		_, err = io.WriteString(w, text)
	}
}

func flush(w io.Writer) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// before is an answer up to its result.
func before(id json.RawMessage) string { return `{"jsonrpc":"2.0","id":` + string(id) + `,"result":` }

// tools is an answer that lists tools.
func tools(id json.RawMessage, list, cursor string) string {
	if cursor != "" {
		cursor = `,"nextCursor":"` + cursor + `"`
	}
	return before(id) + `{"tools":[` + list + `]` + cursor + `}}`
}

// request is a request of MCP.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

// truth is the answer of a server without flaws.
func truth(r request) string {
	switch r.Method {
	case "initialize":
		return before(r.ID) + `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`
	case "tools/list":
		return tools(r.ID, `{"name":"t","description":"Lists files.","inputSchema":{"type":"object"}}`, "")
	}
	return before(r.ID) + `{"content":[{"type":"text","text":"[]"}]}}`
}

// hostileServer is a server with a flaw in the answers to one method, or to one path.
type hostileServer struct {
	flaw, target, token string
	random              *rand.Rand
}

// serveMain is the program args[0], http or stdio, of a server with the flaw args[1] at
// args[2]. args[3] is the seed, and args[4] marks its processes. Over HTTP, args[5] is the
// address.
func serveMain(args []string) {
	seed, err := strconv.ParseUint(args[3], 10, 64)
	if err == nil {
		s := &hostileServer{flaw: args[1], target: args[2], token: args[4], random: rand.New(rand.NewPCG(seed, 1))}
		if does := processFlaws[s.flaw]; does != nil {
			does(s.token)
		}

		if args[0] == "http" {
			go func() {
				_, _ = io.Copy(io.Discard, os.Stdin)
				os.Exit(0)
			}()
			err = http.ListenAndServe(args[5], s)
		} else {
			err = s.talk(os.Stdin, os.Stdout)
		}
	}

	if err != nil {
		fmt.Fprintln(os.Stderr, "campaigns:", err)
		os.Exit(1)
	}

	os.Exit(0)
}

// talk answers the requests of a client over its standard input and output.
func (s *hostileServer) talk(in io.Reader, out io.Writer) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("cut")
		}
	}()
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var r request
		if json.Unmarshal(lines.Bytes(), &r) != nil || r.ID == nil {
			continue
		}

		if does := flaws[s.flaw]; does != nil && r.Method == s.target {
			does(out, r.ID, s.random)
		} else if _, err := io.WriteString(out, truth(r)); err != nil {
			return err
		}

		if _, err := io.WriteString(out, "\n"); err != nil {
			return err
		}
	}

	return lines.Err()
}

// ServeHTTP answers a client of MCP with JSON or with an event stream, by its address, and a
// client of the REST interface that the campaign's adapter describes.
func (s *hostileServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := request{ID: json.RawMessage("1"), Method: strings.TrimPrefix(r.URL.Path, "/")}
	if r.Method == http.MethodPost {
		if json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&q) == nil && q.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
	} else if strings.HasPrefix(q.Method, "mcp") || strings.HasPrefix(q.Method, "sse") {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}

	attacked := q.Method == s.target
	if does := httpFlaws[s.flaw]; does != nil && attacked {
		does(w, r)
		return
	}

	does := flaws[s.flaw]
	stream := strings.HasPrefix(r.URL.Path, "/sse")
	w.Header().Set("Content-Type", "application/json")
	if stream {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: message\ndata: ")
	}

	switch {
	case does != nil && attacked:
		does(w, q.ID, s.random)
	case r.Method != http.MethodPost:
		_, _ = io.WriteString(w, restTruth(q.Method))
	default:
		_, _ = io.WriteString(w, truth(q))
	}

	if stream {
		_, _ = io.WriteString(w, "\n\n")
	}
}

// restTruth is what a proxy without flaws answers at a path.
func restTruth(path string) string {
	switch path {
	case "ready":
		return `{"state":"ready"}`
	case "tools":
		return `{"tools":[{"name":"s:t","description":"Lists files.","inputSchema":{"type":"object"}}]}`
	}
	return `{"tools":[{"name":"s:t","score":1}]}`
}
