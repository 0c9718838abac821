// Package mcpserver offers the evaluation of tool selection to agents, as the
// tools of an MCP server. It is behind touchstone eval mcp.
//
// An agent may be led astray by what it reads, so that it gets less than a user
// at the command line: the models that it may ask are those that the user allowed,
// it names no address and no credential, and every text that comes from other
// servers is free of characters that are not seen.
package mcpserver
