// Package remotetest has servers of the Remote Execution API for tests and campaigns: Memory keeps
// everything in memory, Start runs bazel-remote, and Middle stands between a client and one of them and
// changes what it answers. Wire does the same with the bytes of the connection.
package remotetest
