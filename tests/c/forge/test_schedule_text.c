/* Schedules as C and as CUDA, compiled by the compilers that are there and run: the interpreter's
 * bits. Many schedules make one file, since compilers take longer to start than to compile one. */
#include <dlfcn.h>
#include <unistd.h>

#include "check.h"
#include "interpret_rows.h"
#include "forge/schedule/emit.h"
#include "forge/schedule/nvrtc.h"
#include "schedule_random.h"

enum { A_FILE = 40, SOME_ROWS = 70 };

static any_ensemble drawn;

/* A forest and a schedule for it. */
typedef struct {
    ct_forged forged;
    const ct_forge_shape *shape;
    ct_forge_nest nest;
    ct_forge_ir ir;
    const ct_forge_model *model;
    uint32_t n_rows;
} drawn_case;

static drawn_case now;
static double x[SOME_ROWS * ANY_FEATURES], expected[SOME_ROWS * ANY_OUTPUTS];

static int draw(uint32_t seed)
{
    ct_rng r = ct_rng_of(seed, 21, 0);
    int any_order = ct_rng_below(&r, 3) > 0;
    any_forest(&r, &drawn, any_order);
    if (ct_forge(&drawn.ensemble, &now.forged, NULL) != CT_OK) return 0;
    now.shape = ct_forge_shape_of(&now.forged, any_order, &now.forged.arena);
    any_schedule(&r, now.shape, &now.nest);
    now.n_rows = ct_rng_below(&r, SOME_ROWS + 1);
    any_rows(&r, &drawn, now.n_rows, x);
    now.model = ct_forge_model_new(&now.forged, now.shape, now.nest.layout, &now.forged.arena);
    return now.model &&
        ct_forge_ir_lower(&now.ir, &now.nest, now.shape, CT_FORGE_LOW, NULL) == CT_OK;
}

static void expect(void)
{
    double row[ANY_OUTPUTS];
    for (uint32_t i = 0; i < now.n_rows; i++) {
        interpret_row(&drawn.ensemble, x + (size_t) i * drawn.ensemble.n_features, row);
        for (uint32_t k = 0; k < drawn.ensemble.n_outputs; k++)
            expected[(size_t) k * now.n_rows + i] = row[k];
    }
}

/* ---- files, compilers ---- */

static char folder[] = "/tmp/contree-XXXXXX";

static void write_file(const char *name, const ct_forge_text *text)
{
    char path[96];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file) return;
    fwrite(text->at, 1, text->n, file);
    fclose(file);
}

/* `command` with %s for the folder, as often as it is there. */
static int run_command(const char *command)
{
    char line[600];
    snprintf(line, sizeof line, command, folder, folder, folder, folder);
    return system(line);
}

static int has_command(const char *name)
{
    char line[80];
    snprintf(line, sizeof line, "command -v %s > /dev/null 2>&1", name);
    return system(line) == 0;
}

