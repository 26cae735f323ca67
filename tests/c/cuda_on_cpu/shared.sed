# CUDA's syntax as C++: the shared memory whose size a launch gives.
s/extern __shared__ __align__([0-9]*) \(.*\) \([a-z]*\)\[\];/\1 *const \2 = (\1 *) cuda_shared_memory();/
