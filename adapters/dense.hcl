# No proxy: a client that ranks the tools of all servers by embeddings of their
# names and descriptions. They come from a sentence model on this machine, given
# with --var "proxy_model=$(touchstone models path)", or from any service that
# answers POST URL/embeddings as OpenAI's does, given with the options. Give the
# key of a service, if it needs one, with --var proxy_secret=env:NAME, and let the
# stages reach it with --var proxy_network=full. The figures with a model are
# always the same; those with a service are as repeatable as the service is.
name     = "dense"
about    = "MCP servers without a proxy; the client ranks by embeddings."
contract = "native"
network  = "full"

option "url" {
  default = ""
  about   = "The address of the service before /embeddings, such as http://127.0.0.1:8080/v1. Empty for the model of proxy_model."
}

option "model" {
  default = ""
  about   = "The service's model that makes the embeddings."
}

start {
  # Without a service, the model is the one that the configuration names.
  command = concat(
    [touchstone, "proxy", "direct", "--rank", "dense"],
    option.url == "" ? [] : ["--embeddings-url", option.url, "--embeddings-model", option.model],
  )
}
