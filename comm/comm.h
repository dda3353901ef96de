/* comm.h - the ranks of one run. The only header through which other folders reach MPI.
 *
 * Every function marked [collective] must be called by all ranks in the same order, from one thread.
 * Between two collectives no rank may leave alone: end local work with comm_agree. */
#ifndef COMM_COMM_H
#define COMM_COMM_H
#include <stddef.h>
#include <stdint.h>

#include "comm/status.h"

typedef struct Comm Comm;
struct Watchdog;
typedef enum CommType { COMM_F32, COMM_F64, COMM_I32, COMM_I64, COMM_BYTE } CommType;
typedef enum CommOp { COMM_SUM, COMM_MAX, COMM_MIN } CommOp;

/* [collective] Start MPI (serialised threads: the main thread calls, others never do). A program that was not
 * started by mpirun or srun is a run of one rank, without MPI. */
NODISCARD Status comm_init(Comm **out, int *argc, char ***argv);
void comm_finalize(Comm *c); /* [collective] */
/* [collective] All commands over ranks are watched (watchdog.h) from the first call on, to the end; later calls set
 * another limit. The main thread is free to take any time until it announces a phase. */
NODISCARD Status comm_watch(Comm *c, double limit_seconds);
struct Watchdog *comm_watchdog(const Comm *c);  /* NULL: no watch */
_Noreturn void comm_abort(Comm *c, Status why); /* one rank ends the whole run with this status; prints its report */

bool comm_launched(void); /* did mpirun or srun start this process? */
int comm_rank(const Comm *c);
int comm_size(const Comm *c);
const char *comm_host(const Comm *c); /* name of this rank's host */
int comm_local_rank(const Comm *c);   /* 0.. among the ranks on this host */
int comm_local_size(const Comm *c);   /* ranks on this host */

/* [collective] OK on every rank, or the same error on every rank: that of the lowest failing rank, whose report
 * replaces everyone's ("on rank 3: ..." elsewhere). Call it before a local failure would skip a collective.
 * A local ERR_COMM means that MPI itself failed: nothing can be agreed any more, and comm_abort ends the run. */
NODISCARD Status comm_agree(Comm *c, Status local);

/* [collective] buf[i] = op over ranks of buf[i], in place, any count (also above INT_MAX). */
NODISCARD Status comm_allreduce(Comm *c, void *buf, size_t count, CommType type, CommOp op);
/* [collective] The root's bytes reach everyone, any count. */
NODISCARD Status comm_broadcast(Comm *c, void *buf, size_t bytes, int root);
/* [collective] all[rank * bytes ...] = that rank's mine (bytes each). */
NODISCARD Status comm_allgather(Comm *c, const void *mine, size_t bytes, void *all);
/* [collective] Pieces of different sizes (bytes[r], known to all), laid end to end in the order of the ranks. */
NODISCARD Status comm_allgatherv(Comm *c, const void *mine, const size_t *bytes, void *all);
/* [collective] sent[r] bytes of mine for each rank r, end to end, all for this rank: got[r] bytes from each, end to
 * end. No more than INT_MAX bytes in all: cut what is longer. */
NODISCARD Status comm_alltoallv(Comm *c, const void *mine, const size_t *sent, void *all, const size_t *got);
NODISCARD Status comm_barrier(Comm *c); /* [collective] */
/* [collective] This rank's piece of memory that all ranks of its host share, zeroed: sums of what lies in it (reduce.h,
 * `shared`) need no message on the host. The piece of the call before is gone. NULL, and no failure, where there is
 * none to be had: a rank that is alone on its host, hosts with different numbers of ranks, no room. */
NODISCARD Status comm_shared(Comm *c, size_t bytes, void **out);
/* [collective] OK when mine is the same bytes on every rank; otherwise, on every rank, ERR_COMM that names the first
 * rank that differs from rank 0: "WHAT differs between rank 0 and rank 3 (on HOST)". At most 64 bytes: a digest. */
NODISCARD Status comm_same(Comm *c, const void *mine, size_t bytes, const char *what);
/* Tests: move at most so many elements, or bytes, in one MPI call; 0 is the usual limit (2^28). */
void comm_limit_chunk(Comm *c, size_t count);

#endif
