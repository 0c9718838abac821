// Package page is the HTML page of the service: one document, style sheets and ES
// modules, written by hand and embedded as they are. It loads nothing from other
// hosts and needs no build.
//
//   - files/index.html is the frame; files/main.js shows the view that the
//     fragment of the URL names.
//   - files/views has a module for each view; the modules beside main.js are what
//     several views need.
//
// The page reaches the service by its API alone. Every text reaches the document
// as a text node: the modules never parse markup, and the policy forbids it.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/touchstone-eval/touchstone/internal/report/pagestyle"
)

//go:embed files
var embedded embed.FS

// Policy is the Content-Security-Policy of the page. With its last two
// directives, browsers refuse to parse text as markup.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; frame-ancestors 'none'; form-action 'none'; require-trusted-types-for " +
	"'script'; trusted-types 'none'"

// Files is the path below which the files of the page are served. The page itself
// is at the root.
const Files = "/page/"

// Serves reports whether the page or one of its files is at a path. They hold no
// data, so they need no token: the page has to be there for a user to sign in.
func Serves(path string) bool {
	_, ok := files()[path]
	return ok
}

// file is a file of the page, ready to be sent.
type file struct {
	content   []byte
	mediaType string
	tag       string
}

// files maps paths of the service to files. They are read when the page is first
// asked for, and not at the start of every command.
var files = sync.OnceValue(func() map[string]file {
	all := map[string]file{}
	err := fs.WalkDir(embedded, "files", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := embedded.ReadFile(name)
		if err != nil {
			return err
		}
		place := Files + strings.TrimPrefix(name, "files/")
		switch place {
		case Files + "index.html":
			place = "/"
		case Files + "style.css":
			content = append([]byte(pagestyle.Tokens), content...)
		}
		all[place] = newFile(content, path.Ext(name))
		return nil
	})
	if err != nil { // what is embedded can be read
		panic(err)
	}
	return all
})

func newFile(content []byte, ext string) file {
	sum := sha256.Sum256(content)
	mediaType := mime.TypeByExtension(ext)
	if ext == ".js" { // systems disagree on it, and browsers insist
		mediaType = "text/javascript; charset=utf-8"
	}
	return file{content, mediaType, `"` + hex.EncodeToString(sum[:16]) + `"`}
}

// ServeHTTP serves the page and its files, and reports whether there is one at the
// path.
func ServeHTTP(w http.ResponseWriter, r *http.Request) bool {
	f, ok := files()[r.URL.Path]
	if !ok {
		return false
	}
	h := w.Header()
	h.Set("Content-Security-Policy", Policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Content-Type", f.mediaType)
	h.Set("ETag", f.tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.content))
	return true
}
