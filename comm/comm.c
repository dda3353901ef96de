/* comm.c - start and end of the ranks, and the agreement on a failure. */
#include "comm/comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm/log.h"
#include "comm/shared.h"
#include "comm/watchdog.h"

enum { REPORT_BYTES = 16384 };                   /* the longest report that travels, as in status.c */
static const size_t CHUNK_MAX = (size_t)1 << 28; /* 2^28 elements of 8 bytes: their count fits an int */

Status comm_mpi_status(int rc, const char *call, const char *file, int line, const char *func)
{
    if (rc == MPI_SUCCESS) return OK;
    char text[MPI_MAX_ERROR_STRING];
    int len = 0;
    if (MPI_Error_string(rc, text, &len) != MPI_SUCCESS) text[0] = '\0';
    return status_fail(ERR_COMM, file, line, func, "%s: %s", call, text);
}

static int number_of(const char *name)
{
    const char *text = getenv(name);
    return text ? atoi(text) : 0;
}

/* srun without its PMI plug-in starts every task as a run of one rank: they would write over each other. */
static Status check_launcher(const Comm *c)
{
    const int tasks = number_of("SLURM_STEP_NUM_TASKS");
    if (c->size > 1 || tasks <= 1 || getenv("OMPI_COMM_WORLD_SIZE")) return OK;
    FAIL(ERR_HOST,
         "srun started %d tasks, but each sees only itself: start with srun --mpi=pmix (srun --mpi=list "
         "shows what this cluster has)",
         tasks);
}

static Status fill(Comm *c)
{
    int level, len = 0;
    TRY_MPI(MPI_Query_thread(&level));
    REQUIRE(level >= MPI_THREAD_FUNNELED, ERR_HOST, "this MPI cannot run beside other threads (level %d, needed %d)",
            level, MPI_THREAD_FUNNELED);
    TRY_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &c->mpi));
    TRY_MPI(MPI_Comm_set_errhandler(c->mpi, MPI_ERRORS_RETURN));
    TRY_MPI(MPI_Comm_rank(c->mpi, &c->rank));
    TRY_MPI(MPI_Comm_size(c->mpi, &c->size));

    char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
    TRY_MPI(MPI_Get_processor_name(name, &len));
    snprintf(c->host, sizeof c->host, "%s", name);

    MPI_Comm local;
    TRY_MPI(MPI_Comm_split_type(c->mpi, MPI_COMM_TYPE_SHARED, c->rank, MPI_INFO_NULL, &local));
    TRY_MPI(MPI_Comm_rank(local, &c->local_rank));
    TRY_MPI(MPI_Comm_size(local, &c->local_size));
    TRY_MPI(MPI_Comm_free(&local));
    c->chunk = CHUNK_MAX;
    return check_launcher(c);
}

/* Each launcher leaves one of these. */
bool comm_launched(void)
{
    static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (getenv(signs[i])) return true;
    return false;
}

/* One rank by itself, without MPI: that would start a daemon, or share a folder in /tmp with every other such process
 * of the user and fail when one of them ends at the wrong moment. */
static Status fill_alone(Comm *c)
{
    c->mpi = MPI_COMM_NULL;
    c->size = c->local_size = 1;
    c->chunk = CHUNK_MAX;
    if (gethostname(c->host, sizeof c->host - 1) != 0) snprintf(c->host, sizeof c->host, "this host");
    return check_launcher(c);
}

static Status start_mpi(int *argc, char ***argv)
{
    int level;
    TRY_MPI(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level));
    TRY_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    return OK;
}

Status comm_init(Comm **out, int *argc, char ***argv)
{
    *out = NULL;
    const bool mpi = comm_launched();
    if (mpi) TRY(start_mpi(argc, argv));
    Arena arena = {0};
    Comm *c = arena_zeros(&arena, 1, sizeof *c);
    if (!c) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    c->arena = arena;
    *out = c; /* also after a failure: comm_abort needs it to end the others */
    return mpi ? fill(c) : fill_alone(c);
}

static const double FOR_EVER = 1e12; /* times the limit */
static const char *const starting = "the start of its watch";

