# The public data sets and what is known of them.

data_folder <- function() Sys.getenv("CONTREE_DATA")

data_path <- function(name) file.path(data_folder(), paste0(name, ".csv.gz"))

read_data_set <- function(name) {
  data <- utils::read.csv(data_path(name))
  data$class <- factor(data$class)
  data
}

# One row a case: data, rows, features, classes, depth, misclassified and reference_seconds, the
# latter two NA where the reference has not proven an optimum. Those cases come only in full mode.
data_cases <- function(settings, depths = 2:4) {
  path <- file.path(data_folder(), "reference.csv")
  if (!file.exists(path)) {
    message("bench: CONTREE_DATA does not name the folder of the data sets; ",
            "parts that want them are left out")
    return(NULL)
  }
  known <- utils::read.csv(path)
  sets <- unique(known[c("data", "rows", "features", "classes")])
  cases <- merge(merge(sets, data.frame(depth = depths)), known, all.x = TRUE)
  if (settings$quick) cases <- cases[!is.na(cases$reference_seconds), ]
  cases <- asked_cases(cases, "data", settings)
  # the short ones first: whoever interrupts has most of the table
  cases[order(cases$depth, cases$reference_seconds, cases$rows * cases$features), ]
}

# Cases by name, as "bank:4": those of CASES, or else the given ones. What the folder does not have
# is left out.
chosen_cases <- function(names, settings) {
  if (length(settings$cases)) names <- settings$cases
  parts <- strsplit(names, ":")
  cases <- data.frame(data = vapply(parts, `[`, "", 1),
                      depth = as.integer(vapply(parts, `[`, "", 2)))
  there <- file.exists(data_path(cases$data))
  missing <- unique(cases$data[!there])
  if (length(missing)) {
    message("bench: CONTREE_DATA does not have ", paste(missing, collapse = ", "), "; left out")
  }
  cases[there, ]
}
