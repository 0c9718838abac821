stage "s" {
  command = ["x" # ERROR: Missing item separator
  outputs = { }
}
stage "t" {
  command = [unknown.thing]
}
