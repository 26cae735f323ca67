# Policy trees in parts, over workers or with a checkpoint: a part has one column at the root. The
# first search is of a level less, and gives all parts a tree to begin with; later parts begin with
# the best tree so far. Of equally good trees the one whose root is on the first column counts, as
# in one search. The state is
#   solved   the answer with the best tree
#   bounds   what no tree with each column at the root costs less than; NA: not searched yet
#   done     for each column, whether nothing is left to search
#   search   counters, summed
#   elapsed  seconds before this session

search_policy_in_parts <- function(columns, rewards, settings, asked) {
  begin <- seconds_now()
  data <- list(columns = columns, rewards = rewards)
  hash <- policy_data_hash(data)
  control <- policy_control(rewards, settings, asked)
  control["report"] <- list(NULL)
  if (isTRUE(settings$workers) && is.null(settings$threads)) control$threads <- 1
  state <- read_policy_checkpoint(settings$checkpoint, hash, control, column_count(columns))
  run <- list(control = control, before = state$elapsed,
              checkpoint = new_policy_checkpoint(settings$checkpoint, hash, control))
  if (is.null(state$solved)) {
    control$depth <- control$depth - 1L
    state$solved <- .Call(ffi_policy_solve, columns, rewards, control)
    state$search <- state$solved$search
  }
  run$left <- function() settings$time_limit - (seconds_now() - begin)
  stopped <- if (state$solved$interrupted) "interrupted"
             else if (state$solved$status == "memory limit") "memory limit"
  if (is.null(stopped)) {
    pool <- pool_for(policy_task, if (isTRUE(settings$workers)) future_pool else own_pool)
    shared <- share_data(data, hash, pool)
    on.exit(shared$end())
    take <- function(answer, column) {
      state <<- take_policy_part(state, answer, column)
      state$elapsed <<- run$before + seconds_now() - begin
      run$checkpoint(state)
      tell_policy_parts(state, asked$report)
    }
    stopped <- deal_policy_parts(function() state, take, pool, shared, run)
  }
  policy_of_parts(state, stopped, run$before + seconds_now() - begin)
}

policy_data_hash <- function(data) {
  paste(format(c(hash_columns(data$columns), hash_columns(data$rewards)), digits = 17),
        collapse = " ")
}

# What a worker does: the best tree with one column at the root. NULL where it has no data.
policy_task <- function(task) {
  data <- find_data(task$where, policy_data_hash)
  if (!is.null(data)) .Call(ffi_policy_solve, data$columns, data$rewards, task$control)
}

# Why it ended early, or NULL. Answers are taken in as they come, so that the next part begins with
# the best tree.
deal_policy_parts <- function(state, take, pool, shared, run) {
  open <- which(!state()$done)
  make <- function(column, left) {
    control <- run$control
    control$roots <- seq_along(state()$done) == column
    control$start <- nodes_searched(state()$solved)
    control$time_limit <- left
    list(where = shared$where(), control = control, column = column)
  }
  launch <- pool$launch
  wait <- pool$wait
  collect <- pool$collect
  pool$launch <- function(task) {
    handle <- launch(task)
    if (!is.null(handle)) list(handle = handle, column = task$column)
  }
  pool$wait <- function(handles, patience) wait(lapply(handles, `[[`, "handle"), patience)
  pool$collect <- function(one) {
    answer <- collect(one$handle)
    if (!is.null(answer)) take(answer, one$column)
    answer
  }
  dealt <- deal_tasks(pool, open, make, function(n) NULL, run$left())
  dealt$stopped
}

take_policy_part <- function(state, answer, column) {
  state$search <- state$search + answer$search
  state$bounds[column] <- answer$bound
  state$done[column] <- answer$status == "optimal"
  if (!state$done[column]) state$status <- answer$status
  if (is_better_tree(c(answer$units, answer$feature[1]),
                     c(state$solved$units, state$solved$feature[1]))) {
    answer$where <- as.integer(answer$where)
    state$solved <- answer
  }
  state
}

tell_policy_parts <- function(state, report) {
  if (is.null(report)) return(invisible())
  bound <- if (anyNA(state$bounds)) 0 else min(state$solved$cost, state$bounds)
  report(state$elapsed, state$solved$cost, bound, mean(state$done))
}

policy_of_parts <- function(state, stopped, elapsed) {
  solved <- state$solved
  open <- ifelse(is.na(state$bounds), 0, state$bounds)
  solved$bound <- min(solved$cost, open)
  solved$status <- if (all(state$done)) "optimal"
                   else if (!is.null(stopped)) stopped
                   else state$status
  solved$interrupted <- identical(stopped, "interrupted")
  solved$search <- state$search
  solved$elapsed <- elapsed
  solved
}

# ---- checkpoints ---------------------------------------------------------------------------------

policy_checkpoint_format <- "policy 1"

kept_with_policy <- c("depth", "minbucket", "price")

read_policy_checkpoint <- function(path, hash, control, n_columns) {
  fresh <- list(solved = NULL, bounds = rep(NA_real_, n_columns), done = logical(n_columns),
                search = 0, elapsed = 0, status = "time limit")
  if (is.null(path) || !file.exists(path)) return(fresh)
  kept <- read_checkpoint_file(path, policy_checkpoint_format, hash, control[kept_with_policy])
  kept$state
}

new_policy_checkpoint <- function(path, hash, control) {
  if (is.null(path)) return(function(state) NULL)
  settings <- control[kept_with_policy]
  function(state) {
    write_checkpoint_file(path, list(format = policy_checkpoint_format, hash = hash,
                                     settings = settings, state = state))
  }
}
