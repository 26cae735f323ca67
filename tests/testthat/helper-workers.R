# Workers that are this process, whose answers come in a random order; with `loss` > 0 some are
# never launched and some never answer; `sends`: they see no file.
odd_pool <- function(size, work, loss = 0, sends = FALSE) {
  list(size = function() size, far = function() sends, needs_file = !sends, share = 1,
       launch = function(task) if (runif(1) >= loss) list(task = task),
       wait = function(handles, patience) sample.int(length(handles), 1),
       over = function() NULL,
       collect = function(handle) {
         contree:::forget_data() # as in another process
         if (runif(1) >= loss) work(handle$task)
       })
}

# The workers of the plan, of which one is killed at its first task.
mortal_pool <- function(work) {
  pool <- contree:::future_pool(work)
  launch <- pool$launch
  launched <- 0
  pool$launches <- function() launched
  pool$launch <- function(task) {
    launched <<- launched + 1
    if (launched != 2) return(launch(task))
    future::future(tools::pskill(Sys.getpid(), 9))
  }
  pool
}

# `code` under a plan, or on a pool.
with_plan <- function(plan, code, ...) {
  old <- future::plan(plan, ...)
  pool <- options(contree.pool = NULL)
  on.exit({
    options(pool)
    future::plan(old)
  })
  code
}

with_pool <- function(pool, code) {
  old <- options(contree.pool = pool)
  on.exit(options(old))
  code
}