Status comm_watch(Comm *c, double limit_seconds)
{
    TRY(comm_broadcast(c, &limit_seconds, sizeof limit_seconds, 0)); /* variables may differ between hosts */
    if (!c->watchdog || limit_seconds != c->limit) { /* by two limits ranks would judge differently: all start anew */
        TRY(comm_barrier(c));
        watchdog_alarm(c->watchdog ? c->limit : limit_seconds, starting);
        watchdog_stop(c->watchdog);
        c->limit = limit_seconds;
        TRY(watchdog_start(&c->watchdog, c, limit_seconds));
        watchdog_alarm(0, starting);
    }
    watchdog_long(c->watchdog, "start", 0, FOR_EVER);
    return OK;
}

Watchdog *comm_watchdog(const Comm *c) { return c->watchdog; }

/* Nobody leaves the watch before all have come to the end; what MPI does after it has a limit of its own. */
static void end_watch(Comm *c)
{
    if (!c->watchdog) return;
    watchdog_long(c->watchdog, "end", 0, 10);
    if (comm_barrier(c) != OK) log_debug("the ranks do not meet at the end");
    watchdog_stop(c->watchdog);
    c->watchdog = NULL;
    watchdog_alarm(c->limit, "MPI_Finalize");
}

void comm_finalize(Comm *c)
{
    if (!c) return;
    const bool mpi = c->mpi != MPI_COMM_NULL;
    end_watch(c);
    if (mpi) comm_shared_close(c);
    if (mpi) MPI_Comm_free(&c->mpi);
    Arena arena = c->arena; /* c lies in it */
    arena_close(&arena);
    if (mpi) MPI_Finalize();
    if (mpi) watchdog_alarm(0, "");
}

_Noreturn void comm_abort(Comm *c, Status why)
{
    fprintf(stderr, "mneme: on rank %d of %d, %s: %s\n", c ? c->rank : 0, c ? c->size : 1, c ? c->host : "this host",
            status_text());
    fflush(NULL);
    if (!c || c->mpi != MPI_COMM_NULL) MPI_Abort(MPI_COMM_WORLD, (int)why);
    _exit((int)why); /* MPI_Abort does not always come to its end */
}

int comm_rank(const Comm *c) { return c->rank; }
int comm_size(const Comm *c) { return c->size; }
int comm_local_rank(const Comm *c) { return c->local_rank; }
int comm_local_size(const Comm *c) { return c->local_size; }
const char *comm_host(const Comm *c) { return c->host; }

void comm_limit_chunk(Comm *c, size_t count) { c->chunk = count ? count : CHUNK_MAX; }

static Status grow(Comm *c, size_t bytes)
{
    void *scratch = arena_alloc(&c->arena, bytes);
    if (!scratch) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    c->scratch = scratch;
    c->scratch_bytes = bytes;
    return OK;
}

Status comm_scratch(Comm *c, size_t bytes)
{
    if (bytes <= c->scratch_bytes) return OK;
    const size_t before = c->scratch_bytes;
    const Status st = comm_agree(c, grow(c, bytes));
    if (st != OK) c->scratch_bytes = before; /* all ranks ask again at the same call */
    TRY(st);
    return OK;
}

Status comm_agree(Comm *c, Status local)
{
    if (local == ERR_COMM) comm_abort(c, local);
    if (c->size == 1) return local;
    int first = local == OK ? c->size : c->rank; /* lowest failing rank, or size for none */
    TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, c->mpi));
    if (first == c->size) return OK;

    struct {
        int code;
        char text[REPORT_BYTES];
    } message = {.code = (int)local};
    if (c->rank == first) snprintf(message.text, sizeof message.text, "%s", status_text());
    TRY_MPI(MPI_Bcast(&message, (int)sizeof message, MPI_BYTE, first, c->mpi));
    if (c->rank == first) return local;

    char text[REPORT_BYTES]; /* a report that is too long loses its end: the cause stands first */
    const int used = snprintf(text, sizeof text, "on rank %d: ", first);
    memccpy(text + used, message.text, '\0', sizeof text - (size_t)used);
    text[sizeof text - 1] = '\0';
    return status_trace(status_adopt((Status)message.code, text), __FILE__, __LINE__, __func__);
}
