# Images of patches with 23 textures, as those of Sharp (2008) have 23 classes.

scene <- function(height = 213, width = 320, n_classes = 23) {
  row <- matrix(seq_len(height), height, width)
  col <- matrix(rep(seq_len(width), each = height), height)
  x <- sample(width, 30, TRUE)
  y <- sample(height, 30, TRUE)
  away <- vapply(seq_len(30), function(i) c((col - x[i])^2 + (row - y[i])^2), numeric(length(row)))
  label <- matrix(sample(n_classes, 30, TRUE)[max.col(-away)], height)
  lines <- (col * (label %% 5) + row * (label %/% 5)) %% (7 + label %% 3) < 3
  list(image = sample(0:63, length(row), TRUE) + 60 * lines + 3 * label, label = label)
}

scenes <- function(n, seed, ...) {
  set.seed(seed)
  made <- lapply(seq_len(n), function(i) scene(...))
  list(images = lapply(made, `[[`, "image"), labels = lapply(made, `[[`, "label"))
}
