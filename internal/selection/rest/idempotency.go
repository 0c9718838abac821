package rest

import (
	"bytes"
	"container/list"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"
)

// Bounds of what is kept for Idempotency-Key.
const (
	keptFor   = 24 * time.Hour
	keptBytes = 64 << 20
	longKey   = 255
	// longAnswer is the largest answer, in bytes, that outlasts the process.
	longAnswer = 8 << 20
)

// replays answers a POST whose Idempotency-Key was used before with the answer of
// the first one, so that a client may repeat a request whose answer it lost.
//
// Answers are kept in memory. Those that say that something was changed are also
// kept in the database, by a digest of the key, and outlast the process.
type replays struct {
	now func() time.Time

	mu    sync.Mutex
	size  int
	order *list.List // of *replay, the oldest first
	byKey map[string]*list.Element
}

type replay struct {
	key         string
	fingerprint [sha256.Size]byte
	at          time.Time
	done        bool
	status      int
	header      http.Header
	body        []byte
}

func newReplays(now func() time.Time) *replays {
	return &replays{now: now, order: list.New(), byKey: map[string]*list.Element{}}
}

// handle expects the body of a request to be in memory.
func (p *replays) handle(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Idempotency-Key")
		if r.Method != http.MethodPost || key == "" {
			next.ServeHTTP(w, r)
			return
		}

		if len(key) > longKey {
			writeProblem(w, http.StatusBadRequest, "the Idempotency-Key is longer than 255 bytes: shorten it")
			return
		}

		print, err := fingerprint(r)
		if err != nil {
			writeProblem(w, http.StatusBadRequest, "the body cannot be read")
			return
		}

		entry, first := p.begin(key, print)
		switch {
		case entry.fingerprint != print:
			writeProblem(w, http.StatusUnprocessableEntity, usedForAnother)
		case !first && !entry.done:
			writeProblem(w, http.StatusConflict,
				"the first request with this Idempotency-Key is still in work: repeat it later")
		case !first:
			replayed(w, entry.status, entry.header, entry.body)
		default:
			kept := &answerRecorder{ResponseWriter: w, status: http.StatusOK}
			finished := false
			defer func() { p.end(key, kept, finished && kept.status < 500) }()
			next.ServeHTTP(kept, r)
			finished = true
		}
	})
}

// begin gives a copy of the entry of a key, and whether it is new.
func (p *replays) begin(key string, fingerprint [sha256.Size]byte) (replay, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for e := p.order.Front(); e != nil; e = p.order.Front() {
		old := e.Value.(*replay)
		if p.size <= keptBytes && p.now().Sub(old.at) < keptFor {
			break
		}

		p.drop(e)
	}

	if e, ok := p.byKey[key]; ok {
		return *e.Value.(*replay), false
	}

	entry := &replay{key: key, fingerprint: fingerprint, at: p.now()}
	p.byKey[key] = p.order.PushBack(entry)
	p.size += len(key) + 256
	return *entry, true
}

func (p *replays) drop(e *list.Element) {
	old := p.order.Remove(e).(*replay)
	delete(p.byKey, old.key)
	p.size -= len(old.key) + 256 + len(old.body)
}

// end keeps the answer, or forgets the request where it may be repeated.
func (p *replays) end(key string, kept *answerRecorder, keep bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, ok := p.byKey[key]
	if !ok {
		return
	}

	if !keep {
		p.drop(e)
		return
	}

	entry := e.Value.(*replay)
	entry.done, entry.status, entry.body, entry.header = true, kept.status, kept.body.Bytes(), kept.replayHeader()
	p.size += len(entry.body)
}

// answerRecorder copies an answer while it is sent.
type answerRecorder struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// replayHeader returns the part of the header that a repeated request gets.
func (k *answerRecorder) replayHeader() http.Header {
	header := http.Header{}
	for _, name := range []string{"Content-Type", "Location", "Etag"} {
		if v := k.Header().Values(name); len(v) > 0 {
			header[name] = v
		}
	}
	return header
}

func (k *answerRecorder) Unwrap() http.ResponseWriter { return k.ResponseWriter }

func (k *answerRecorder) WriteHeader(status int) {
	k.status = status
	k.ResponseWriter.WriteHeader(status)
}

func (k *answerRecorder) Write(b []byte) (int, error) {
	k.body.Write(b)
	return k.ResponseWriter.Write(b)
}
