# No search: all tools are in the model's context, so there is no ranking to measure.
# A query for ten tools returns the first ten in the context. Their order is the order
# of the servers, which differs in each run, so recall is at chance level and varies
# accordingly between runs. The recall of the whole context is 1 by construction. Its
# cost is its size, which the log of the proxy reports in bytes.
name     = "all-tools"
about    = "All tools in the model's context, without a ranking."
contract = "native"

start {
  command = [touchstone, "proxy", "direct", "--rank", "all"]
}
