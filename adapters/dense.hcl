# No proxy: a client that ranks the tools of all servers by embeddings of their
# names and descriptions. The service is any that answers POST URL/embeddings as
# OpenAI's does. Give its key, if it needs one, with
# --var proxy_secret=env:NAME, and let the stages reach it with
# --var proxy_network=full. The figures are as repeatable as the service is.
name     = "dense"
about    = "MCP servers without a proxy; the client ranks by embeddings."
contract = "native"
network  = "full"

option "url" {
  about = "The address of the service before /embeddings, such as http://127.0.0.1:8080/v1."
}

option "model" {
  about = "The model that makes the embeddings."
}

start {
  command = [
    touchstone, "proxy", "direct", "--rank", "dense",
    "--embeddings-url", option.url, "--embeddings-model", option.model,
  ]
}
