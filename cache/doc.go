// Package cache is a content-addressed store for the results of pipeline
// stages. It holds blobs, directory trees, records of stage instances, the
// stat index, locks, the history and journals of runs. It evicts, verifies,
// exports and imports them. It imports no other package of this module and does
// not depend on pipelines or MCP.
//
// # What is safe
//
// Any number of processes on one machine may use one store at the same time.
// There is no lock around a whole run. Files become visible by rename, and
// blobs are written before the record that names them, so a process that is
// killed at any time leaves either the old state or the new one. Everything is
// verified when it is read: a damaged blob or record is a miss with a reason,
// is removed from the store, and never causes a failed run or a wrong answer.
// Files damaged by a power failure are handled in the same way; blobs and
// records are not flushed to the disk to prevent it.
//
// # What is not safe
//
// Do not put a store on a network filesystem: the locks, the renames and the
// clock behind file times cannot be trusted there. A user who can write to the
// store can map a key to any result; digests protect the content, not that
// mapping. Share a store only between users who trust each other. The caller
// of Import decides whose results it accepts, and each record from elsewhere
// has its origin.
//
// # Layout
//
//	VERSION             format of the store, "touchstone cache 1"
//	blobs/ab/abcd...    content, named by the SHA-256 of its plain bytes
//	records/ab/abcd...  the result of an action, named by its key
//	gone/ab/abcd...     tombstones: why a record or blob was removed
//	stat/               stat indexes, one per project root
//	history/, runs/     data for the explain and logs commands
//	locks/              locks of running stages, and one file per writer
//	tmp/                temporary files, renamed when they are complete
//
// # Bytes
//
// A blob file is a 16-byte header (magic, codec, length of the plain bytes)
// followed by the plain or zstd-compressed bytes. A record file is a header
// with the fields that a lookup needs, and a JSON body. A directory is a blob
// that holds a canonical manifest. None of the three depends on the layout
// above, so the same bytes can be sent in an archive or through an HTTP cache
// with the endpoints of Bazel's remote cache, /cas/ (plain bytes of a blob) and
// /ac/ (a record file, by key). A client of such a cache would read from it
// after a miss, and add what it receives with Adopt if its signature is accepted. It
// would write RecordFile and a signature of it after PutRecord.
package cache
