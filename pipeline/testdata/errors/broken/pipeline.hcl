stage "s" {
  command = ["x", var.v]
}
