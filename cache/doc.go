// Package cache is the content-addressed store: blobs, results of stage
// instances, the stat index, locks, eviction and verification. It imports
// nothing of ours and knows nothing of pipelines or MCP.
package cache
