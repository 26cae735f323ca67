# A search in parts: what is open, who is given which of it, and what comes back. One part is a call
# of the search (src/r/part.c) on some open ranges of root thresholds; the state of the whole is
#   open      list of ranges, see src/r/part.c
#   known     what all parts know of the other thresholds; NULL before the first part
#   tree      which tree is the best so far: numbers that decide between two
#   solved    the answer with that tree
#   search    counters, summed; `elapsed` seconds before this session; `history`; `closed`
#   stopped   why the search ends early, or NULL

# ---- the data of a search ------------------------------------------------------------------------

search_data <- function(problem) {
  frame <- problem$frame
  list(columns = searched_columns(problem), codes = problem$codes, n_classes = problem$n_classes,
       costs = add_costs(list(), frame))
}

solve_part <- function(data, control) {
  control$part["kept"] <- list(kept_search(control))
  .Call(ffi_exact_solve, data$columns, data$codes, data$n_classes, c(control, data$costs))
}

hash_of_data <- function(data, control) {
  .Call(ffi_data_hash, data$columns, data$codes, data$n_classes, c(control, data$costs))
}

# The search with these settings in the data that are kept.
kept_search <- function(control) {
  settings <- control[checkpoint_settings]
  if (!identical(kept_data$settings, settings)) {
    .Call(ffi_part_forget, kept_data$search)
    kept_data$search <- .Call(ffi_part_keep)
    kept_data$settings <- settings
  }
  kept_data$search
}

# What a worker does: one part. NULL where it has no data.
search_task <- function(task) {
  data <- find_data(task$where, function(data) hash_of_data(data, task$control))
  if (!is.null(data)) solve_part(data, task$control)
}

# ---- ranges --------------------------------------------------------------------------------------

nothing_open <- function() {
  list(feature = integer(), first = integer(), last = integer(), rows = numeric(),
       proven = numeric(), ends = list())
}

n_ranges <- function(open) length(open$feature)

pick_ranges <- function(open, which) lapply(open, function(member) member[which])

bind_ranges <- function(a, b) Map(c, a, b)

# One range more: the one of the most thresholds in two halves. Each keeps what is known of the ends
# of both.
split_widest <- function(open) {
  width <- open$last - open$first
  widest <- which.max(width)
  if (length(widest) == 0 || width[widest] < 1) return(open)
  upper <- pick_ranges(open, widest)
  middle <- open$first[widest] + width[widest] %/% 2L
  open$last[widest] <- middle
  upper$first <- middle + 1L
  bind_ranges(open, upper)
}

# An estimate of the work that ranges are: their rows, if no tree there need cost more than now.
work_of_ranges <- function(open, cost) {
  sum(open$rows * pmax(cost - open$proven, 0.01 * cost))
}

# Which ranges one of `n` workers is given. They lie in the order in which one search would take
# them up, so everyone has of the promising ones, and of neighbours the same share.
deal_ranges <- function(open, n) seq.int(1, n_ranges(open), by = n)

# ---- the state -----------------------------------------------------------------------------------

# Costs of two numbers, and then the root: less is better.
is_better_tree <- function(a, b) {
  differ <- which(a != b)
  length(differ) > 0 && a[differ[1]] < b[differ[1]]
}

# The lesser of integers, given as the columns of matrices of two rows.
least_known <- function(a, b) {
  if (is.null(a)) return(b)
  less <- b[1, ] < a[1, ] | (b[1, ] == a[1, ] & b[2, ] < a[2, ])
  a[, less] <- b[, less]
  a
}

# The state after a part that was given `ranges` (NULL: all thresholds).
take_in <- function(state, answer, ranges = NULL) {
  part <- answer$part
  if (part$searched) {
    state$open <- bind_ranges(state$open, part$open)
    state$known <- least_known(state$known, part$known)
  } else if (!is.null(ranges)) {
    state$open <- bind_ranges(state$open, ranges)
  }
  state$search <- if (is.null(state$search)) answer$search else state$search + answer$search
  if (is.null(state$tree) || is_better_tree(part$tree, state$tree)) {
    state$tree <- part$tree
    state$solved <- answer
  }
  if (answer$status == "memory limit") state$stopped <- answer$status
  if (answer$interrupted) state$stopped <- "interrupted"
  state
}

new_state <- function() list(open = nothing_open(), elapsed = 0, history = list())

# What no tree costs less than, if `under_way` is being searched too.
state_bound <- function(state, under_way = nothing_open()) {
  min(state$solved$cost, state$open$proven, under_way$proven)
}

# The tree to begin with.
state_nodes <- function(state) {
  state$solved[c("feature", "threshold", "left", "right", "default_left")]
}

# The control of one part; `wanted`, if it is not NULL, is a file: the part pauses when that goes.
part_control <- function(control, state, ranges, ..., wanted = NULL) {
  control$part <- utils::modifyList(
    list(from = ranges, done = NULL, pause = Inf, most = Inf, one_of_several = 1),
    list(...))
  control$part["wanted"] <- list(wanted)
  control["report"] <- list(NULL)
  control$start <- state_nodes(state)
  control
}

# ---- the answer ----------------------------------------------------------------------------------

# The answer as one search would give it. Where nothing is open its equal trees are told apart.
finish_parts <- function(data, control, state, seconds) {
  last <- part_control(control, state, state$open, done = state$known, most = 0,
                       one_of_several = 0)
  last$time_limit <- if (n_ranges(state$open)) Inf else max(1, control$time_limit - seconds)
  solved <- solve_part(data, last)
  if (!solved$part$searched) { # there was no time for it
    last$time_limit <- Inf
    last$part$one_of_several <- 1
    solved <- solve_part(data, last)
  }
  if (n_ranges(solved$part$open) && solved$status != "optimal") {
    solved$status <- if (is.null(state$stopped)) "time limit" else state$stopped
  }
  solved$interrupted <- identical(state$stopped, "interrupted")
  solved$search <- state$search + solved$search
  solved
}
