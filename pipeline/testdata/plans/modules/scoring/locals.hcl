locals { runs = var.runs }
