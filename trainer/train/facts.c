/* facts.c - the machine and the libraries, as a run found them. */
#include "trainer/train/facts.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "trainer/core/blas.h"
#include "trainer/core/cpu.h"
#include "trainer/core/kernel.h"

typedef struct Facts {
    Arena *run;
    RunFact *fact;
    int n;
    Status status;
} Facts;

static void add(Facts *f, const char *name, const char *value)
{
    if (f->status != OK || f->n == FACTS_MOST) return;
    const char *copy = arena_text(f->run, value);
    if (!copy)
        f->status = ERR_HOST;
    else
        f->fact[f->n++] = (RunFact){name, copy};
}

static void add_number(Facts *f, const char *name, long long value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", value);
    add(f, name, text);
}

Status facts_collect(const Comm *comm, Arena *run, RunFact fact[FACTS_MOST], int *n)
{
    Facts f = {.run = run, .fact = fact, .status = OK};
    char text[256];
    struct utsname system;
    add(&f, "program", "mneme " MNEME_VERSION);
    add(&f, "compiler", __VERSION__);
    if (uname(&system) == 0) {
        snprintf(text, sizeof text, "%s %s %s", system.sysname, system.release, system.machine);
        add(&f, "system", text);
    }
    cpu_name(text, sizeof text);
    add(&f, "processor", text);
    add_number(&f, "cores", sysconf(_SC_NPROCESSORS_ONLN));
    add(&f, "kernels", kernels()->level);
    add(&f, "BLAS", blas_name());
    add(&f, "precision", sizeof(real) == sizeof(float) ? "float" : "double");
    add(&f, "host", comm_host(comm));
    add_number(&f, "ranks", comm_size(comm));
    add_number(&f, "ranks on this host", comm_local_size(comm));
    *n = f.n;
    return f.status;
}
