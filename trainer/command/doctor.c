/* doctor.c - `mneme doctor`: is this machine fit to train, and what slows it down? Under mpirun, for each host. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "comm/probe.h"
#include "comm/terminal.h"
#include "io/file/file.h"
#include "trainer/command/command.h"
#include "trainer/core/blas.h"
#include "trainer/core/cpu.h"
#include "trainer/core/kernel.h"
#include "trainer/train/facts.h"

static void verdict(int *faults, bool good, const char *what, const char *advice)
{
    terminal_print("%-6s %s%s%s\n", good ? "good" : "FAULT", what, good ? "" : ": ", good ? "" : advice);
    if (!good) (*faults)++;
}

static void check_speed(int *faults, int ranks, long cores)
{
    char text[256];
    snprintf(text, sizeof text, "BLAS computes right products (%s)", blas_name());
    verdict(faults, blas_is_right(), text, "set OPENBLAS_CORETYPE=HASWELL or use another OpenBLAS");
    snprintf(text, sizeof text, "kernels %s for a processor of level %s", kernels()->level,
             cpu_level_name(cpu_level()));
    verdict(faults, strcmp(kernels()->level, cpu_level_name(cpu_level())) == 0, text,
            "MNEME_KERNELS asks for older ones: unset it");
    verdict(faults, true, cpu_flush_subnormals() ? "subnormal numbers count as 0" : "subnormal numbers are kept", "");
    snprintf(text, sizeof text, "%d ranks x %d threads on %ld cores of this host", ranks, blas_threads(), cores);
    verdict(faults, (long)ranks * blas_threads() <= cores, text,
            "more than there are: start fewer ranks, or set OPENBLAS_NUM_THREADS=1");
}

static Status check_folder(int *faults, const char *folder)
{
    int64_t free_bytes = 0;
    char text[256];
    TRY(file_free_space(folder, &free_bytes));
    snprintf(text, sizeof text, "%.1f GB free in %s", (double)free_bytes / 1e9, folder);
    verdict(faults, free_bytes > (int64_t)1000000000, text, "checkpoints need room");
    return OK;
}

/* By these messages a rank that has stopped is found. */
static void check_heartbeats(int *faults, const Probe *p, int ranks)
{
    char text[256];
    if (ranks == 1) return;
    snprintf(text, sizeof text, "heartbeats (UDP) arrive between %d ranks", ranks);
    if (p->from >= 0)
        snprintf(text, sizeof text, "heartbeats (UDP) of rank %d do not arrive at rank %d", p->from, p->to);
    verdict(faults, p->from < 0, text, "a firewall? Without them a rank that stops is not named");
    snprintf(text, sizeof text, "%lld messages of strangers among them", (long long)p->forged);
    if (p->forged > 0)
        snprintf(text, sizeof text, "%lld messages that this run has not signed, the first from %s",
                 (long long)p->forged, p->forger);
    verdict(faults, p->forged == 0, text, "they are passed over, but somebody sends them");
}

static Status print(Command *c, const Probe *p, int *faults)
{
    RunFact fact[FACTS_MOST];
    int n = 0;
    TRY(facts_collect(c->comm, c->run, fact, &n));
    for (int i = 0; i < n; i++) terminal_print("%-22s %s\n", fact[i].name, fact[i].value);
    terminal_print("\n");
    check_speed(faults, comm_local_size(c->comm), sysconf(_SC_NPROCESSORS_ONLN));
    check_heartbeats(faults, p, comm_size(c->comm));
    return check_folder(faults, c->argc > 0 ? c->argv[0] : ".");
}

static Status run(Command *c)
{
    int faults = 0;
    Probe probe = {.from = -1};
    if (comm_size(c->comm) > 1) TRY(probe_heartbeats(&probe, c->comm, c->run));
    TRY(comm_agree(c->comm, comm_rank(c->comm) == 0 ? print(c, &probe, &faults) : OK));
    TRY(comm_broadcast(c->comm, &faults, sizeof faults, 0));
    REQUIRE(faults == 0, ERR_CHECK, "%d of the checks found a fault", faults);
    return OK;
}

const CommandDef command_doctor = {
    .doc = {.name = "doctor",
            .arguments = "[FOLDER]",
            .help = "Check this machine: processor, BLAS, ranks and cores, heartbeats between them, free space in "
                    "FOLDER (here)."},
    .max_words = 1,
    .run = run,
};
