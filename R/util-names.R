# Names of arguments: the same thing has the same name in all functions. Names that functions had
# before are taken with a message; those of other packages, and misspelt ones, are refused with the
# name that is meant.

# What a thing is called elsewhere, by what it may be called here.
names_elsewhere <- list(
  trees = c("ntree", "ntrees", "num.trees", "n.trees", "n_estimators", "nrounds", "num_iterations"),
  depth = c("maxdepth", "max.depth", "depth.max", "tree.depth", "max.tree.depth"),
  max_leaves = c("leaves.max", "maxleaves", "maxnodes", "max_leaf_nodes", "num_leaves"),
  min_n = c("nodesize", "min.node.size", "minsplit", "min.split", "min_samples_split"),
  minbucket = c("min.bucket", "min_samples_leaf", "min_data_in_leaf", "min_child_samples",
                "terminal.nodesize"),
  complexity = c("cp", "ccp_alpha", "cost_complexity"),
  threads = c("num.threads", "nthread", "nthreads", "n_jobs", "n_threads", "cores", "ncores"),
  seed = c("random_state", "random.seed"),
  sample_fraction = c("sample.fraction", "sampsize", "subsample"),
  weights = c("case.weights", "sample_weight"), class_weights = c("classwt", "class.weights"),
  loss = c("parms", "loss_matrix", "cost_matrix"), newdata = c("data", "new_data"),
  type = "predict_type", what = "which", interval = "intervals", level = "conf.level")

# "; did you mean 'trees'?" for a name that is none of those `known`; "" where none is near.
did_you_mean <- function(name, known) {
  plain <- function(names) tolower(gsub("[._]", "", names))
  elsewhere <- vapply(names_elsewhere, function(names) plain(name) %in% plain(names), NA)
  meant <- intersect(names(names_elsewhere)[elsewhere], known)
  meant <- c(meant, known[plain(known) == plain(name)])
  if (length(meant) == 0 && length(known)) {
    distance <- drop(utils::adist(name, known, ignore.case = TRUE))
    near <- min(max(2, nchar(name) / 3), nchar(name) - 1) # a single letter is near to nothing
    meant <- known[distance == min(distance) & distance <= near]
  }
  if (length(meant)) return(gettextf("; did you mean '%s'?", meant[1]))
  done_otherwise(plain(name))
}

# What arguments of other packages do, where no argument does it here; "" for others.
done_otherwise <- function(name) {
  text <- switch(name,
    method = , family = gettext("the type of the response decides between classes and numbers"),
    xval = gettext("contree_cv() cross-validates"),
    probability = gettext("predict(fit, newdata, type = \"prob\") has probabilities"),
    mtry = , ntree = , ntrees = , numtrees = , trees = , nestimators =
      gettext("hist_forest() grows forests"),
    "")
  if (nzchar(text)) paste0("; ", text) else ""
}

# Refuses names that are not `known`; `see` says where all of them are.
check_names <- function(given, known, see) {
  unknown <- setdiff(given, known)
  if (length(unknown) == 0) return(invisible())
  named <- unknown[nzchar(unknown)]
  if (length(named) == 0) {
    stop_input("...", gettextf("an argument without a name was given; see %s", see))
  }
  stop_input(named[1], gettextf("unknown argument %s%s; see %s", show_names(named),
                                did_you_mean(named[1], known), see))
}

# What arguments are called now, by what they were called before.
names_before <- c(leaves_max = "max_leaves", depth_max = "depth", min_bucket = "minbucket")

# `dots` with those of them replaced that are now among the `known`, which is told.
names_now <- function(dots, known) {
  for (name in intersect(names(dots), names(names_before)[names_before %in% known])) {
    now <- names_before[[name]]
    if (now %in% names(dots)) {
      stop_input(name, gettextf(
        "'%s' and '%s' are two names of the same argument; give only '%s'", name, now, now))
    }
    tell_contree(gettextf("'%s' is called '%s' now; the next version will refuse the old name",
                          name, now))
    names(dots)[names(dots) == name] <- now
  }
  dots
}

# The value of `make` for the arguments of a `call` that has names which it does not know. `see`: as
# for check_names().
made_by_names_now <- function(make, call, env, see) {
  known <- setdiff(names(formals(make)), "...")
  given <- names_now(as.list(call)[-1], known)
  check_names(names_of_dots(given), known, see)
  do.call(make, given, envir = env)
}

names_of_dots <- function(dots) {
  if (is.null(names(dots))) character(length(dots)) else names(dots)
}

# Stops when a method that takes `...` only for its generic's sake was given something in it, most
# often a misspelt name.
check_no_dots <- function(...) {
  if (...length() == 0) return(invisible())
  known <- setdiff(names(formals(sys.function(sys.parent()))), "...")
  check_names(names_of_dots(list(...)), known,
              gettext("the help page of this method for the arguments it has"))
}
