pipeline {
  name             = "a/b"     # ERROR: Invalid name
  required_version = ">= 2.0"  # ERROR: Unsupported version of touchstone; this is 1.2.3
  verdict          = stage.m.x # ERROR: Invalid verdict; has a matrix; stage.m["n=1"].x
  publish = {
    reports    = stage.s.dir
    "reports/x" = stage.s.file   # ERROR: Overlapping publish paths
    "../out"   = stage.s.file    # ERROR: Invalid publish path; leads out
    "/tmp/x"   = stage.s.file    # ERROR: Invalid publish path; absolute
    "."        = stage.s.file    # ERROR: Invalid publish path; own directory
    "a/.."     = stage.s.file    # ERROR: Invalid publish path; own directory
    ".git/x"   = stage.s.file    # ERROR: Invalid publish path; git
    "results.hcl" = stage.s.file # ERROR: Invalid publish path; pipeline file
    matrix     = stage.m.x       # ERROR: Invalid publish; has a matrix
    text       = "x"             # ERROR: Invalid publish; must be an output
    typo       = stage.s.fil     # ERROR: Unknown output; Did you mean "file"?
    whole      = stage.s         # ERROR: Invalid publish; must be an output
  }
  trust {
    allowed_signers = ""         # ERROR: Invalid path; allowed signers is empty
    signers         = "x"        # ERROR: Unknown attribute; no attribute "signers"
  }
  remote {
    cache       = "https://cache.example"  # ERROR: Invalid address; Write grpcs://HOST
    mode        = "write"                  # ERROR: Invalid mode; Use "read"
    bearer      = "env:"                   # ERROR: Secret in the pipeline; must be a reference
    client_key  = "hunter2"                # ERROR: Secret in the pipeline; The client key
    signing_key = "env:KEY"
    headers     = { token = "secret" }     # ERROR: Secret in the pipeline; The header "token"
    port        = 1                        # ERROR: Unknown attribute; no attribute "port"
  }
}
stage "s" {
  outputs = { file = "out/x", dir = "out/d/" }
  command = ["x"]
}
stage "m" {
  matrix { n = [1, 2] }
  outputs = { x = "out/x" }
  command = ["x"]
}
