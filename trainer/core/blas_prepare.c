/* blas_prepare.c - OpenBLAS with the kernels made for this processor, after a check that they compute what they should.
 *
 * OpenBLAS reads OPENBLAS_CORETYPE once, when it is loaded; so another choice needs another execution of the program.
 * Environment, besides OpenBLAS's own: MNEME_BLAS_CHECK makes this process the child that checks; MNEME_BLAS_CHOSEN
 * says that the choice was made, so that no program is executed a third time. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "comm/comm.h"
#include "trainer/core/blas.h"
#include "trainer/core/cpu.h"

static const char *const check = "MNEME_BLAS_CHECK", *const guard = "MNEME_BLAS_CHOSEN";
static const char *const core_variable = "OPENBLAS_CORETYPE", *const thread_variable = "OPENBLAS_NUM_THREADS";
static const char *const self = "/proc/self/exe";
enum { CHECK_SECONDS = 30 };
enum { RIGHT = 0, WRONG = 3, NO_MEMORY = 4 }; /* how the child ends; other statuses are not its own */

/* The oldest level whose vector extensions these kernels use. */
static CpuLevel level_of_core(const char *core)
{
    static const char *const v4[] = {"SkylakeX", "Cooperlake", "SapphireRapids"}, *const v3[] = {"Haswell", "Zen"};
    for (size_t i = 0; i < sizeof v4 / sizeof *v4; i++)
        if (strcasecmp(core, v4[i]) == 0) return CPU_V4;
    for (size_t i = 0; i < sizeof v3 / sizeof *v3; i++)
        if (strcasecmp(core, v3[i]) == 0) return CPU_V3;
    return CPU_BASE;
}

static real number(int64_t i) { return (real)((i * 7919 + 13) % 1009) / 1009 - (real)0.5; }

/* One product with each of A and B as is or transposed; true when all elements are right. */
static bool product_is_right(real *memory, bool ta, bool tb, int64_t m, int64_t n, int64_t k)
{
    real *a = memory, *b = a + m * k, *c = b + k * n;
    for (int64_t i = 0; i < m * k + k * n + m * n; i++) memory[i] = number(i);
    blas_gemm(ta, tb, m, n, k, (real)0.75, a, ta ? m : k, b, tb ? k : n, (real)0.5, c, n);
    const double precision = sizeof(real) == 4 ? 6e-8 : 1.1e-16;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < k; l++)
                sum += (double)a[ta ? l * m + i : i * k + l] * (double)b[tb ? j * k + l : l * n + j];
            const double right = 0.75 * sum + 0.5 * (double)number(m * k + k * n + i * n + j);
            /* factors are at most 1/2, so each of k roundings is at most precision * k / 4 */
            const double allowed = precision * (double)(k + 4) * (double)(k + 4) / 4;
            if (!(fabs((double)c[i * n + j] - right) <= allowed)) return false;
        }
    return true;
}

bool blas_is_right(void)
{
    static const int64_t size[][3] = {{1, 1, 1},     {7, 5, 3},     {33, 17, 29},  {1, 50, 64},
                                      {64, 50, 150}, {65, 129, 97}, {31, 401, 17}, {129, 3, 300}};
    static real memory[65 * 97 + 97 * 129 + 65 * 129 + 65536];
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        for (int t = 0; t < 4; t++)
            if (!product_is_right(memory, t & 1, t & 2, size[i][0], size[i][1], size[i][2])) return false;
    return true;
}

static void run_check(const char *core, char **argv)
{
    const int nowhere = open("/dev/null", O_RDWR);
    for (int fd = 0; nowhere >= 0 && fd < 3; fd++) dup2(nowhere, fd);
    setenv(core_variable, core, 1);
    setenv(thread_variable, "1", 1);
    setenv(check, "1", 1);
    alarm(CHECK_SECONDS); /* outlives the execution: kernels that never end are wrong too */
    execv(self, argv);
    _exit(127); /* as a shell says it */
}

/* In a process of its own, which may crash. A check that could not be made says nothing about the kernels: to go on with
 * others would change the bits from one start to the next. */
