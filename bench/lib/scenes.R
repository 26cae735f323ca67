# Images of patches with 23 textures, as those of Sharp (2008) have 23 classes.

# Around which of 30 random points each pixel lies.
patches <- function(height, width) {
  row <- matrix(seq_len(height), height, width)
  col <- matrix(rep(seq_len(width), each = height), height)
  x <- sample(width, 30, TRUE)
  y <- sample(height, 30, TRUE)
  away <- vapply(seq_len(30), function(i) c((col - x[i])^2 + (row - y[i])^2), numeric(length(row)))
  max.col(-away)
}

scene <- function(height = 213, width = 320, n_classes = 23) {
  row <- matrix(seq_len(height), height, width)
  col <- matrix(rep(seq_len(width), each = height), height)
  patch <- patches(height, width)
  label <- matrix(sample(n_classes, 30, TRUE)[patch], height)
  lines <- (col * (label %% 5) + row * (label %/% 5)) %% (7 + label %% 3) < 3
  list(image = sample(0:63, length(row), TRUE) + 60 * lines + 3 * label, label = label)
}

scenes <- function(n, seed, ...) {
  set.seed(seed)
  made <- lapply(seq_len(n), function(i) scene(...))
  list(images = lapply(made, `[[`, "image"), labels = lapply(made, `[[`, "label"))
}

# Patches of photographs, each cut somewhere out of its `rows`.
mosaics <- function(photos, rows, n, seed, height = 120, width = 160) {
  set.seed(seed)
  made <- lapply(seq_len(n), function(i) {
    label <- matrix(sample(length(photos), 30, TRUE)[patches(height, width)], height)
    image <- matrix(0, height, width)
    for (k in seq_along(photos)) {
      down <- min(rows) - 1 + sample(length(rows) - height, 1)
      right <- sample(ncol(photos[[k]]) - width, 1)
      cut <- photos[[k]][down + seq_len(height), right + seq_len(width)]
      image[label == k] <- cut[label == k]
    }
    list(image = image, label = label)
  })
  list(images = lapply(made, `[[`, "image"), labels = lapply(made, `[[`, "label"))
}
