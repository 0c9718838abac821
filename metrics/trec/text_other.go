//go:build !unix

package trec

import "os"

// mapFile is not supported here: the caller reads the file.
func mapFile(*os.File) (data []byte, release func(), ok bool) { return nil, nil, false }
