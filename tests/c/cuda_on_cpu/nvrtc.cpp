/* NVRTC on the CPU: CUDA texts are compiled by the C++ compiler, to libraries for driver.cpp. What
 * stands for code is the path of such a library. stand_ins.sh says where this folder and the played
 * driver are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <regex>
#include <string>

#ifndef CUDA_ON_CPU_FOLDER
#define CUDA_ON_CPU_FOLDER "."
#define CUDA_ON_CPU_DRIVER "libcuda.so.1"
#endif

enum { INVALID_OPTION = 5, COMPILATION = 6 };

struct program {
    std::string text, code, log;
};

/* What was compiled before, by text; its folders are removed at the end. */
static struct compiled {
    std::map<std::string, std::string> folder_of;
    ~compiled()
    {
        for (auto &one : folder_of)
            if (system(("rm -rf " + one.second).c_str())) perror("rm");
    }
} before;

/* A function in C for each kernel, which takes arguments as the driver does. */
static std::string starts(const std::string &text)
{
    std::string all;
    std::regex kernel("__global__ void (\\w+)\\(");
    for (std::sregex_iterator i(text.begin(), text.end(), kernel), end; i != end; ++i) {
        std::string name = (*i)[1];
        all += "extern \"C\" cudaError_t " + name + "_start(const unsigned *b, const unsigned *t,\n"
               "    unsigned shared, void *stream, void **arguments)\n{\n"
               "    return cudaLaunchKernel(" + name + ", dim3(b[0], b[1], b[2]),\n"
               "        dim3(t[0], t[1], t[2]), arguments, shared, (cudaStream_t) stream);\n}\n";
    }
    return all;
}

static void compile(const std::string &in, const std::string &text)
{
    std::string here = CUDA_ON_CPU_FOLDER;
    std::string command = "cd " + in + " && sed -f " + here + "/shared.sed text.cu > text.cpp && "
        "c++ -std=gnu++17 -O1 -w -fPIC -shared -I" + here + " -include cuda_runtime.h text.cpp " +
        CUDA_ON_CPU_DRIVER " -o code.so 2> log";
    std::ofstream(in + "/text.cu") << text << starts(text);
    if (system(command.c_str())) remove((in + "/code.so").c_str());
}

extern "C" {

int nvrtcCreateProgram(program **p, const char *text, const char *, int, const char *const *,
                       const char *const *)
{
    *p = new program;
    (*p)->text = text;
    return 0;
}

int nvrtcCompileProgram(program *p, int n_options, const char *const *options)
{
    const char *known = getenv("NVRTC_ON_CPU_KNOWS"); /* an architecture; others are refused */
    char folder[] = "/tmp/nvrtc-on-cpu-XXXXXX";
    for (int i = 0; known && i < n_options; i++)
        if (strstr(options[i], "architecture") && !strstr(options[i], known))
            return p->log = "invalid architecture", INVALID_OPTION;
    std::string &in = before.folder_of[p->text];
    if (in.empty()) {
        if (!mkdtemp(folder)) return COMPILATION;
        in = folder;
        compile(in, p->text);
    }
    std::ifstream log(in + "/log");
    std::getline(log, p->log);
    p->code = in + "/code.so";
    return access(p->code.c_str(), R_OK) ? COMPILATION : 0;
}

int nvrtcGetProgramLogSize(program *p, size_t *size) { return *size = p->log.size() + 1, 0; }
int nvrtcGetProgramLog(program *p, char *log) { return strcpy(log, p->log.c_str()), 0; }
int nvrtcGetPTXSize(program *p, size_t *size) { return *size = p->code.size() + 1, 0; }
int nvrtcGetPTX(program *p, char *code) { return strcpy(code, p->code.c_str()), 0; }
int nvrtcGetCUBINSize(program *p, size_t *size) { return *size = p->code.size() + 1, 0; }
int nvrtcGetCUBIN(program *p, char *code) { return strcpy(code, p->code.c_str()), 0; }

int nvrtcDestroyProgram(program **p)
{
    delete *p;
    *p = NULL;
    return 0;
}
}
