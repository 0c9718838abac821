# No search at all: all tools stand in the model's context. There is no ranking
# to measure. Asked for ten tools it gives the first ten of the context, in the
# order of the servers, which another run changes: recall among them is what
# chance gives, and its spread over runs is as wide. The recall of the whole
# context is 1 by construction; what it costs is its size, which the proxy's log
# tells in bytes.
name     = "all-tools"
about    = "All tools in the model's context, unranked."
contract = "native"

start {
  command = [touchstone, "proxy", "direct", "--rank", "all"]
}
