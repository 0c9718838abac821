// Package proxy is the room of the system under test: what starts a proxy, gives it frozen
// tools, and asks it to search.
//
//   - reference is the embedded proxy, the default system under test
//   - adapter reads the description of any other proxy, and undertest runs it
//   - replay serves the frozen tools as MCP servers, the proxy's upstreams
//   - direct asks an embedded search without a proxy
//   - mcpclient is what every MCP client needs
//   - embedding computes sentence vectors
//
// No golden set, no metric and no stage come in. Start with undertest.
package proxy
