library(testthat)
library(contree)

# Where NOT_CRAN says nothing a file or more of each part of the package, which keeps a check of it
# within minutes; tools/test_r.R runs all.
of_each <- paste0("^(exact-(contree|certify|costs|limits|regression)|",
                  "tree-(class|check|predict|prune)|data-(frame|derive)|",
                  "(forest|gmt)-(fit|predict)|forge-(fits|predict|schedule)|",
                  "export-(c|json|sql)|show-(print|rules|summary)|",
                  "bridge-rpart|util-conditions|edges)$")
test_check("contree", filter = if (!identical(Sys.getenv("NOT_CRAN"), "true")) of_each)
