stage "s" {
  inputs = {
    missing   = "../data/none.json"                   # ERROR: Invalid input; "../data/none.json" does not exist
    device    = "/dev/null"                           # ERROR: Invalid input; is a device
    nothing   = ""                                    # ERROR: Invalid input; the path is empty
    number    = 3                                     # ERROR: Invalid input; a number cannot be an input
    none      = []                                    # ERROR: Invalid input; the list is empty
    mixed     = ["../data/a.json", stage.t.x]         # ERROR: Invalid input; either files or outputs
    twice     = ["../data/a.json", "../data/a.json"]  # ERROR: Invalid input; would both be copied to in/twice/data/a.json
    nested    = ["../data/a.json", ["b"]]             # ERROR: Invalid input; contains paths or outputs
    no-match  = { path = "../data", include = ["*.x"] } # ERROR: Invalid input; the directory "../data" contains no file
    no-path   = { include = ["*"] }                   # ERROR: Invalid input; a tree needs a path
    typo      = { path = "../data", includes = ["*"] } # ERROR: Invalid input; Did you mean "include"?
    glob      = { path = "../data", include = ["[a"] } # ERROR: Invalid input; malformed pattern "[a"
    file      = { path = "../data/a.json", include = ["*"] } # ERROR: Invalid input; is a file, but include and exclude need a directory
    whole     = stage.t                               # ERROR: Invalid input; a whole stage cannot be an input
    left-out  = null
    nul       = "a\u0000b"                            # ERROR: Invalid input; NUL byte
  }
  command = ["x"]
}
stage "t" {
  outputs = { x = "out/x" }
  command = ["x"]
}
stage "whole" {
  inputs  = concat(["a"], ["b"]) # ERROR: Bad type; must be a map
  command = ["x", input.a]
}
