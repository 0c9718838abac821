package readlimit

import "bytes"

// Mark is the byte order mark that some editors write before UTF-8 text. It is no part of the text: left in
// place, it would silently become the beginning of the first word.
const Mark = "\xef\xbb\xbf"

// WithoutMark returns a text without a byte order mark at its beginning.
func WithoutMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte(Mark)) }
