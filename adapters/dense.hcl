# No proxy: a client that ranks the tools of all servers by embeddings of their names
# and descriptions. The embeddings come from a sentence model on this machine, given
# with --var "proxy_model=$(touchstone models path)", or from a service that implements
# POST URL/embeddings as OpenAI does, given with the options. If a service needs a key,
# give it with --var proxy_process.secret=env:NAME. Allow the stages to reach the service with
# --var proxy_process.network=full. The figures with a local model are reproducible. Those with
# a service are only as reproducible as the service.
name     = "dense"
about    = "MCP servers without a proxy; the client ranks the tools by embeddings."
contract = "native"
network  = "full"

option "url" {
  default = ""
  about   = "The address of the service without /embeddings, such as http://127.0.0.1:8080/v1. Empty to use the model in proxy_model."
}

option "model" {
  default = ""
  about   = "The embedding model of the service."
}

start {
  # Without a service, the client uses the model named in its configuration.
  command = concat(
    [touchstone, "proxy", "direct", "--rank", "dense"],
    option.url == "" ? [] : ["--embeddings-url", option.url, "--embeddings-model", option.model],
  )
}