static Status check_core(const char *core, char **argv, bool *right)
{
    fflush(NULL);
    pid_t child;
    int how = 1;
    const struct timespec moment = {.tv_nsec = 50000000};
    for (int attempt = 0; (child = fork()) < 0 && errno == EAGAIN && attempt < 20; attempt++) nanosleep(&moment, NULL);
    if (child == 0) run_check(core, argv);
    REQUIRE(child > 0, ERR_HOST,
            "the check of OpenBLAS's kernels could not start: %s; OPENBLAS_CORETYPE=%s leaves it out", strerror(errno),
            core);
    pid_t ended;
    do ended = waitpid(child, &how, 0);
    while (ended < 0 && errno == EINTR);
    const int by = ended == child && WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    const bool crashed = by == SIGILL || by == SIGSEGV || by == SIGBUS || by == SIGFPE || by == SIGABRT;
    REQUIRE(ended == child && (by == 0 || crashed), ERR_HOST,
            "the check of OpenBLAS's kernels was ended by signal %d%s; OPENBLAS_CORETYPE=%s leaves it out", by,
            by == SIGALRM ? " (it took too long)" : "", core);
    const int status = crashed ? WRONG : WEXITSTATUS(how);
    REQUIRE(status != NO_MEMORY, ERR_HOST, "the check of OpenBLAS's kernels has no memory");
    REQUIRE(status == RIGHT || status == WRONG, ERR_HOST,
            "the check of OpenBLAS's kernels could not be made: the program ended with status %d before it; "
            "OPENBLAS_CORETYPE=%s leaves it out",
            status, core);
    *right = status == RIGHT;
    return OK;
}

/* OpenBLAS takes a buffer for each thread at its first product, and where there is no memory for it tries for ever: it is
 * asked for first, with some for what MPI and HDF5 take after it, and then taken. */
static Status take_memory(void)
{
    const size_t buffer = (size_t)128 << 20, others = (size_t)(comm_launched() ? 360 : 80) << 20,
                 threads = (size_t)blas_threads();
    const size_t bytes = buffer * threads + others;
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(room != MAP_FAILED, ERR_HOST, "out of memory: %zu bytes were asked for OpenBLAS and MPI (ulimit -v)",
            bytes);
    munmap(room, bytes);
    static real memory[3 * 160 * 160];
    blas_gemm(false, false, 160, 160, 160, 1, memory, 160, memory + 160 * 160, 160, 0, memory + 2 * 160 * 160, 160);
    return OK;
}

/* Comes back only when it could not. */
static Status execute(char **argv)
{
    fflush(NULL);
    execv(self, argv);
    FAIL(ERR_HOST, "the program could not be executed again, with OpenBLAS as it should be: %s", strerror(errno));
}

/* Where memory is limited OpenBLAS's threads, which begin when it is loaded, may wait for theirs for ever, and whoever
 * joins them too: then the program is executed again without them. */
static Status limit_threads(char **argv)
{
    struct rlimit most;
    if (getenv(thread_variable) || getenv("GOTO_NUM_THREADS") || getenv("OMP_NUM_THREADS")) return OK;
    setenv(thread_variable, "1", 1);
    if (getrlimit(RLIMIT_AS, &most) == 0 && most.rlim_cur != RLIM_INFINITY) return execute(argv);
    blas_set_threads(1);
    return OK;
}

Status blas_prepare(int argc, char **argv)
{
    if (getenv(check))
        _exit(take_memory() != OK ? NO_MEMORY : blas_is_right() ? RIGHT : WRONG); /* the child's whole life */
    TRY(limit_threads(argv));
    TRY(take_memory());
    if (argc < 1 || getenv(guard) || getenv(core_variable) || !blas_has_cores()) return OK;
    static const struct {
        CpuLevel level;
        const char *name;
    } candidate[] = {{CPU_V4, "SKYLAKEX"}, {CPU_V3, "HASWELL"}};
    const CpuLevel can = cpu_level(), has = level_of_core(blas_core());
    for (size_t i = 0; i < sizeof candidate / sizeof *candidate; i++) {
        bool right = false;
        if (candidate[i].level > can || candidate[i].level <= has) continue;
        TRY(check_core(candidate[i].name, argv, &right));
        if (!right) continue;
        setenv(core_variable, candidate[i].name, 1);
        setenv(guard, candidate[i].name, 1);
        return execute(argv);
    }
    return OK;
}
