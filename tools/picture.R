# Draws the picture in README.md from a real fit: Rscript tools/picture.R. What is
# committed has a palette of 32 colours, which is a quarter of the size.
source("tools/png.R")
library(contree)

fit <- contree(type ~ ., data = MASS::Pima.tr, depth = 3)
dir.create("man/figures", recursive = TRUE, showWarnings = FALSE)
file <- open_picture("man/figures/README-tree.png", 1500, 900, res = 150)
plot(fit, main = sprintf("Diabetes in %d Pima women (MASS): %.0f errors, proven optimal at depth 3",
                         nrow(MASS::Pima.tr), fit$objective))
invisible(dev.off())
cat(file, "\n", sep = "")
