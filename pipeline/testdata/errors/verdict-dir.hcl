pipeline {
  required_version = "one" # ERROR: Invalid version constraint
  verdict          = stage.s.dir # ERROR: Invalid verdict; is a directory
  publish          = stage.s.dir # ERROR: Bad type; publish must be a literal map
}
stage "s" {
  outputs = { dir = "out/d/" }
  command = ["x"]
}
