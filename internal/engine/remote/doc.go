// Package remote shares results with other machines, and runs actions on them, through a server of the
// Remote Execution API v2 such as bazel-remote, Buildbarn or BuildBuddy.
//
// client.go, blobs.go and lookup.go speak the protocol. Results is what a run uses: it looks up the
// results of keys, fetches content when it is needed, and uploads new results in the background.
//
// A server is not trusted. A result is accepted only if a signer whom the caller accepts has signed it, and
// content only if it has its digest. A server cannot hold up a run either: each answer has a time
// limit, all waiting together has one (limits.go), and after the first fault the run goes on without
// the server.
//
// Workers runs actions on the workers of a server: tree.go describes their inputs, execute.go follows
// their execution, and outputs.go fetches what they made. There a server is trusted to execute what it
// was asked to, but nothing that it answers is written outside of the directory of the action.
//
// The content of the results makes no difference to the package. It imports the cache, and no package of the
// evaluation.
package remote
