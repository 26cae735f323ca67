# Workers of the package future: work that is dealt out among them in tasks, the data that the tasks
# need, sent once a worker, and workers that are lost, whose tasks are dealt out again.

# Has the user set up workers of the package future? It is not loaded to find out.
has_workers <- function() isNamespaceLoaded("future") && !inherits(future::plan(), "sequential")

# Of a fit that is one task: in workers it has a thread of its own, and nobody sees it.
worker_settings <- function(settings) {
  if (!has_workers()) return(settings)
  if (is.null(settings$threads)) settings$threads <- 1
  settings["progress"] <- list(NULL)
  if (isTRUE(settings$workers)) settings$workers <- FALSE
  settings
}

# ---- tasks ---------------------------------------------------------------------------------------

# `make(task, left)` says what a worker is given of each of `tasks`, with `left` seconds left;
# those that do not come back are given out again. `tell(n)` hears how many are done. Value:
# list(answers, stopped): NULL for what is not done, and why.
deal_tasks <- function(pool, tasks, make, tell, limit = Inf) {
  begin <- seconds_now()
  left <- function() limit - (seconds_now() - begin)
  answers <- vector("list", length(tasks))
  todo <- seq_along(tasks)
  running <- list()
  stopped <- NULL
  tryCatch({
    while (length(todo) + length(running) > 0) {
      while (length(todo) && length(running) < pool$size() && left() > 0) {
        handle <- pool$launch(make(tasks[[todo[1]]], left()))
        if (is.null(handle)) next # it was lost at once; the pool is smaller now
        running <- c(running, list(list(handle = handle, task = todo[1])))
        todo <- todo[-1]
      }
      if (length(running) == 0) break # there is no time for more
      ready <- pool$wait(lapply(running, `[[`, "handle"), Inf)
      for (one in running[ready]) {
        answer <- pool$collect(one$handle)
        if (is.null(answer)) todo <- c(one$task, todo) else answers[one$task] <- list(answer)
        # the user's Ctrl-C may have come while this process, or a worker too, did a task
        if (identical(answer$status, "interrupted")) stop(a_condition("interrupt"))
      }
      running <- running[-ready]
      tell(sum(lengths(answers) > 0))
    }
    pool$over()
  }, interrupt = function(condition) stopped <<- "interrupted")
  if (is.null(stopped) && length(todo)) stopped <- "time limit"
  list(answers = answers, stopped = stopped)
}

# A pool for `work`, or that of an option, for developers.
pool_for <- function(work, new_pool = future_pool) {
  pool <- getOption("contree.pool")
  if (is.null(pool)) new_pool(work) else pool
}

# `work(task, tick)` on each of `tasks`, among the workers or in turn; it is a function that carries
# its data. `tick(n)` hears of n more trees; each task counts as `size` of them.
run_tasks <- function(tasks, work, tick, size = 1) {
  if (!has_workers()) return(lapply(tasks, work, tick = tick))
  pool <- pool_for(carried_task)
  wanted <- new_wanted_file()
  shared <- share_data(list(work = work, hash = wanted), wanted, pool)
  on.exit({
    shared$end()
    unlink(wanted)
  })
  told <- 0
  tell <- function(n) {
    if (n > told) tick((n - told) * size)
    told <<- n
  }
  make <- function(task, left) list(where = shared$where(), task = task, wanted = wanted)
  dealt <- deal_tasks(pool, tasks, make, tell)
  if (!is.null(dealt$stopped)) stop_contree("interrupted", gettext("interrupted"), NULL)
  lapply(dealt$answers, `[[`, 1)
}

# What a worker does: list(what the work gave), or NULL where it has no data.
carried_task <- function(task) {
  data <- find_data(task$where, function(data) data$hash)
  if (is.null(data)) return(NULL)
  while_wanted(task$wanted, function(check) list(data$work(task$task, tick = check)))
}

# ---- work that nobody waits for any more ---------------------------------------------------------

# A file that is there as long as an answer is wanted: it goes when the user interrupts, or another
# task has failed.
new_wanted_file <- function() {
  file <- tempfile("contree-wanted-", data_folder())
  file.create(file)
  file
}

# `work(check)`, or NULL if `check(...)` finds that the file has gone; a worker that never saw it
# goes on.
while_wanted <- function(file, work) {
  if (!file.exists(file)) return(work(function(...) NULL))
  check <- function(...) {
    if (!file.exists(file)) stop(a_condition(c("contree_unwanted", "interrupt")))
  }
  tryCatch(work(check), contree_unwanted = function(condition) NULL)
}

a_condition <- function(class) {
  structure(class = c(class, "condition"), list(message = class[1], call = NULL))
}

# ---- the data of tasks ---------------------------------------------------------------------------

