stage "s" { }
