four = 4