# Data for the tasks of a pool: list(where, end). `where()` goes along with the next task: it says
# where the data are, or has them.
share_data <- function(data, hash, pool) {
  where <- list(hash = hash, file = tempfile("contree-data-", data_folder()))
  keep_data(data, hash)
  list(where = function() {
         if (pool$far()) where["data"] <- list(data)
         else if (pool$needs_file && !file.exists(where$file)) {
           saveRDS(data, where$file, compress = FALSE)
         }
         where
       },
       end = function() {
         forget_data()
         unlink(where$file)
       })
}

# Where the data lie for the workers: in a folder that all machines see, if one is named.
data_folder <- function() {
  folder <- getOption("contree.folder")
  if (is.character(folder) && dir.exists(folder)) folder else tempdir()
}

# The data that this process was sent last, and what it keeps of the search in them: the ranked
# table and proven bounds.
kept_data <- new.env(parent = emptyenv())

# From the process itself, the file, or the task. NULL: they have to be sent.
find_data <- function(where, hash_of) {
  if (identical(kept_data$hash, where$hash)) return(kept_data$data)
  data <- where$data
  if (is.null(data) && file.exists(where$file)) {
    data <- tryCatch(readRDS(where$file), error = function(problem) NULL)
  }
  if (is.null(data) || hash_of(data) != where$hash) return(NULL)
  keep_data(data, where$hash)
}

keep_data <- function(data, hash) {
  forget_data()
  kept_data$data <- data
  kept_data$hash <- hash
  data
}

forget_data <- function() {
  .Call(ffi_part_forget, kept_data$search)
  rm(list = ls(kept_data), envir = kept_data)
}

# ---- who works -----------------------------------------------------------------------------------
#
# A pool has a function `work` of a task. It is a list of `size()`; `far()`, whether the data have
# to go with the next task; `needs_file`; `share`, how long a part takes as a share of the time so
# far; `launch(task)`, which gives a handle, or NULL if the worker is lost; `wait(handles,
# patience)`, which gives the places of those that are done, at least one unless `patience`
# seconds have passed; `collect(handle)`, which gives the answer, or NULL if the worker is lost or
# had no data; and `over()`, for when all is done.

# This process alone.
own_pool <- function(work) {
  list(size = function() 1, far = function() FALSE, needs_file = FALSE, share = 0.25,
       launch = work, wait = function(handles, patience) seq_along(handles),
       collect = identity, over = function() NULL)
}

# Processes that do one task after the other keep data and bounds between them; jobs of a scheduler,
# and forks, begin anew.
workers_stay <- function() inherits(future::plan("next"), "cluster")

# The workers of the plan. Those that are lost are missed from then on; when all are, this process
# does what is left.
future_pool <- function(work) {
  lost <- 0
  unsent <- 0 # tasks that came back for want of data
  stay <- workers_stay()
  size <- max(1, future::nbrOfWorkers())
  if (is.infinite(size)) size <- 32 # of schedulers that take as many jobs as there are
  is_lost <- function(handle) inherits(handle, "FutureError")
  none_left <- function() lost >= size
  list(
    size = function() max(1, size - lost),
    far = function() {
      send <- unsent > 0
      if (stay && send) unsent <<- unsent - 1 # who is sent them keeps them
      send
    },
    needs_file = TRUE, share = if (stay) 0.25 else 0.5,
    launch = function(task) {
      if (none_left()) return(list(answer = work(task)))
      handle <- tryCatch(
        future::future(work(task), globals = list(work = work, task = task)),
        FutureError = identity)
      if (!is_lost(handle)) return(handle)
      lost <<- lost + 1
      NULL
    },
    wait = function(handles, patience) {
      until <- proc.time()[["elapsed"]] + patience
      repeat {
        done <- vapply(handles, function(handle) {
          !inherits(handle, "Future") || tryCatch(future::resolved(handle),
                                                  FutureError = function(problem) TRUE)
        }, NA)
        if (any(done) || proc.time()[["elapsed"]] >= until) return(which(done))
        Sys.sleep(0.01)
      }
    },
    collect = function(handle) {
      if (!inherits(handle, "Future")) return(handle$answer)
      answer <- tryCatch(future::value(handle), FutureError = identity)
      if (is_lost(answer)) {
        lost <<- lost + 1
        return(NULL)
      }
      if (is.null(answer)) unsent <<- unsent + 1
      answer
    },
    over = function() {
      if (!stay || none_left()) return(invisible())
      last <- lapply(seq_len(size - lost), function(i) {
        tryCatch(future::future(forget_data(), globals = list(forget_data = forget_data)),
                 FutureError = identity)
      })
      for (one in last) if (!is_lost(one)) tryCatch(future::value(one), FutureError = identity)
    })
}