static void *load(const char *name)
{
    char path[96];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* A function of a library; ISO C knows no pointer that is both. */
typedef int c_function(const ct_forge_model *, const double *, long long, long long, long long,
                       double *);
typedef int cuda_function(const ct_forge_model *, const double *, long long, long long, long long,
                          double *, const ct_forge_launch *, long long);
typedef union {
    void *as_object;
    c_function *in_c;
    cuda_function *in_cuda;
} found_function;

static found_function find(void *library, uint32_t seed)
{
    char name[32];
    found_function found;
    snprintf(name, sizeof name, "f%u", (unsigned) seed);
    found.as_object = dlsym(library, name);
    return found;
}

static void compare(const double *got, int status, uint32_t seed)
{
    expect();
    size_t n = (size_t) now.n_rows * drawn.ensemble.n_outputs;
    if (CHECK_INT(status, 0) && CHECK(!memcmp(got, expected, n * sizeof *got))) return;
    ct_forge_text text = {NULL, 0, 0, 0};
    ct_forge_nest_print(&now.nest, &text);
    ct_forge_ir_print(&now.ir, &text);
    printf("    seed %u\n%s", (unsigned) seed, text.at);
    ct_forge_text_free(&text);
}

/* ---- C ---- */

static void check_c(uint32_t from)
{
    static double got[SOME_ROWS * ANY_OUTPUTS];
    ct_forge_text text = {NULL, 0, 0, 0};
    ct_forge_emit_prelude(CT_FORGE_IN_C, &text);
    for (uint32_t seed = from; seed < from + A_FILE; seed++) {
        char name[32];
        snprintf(name, sizeof name, "f%u", (unsigned) seed);
        if (CHECK(draw(seed))) ct_forge_emit(&now.ir, now.model, name, CT_FORGE_IN_C, &text);
        ct_forged_free(&now.forged);
    }
    write_file("text.c", &text);
    ct_forge_text_free(&text);
    REQUIRE(!run_command("cc -std=c99 -O1 -Wall -Wextra -Werror -fopenmp -fPIC -shared %s/text.c "
                         "-o %s/text.so"));
    if (has_command("clang"))
        CHECK(!run_command("clang -std=c99 -Wall -Wextra -Werror -fsyntax-only %s/text.c"));
    CHECK(!run_command("cc -Wall -Wextra -Werror -fsyntax-only %s/text.c"));
    void *library = load("text.so");
    REQUIRE(library != NULL);
    for (uint32_t seed = from; seed < from + A_FILE; seed++) {
        found_function f = find(library, seed);
        if (!CHECK(draw(seed) && f.as_object)) continue;
        int status = f.in_c(now.model, x, now.n_rows, drawn.ensemble.n_features, 1, got);
        compare(got, status, seed);
        ct_forged_free(&now.forged);
    }
    dlclose(library);
}

/* SCHEDULES: how many; 10,000 on demand. */
static uint32_t how_many(void)
{
    const char *wanted = getenv("SCHEDULES");
    return wanted ? (uint32_t) atol(wanted) : A_FILE;
}

static void c_text(void)
{
    if (CHECK_QUICK()) SKIP("too long here");
    REQUIRE(mkdtemp(folder) != NULL);
    for (uint32_t from = 0; from < how_many(); from += A_FILE) check_c(from);
    run_command("rm -rf %s");
    strcpy(folder, "/tmp/contree-XXXXXX");
}

/* ---- CUDA, played on the CPU ---- */

/* What starts the three functions and waits for them. */
static void add_start(ct_forge_text *text, unsigned seed)
{
    const char *sum = drawn.ensemble.sum == CT_FORGE_F32 ? "float" : "double";
    ct_forge_text_add(text,
        "extern \"C\" int f%u(const ct_model *m, const double *x, i64 n_rows, i64 row_step,\n"
        "                   i64 column_step, double *out, const launch *at, i64 n_slots)\n"
        "{\n"
        "    size_t n = (size_t) n_rows * m->n_outputs + 1;\n"
        "    std::vector<%s> sums(n);\n"
        "    std::vector<double> slots(n * (size_t) n_slots + 1);\n"
        "    %s *s = sums.data();\n"
        "    double *t = slots.data();\n"
        "    ct_model model = *m;\n"
        "    void *first[] = {&model, &n_rows, &s, &t};\n"
        "    void *nest[] = {&model, &n_rows, &s, &t, &x, &row_step, &column_step};\n"
        "    void *last[] = {&model, &n_rows, &s, &t, &out};\n"
        "    dim3 blocks(at->blocks[0], at->blocks[1], at->blocks[2]);\n"
        "    dim3 threads(at->threads[0], at->threads[1], at->threads[2]);\n"
        "    if (cudaLaunchKernel(f%u_begin, dim3(2), dim3(32), first, 0, 0) ||\n"
        "        cudaLaunchKernel(f%u_nest, blocks, threads, nest, at->shared, 0) ||\n"
        "        cudaLaunchKernel(f%u_end, dim3(2), dim3(32), last, 0, 0))\n"
        "        return 1;\n"
        "    return cudaStreamSynchronize(0) != 0;\n"
        "}\n", seed, sum, sum, seed, seed, seed);
}

/* The schedules on a GPU among some; as text, or compiled and run. */
static uint32_t emit_cuda(uint32_t from, uint32_t n, int start, ct_forge_text *text)
{
    uint32_t found = 0;
    ct_forge_emit_prelude(CT_FORGE_IN_CUDA, text);
    if (start) ct_forge_text_add(text,
                                 "#include <vector>\nstruct launch { u32 blocks[3], threads[3], "
                                       "shared; };\n");
    for (uint32_t seed = from; seed < from + n; seed++) {
        char name[32];
        snprintf(name, sizeof name, "f%u", (unsigned) seed);
        if (CHECK(draw(seed)) && now.ir.on_gpu) {
            ct_forge_emit(&now.ir, now.model, name, CT_FORGE_IN_CUDA, text);
            if (start) add_start(text, (unsigned) seed);
            found++;
        }
        ct_forged_free(&now.forged);
    }
    return found;
}

static void run_cuda(void *library, uint32_t from, uint32_t n)
{
    static double got[SOME_ROWS * ANY_OUTPUTS];
    for (uint32_t seed = from; seed < from + n; seed++) {
        if (CHECK(draw(seed)) && now.ir.on_gpu) {
            found_function f = find(library, seed);
            ct_forge_launch launch = ct_forge_launch_of(&now.ir, now.n_rows);
            if (CHECK(f.as_object != NULL))
                compare(got, f.in_cuda(now.model, x, now.n_rows, drawn.ensemble.n_features, 1, got,
                                       &launch, ct_forge_ir_slots(&now.ir)), seed);
        }
        ct_forged_free(&now.forged);
    }
}

static void cuda_text(void)
{
    if (CHECK_QUICK()) SKIP("too long here");
    uint32_t n = 3 * A_FILE;
    REQUIRE(mkdtemp(folder) != NULL);
    REQUIRE(!run_command("c++ -std=gnu++17 -O1 -fPIC -Icuda_on_cpu -I. -include cuda_runtime.h "
                         "-c cuda_on_cpu/cuda_on_cpu.cpp -o %s/cuda.o"));
    for (uint32_t from = 0; from < how_many(); from += n) {
        ct_forge_text text = {NULL, 0, 0, 0};
        CHECK(emit_cuda(from, n, 1, &text) > 10);
        write_file("text.cu", &text);
        ct_forge_text_free(&text);
        REQUIRE(!run_command("sed -f cuda_on_cpu/shared.sed %s/text.cu > %s/text.cpp"));
        REQUIRE(!run_command("c++ -std=gnu++17 -O1 -Wall -Wextra -Werror -Wno-unknown-pragmas "
                             "-fPIC -shared -Icuda_on_cpu -include cuda_runtime.h "
                             "%s/text.cpp %s/cuda.o -o %s/cuda.so"));
        void *library = load("cuda.so");
        REQUIRE(library != NULL);
        run_cuda(library, from, n);
        dlclose(library);
    }
    run_command("rm -rf %s");
    strcpy(folder, "/tmp/contree-XXXXXX");
}

/* By NVRTC, where it is: from the oldest to the newest it knows of those below. */
static void cuda_compiles(void)
{
    static const char *const architectures[] = {"compute_75", "compute_80", "compute_86",
                                                "compute_89", "compute_90", "compute_100",
                                                "compute_120"};
    if (CHECK_QUICK()) SKIP("too long here");
    ct_forge_text text = {NULL, 0, 0, 0}, ptx = {NULL, 0, 0, 0};
    ct_error error = {CT_OK, ""};
    emit_cuda(0, A_FILE, 0, &text);
    ct_status first = ct_forge_nvrtc_compile(text.at, architectures[0], &ptx, &error);
    CHECK(first == CT_OK || first == CT_NO_DEVICE);
    for (size_t i = 1; first == CT_OK && i < sizeof architectures / sizeof *architectures; i++) {
        ct_forge_text_free(&ptx);
        if (!CHECK_INT(ct_forge_nvrtc_compile(text.at, architectures[i], &ptx, &error), CT_OK))
            printf("    %s: %s\n", architectures[i], error.message);
        CHECK(ptx.at && strstr(ptx.at, "_nest"));
    }
    if (first == CT_OK)
        CHECK_INT(ct_forge_nvrtc_compile("wrong", "compute_80", &ptx, &error), CT_BAD_INPUT);
    ct_forge_text_free(&ptx);
    ct_forge_text_free(&text);
}

/* ---- texts for nvcc ---- */

/* Schedules with all that a text can have: caches, sums in each kind of memory, remainders. */
static const struct {
    const char *name, *text;
} for_nvcc[] = {
    {"direct", "schedule 1\ntile(batch, b0, b1, 64)\ngpuDimension(b0, grid.x)\n"
               "gpuDimension(b1, block.x)\n"},
    {"atomic", "schedule 1\ngpuDimension(batch, grid.x)\ngpuDimension(tree, block.x)\n"
               "cache(batch)\natomicReduce(tree)\n"},
    {"cached", "schedule 1\ntile(batch, b0, b1, 64)\ntile(tree, t0, t1, 2)\n"
               "reorder(b0, b1, t0, t1)\ncache(t0)\ngpuDimension(b0, grid.x)\n"
               "gpuDimension(b1, block.x)\nrepresent(reorg)\n"},
    {"slots", "schedule 1\ntile(batch, b0, b1, 64)\ntile(tree, t0, u, 4)\ntile(u, t1, t2, 2)\n"
              "reorder(b0, t0, b1, t1, t2)\ncache(t1)\ngpuDimension(b0, grid.x)\n"
              "gpuDimension(t0, grid.y)\ngpuDimension(b1, block.x)\n"},
    {"shared", "schedule 1\ntile(batch, b0, b1, 64)\ntile(tree, t0, t1, 4)\n"
               "reorder(b0, b1, t1, t0)\ngpuDimension(b0, grid.x)\ngpuDimension(b1, block.x)\n"
               "gpuDimension(t1, block.y)\ncache(b0)\nsharedReduce(t1)\nunrollWalk(t0, 3)\n"}};

/* The texts go to the file TEXTS, for nvcc to compile. */
static void texts_for_nvcc(void)
{
    const any_shape shape = {7, 3, 0, 8, 5, 3, 2, 0, 0, 0, CT_FORGE_LESS, CT_FORGE_F32,
                             CT_FORGE_F64, 0};
    ct_rng r = ct_rng_of(1, 2, 3);
    ct_error error = {CT_OK, ""};
    ct_forge_text text = {NULL, 0, 0, 0};
    any_draw(&r, &shape, &drawn);
    any_grid(&r, &drawn);
    REQUIRE(ct_forge(&drawn.ensemble, &now.forged, NULL) == CT_OK);
    now.shape = ct_forge_shape_of(&now.forged, 1, &now.forged.arena);
    ct_forge_emit_prelude(CT_FORGE_IN_CUDA, &text);
    for (size_t i = 0; i < sizeof for_nvcc / sizeof *for_nvcc; i++) {
        if (!CHECK(ct_forge_nest_parse(&now.nest, for_nvcc[i].text, &error) == CT_OK &&
                   ct_forge_nest_check(&now.nest, now.shape, &error) == CT_OK &&
                   ct_forge_ir_lower(&now.ir, &now.nest, now.shape, CT_FORGE_LOW,
                                     &error) == CT_OK)) {
            printf("    %s: %s\n", for_nvcc[i].name, error.message);
            continue;
        }
        now.model = ct_forge_model_new(&now.forged, now.shape, now.nest.layout, &now.forged.arena);
        ct_forge_emit(&now.ir, now.model, for_nvcc[i].name, CT_FORGE_IN_CUDA, &text);
    }
    ct_forged_free(&now.forged);
    FILE *file = fopen(getenv("TEXTS") ? getenv("TEXTS") : "/dev/null", "w");
    REQUIRE(file != NULL);
    CHECK(fwrite(text.at, 1, text.n, file) == text.n);
    fclose(file);
    ct_forge_text_free(&text);
}

static const check_case cases[] = {
    {"texts for nvcc", texts_for_nvcc},
    {"CUDA text compiles", cuda_compiles},
    {"C text has the interpreter's bits", c_text},
    {"CUDA text has them, played on the CPU", cuda_text},
};
CHECK_MAIN(cases)
