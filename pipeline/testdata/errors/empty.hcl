# ERROR@: No stages
