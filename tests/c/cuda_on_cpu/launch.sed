# CUDA's syntax as calls of cuda_runtime.h here: launches, and the shared memory whose size a launch gives.
s/\([A-Za-z_0-9#<>]*\)<<<\(.*\)>>>(/cuda_launch(cuda_grid{\2}, \1, /
s/extern __shared__ __align__([0-9]*) \(.*\) \([a-z]*\)\[\];/\1 *const \2 = (\1 *) cuda_shared_memory();/
