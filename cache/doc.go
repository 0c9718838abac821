// Package cache is the content-addressed store: blobs, trees, results of
// stage instances, the stat index, locks, history, eviction, verification and
// transport as one file. It imports nothing of ours and knows nothing of
// pipelines or MCP.
//
// # What is safe
//
// Any number of processes on one machine may use one store at the same time;
// there is no lock around a whole run. Files become visible by rename, and
// blobs are written before the record that names them, so a process that is
// killed at any instant leaves the old state or the new one. Everything read
// back is verified: a damaged blob or record is a miss with a reason, is taken
// out of the store, and is never an error of the run or a wrong answer. So is
// what a power failure has torn: nothing is flushed to prevent that.
//
// # What is not safe
//
// Network filesystems: the locks, the renames and the clock behind file times
// cannot be trusted there. Whoever can write the store can also map a key to
// a result of their choosing; digests protect content, not that map. Share a
// store between users who trust each other, and import only archives from
// those.
//
// # Layout
//
//	VERSION             format of the store, "touchstone cache 1"
//	blobs/ab/abcd...    content, named by the SHA-256 of its plain bytes
//	records/ab/abcd...  the result of an action, named by its key
//	gone/ab/abcd...     tombstones: why a record or blob is no longer there
//	stat/               stat indexes, one per project root
//	history/, runs/     what explain and logs read
//	locks/              what is being run, and one file per writer
//	tmp/                files on their way to one of the above
//
// # Bytes
//
// A blob file is a 16-byte header (magic, codec, length of the plain bytes)
// and the plain or zstd-compressed bytes. A record file is a header that
// answers the hot path, and a JSON body. A directory is a blob that holds a
// canonical manifest. None of the three says anything of the layout above, so
// the same bytes can travel in an archive or through an HTTP tier in the
// manner of Bazel's /cas/ (plain bytes of a blob) and /ac/ (a record file, by
// key): such a tier belongs in front of Lookup and behind PutRecord, and has
// to verify what it receives with decodeRecord and by digest, as Import does.
package cache
