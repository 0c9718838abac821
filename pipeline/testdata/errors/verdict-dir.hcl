pipeline {
  required_version = "one" # ERROR: Invalid version constraint
  verdict          = stage.s.dir # ERROR: Invalid verdict; is a directory
  publish          = stage.s.dir # ERROR: Bad type; publish is written out
}
stage "s" {
  outputs = { dir = "out/d/" }
  command = ["x"]
}
