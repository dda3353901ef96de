/* ranks.h - what the files of comm/ share about MPI. Included only inside comm/.
 *
 * No other header of the project shows <mpi.h>. */
#ifndef COMM_RANKS_H
#define COMM_RANKS_H
#include <mpi.h>

#include "comm/arena.h"
#include "comm/comm.h"

enum { COMM_HOST_SIZE = 256 };

typedef struct CommShared CommShared;

struct Comm {
    MPI_Comm mpi; /* our own copy of MPI_COMM_WORLD */
    int rank, size, local_rank, local_size;
    size_t chunk; /* most elements, or bytes, of one MPI call: MPI counts are int */
    char host[COMM_HOST_SIZE];
    Arena arena;   /* holds this struct and the scratch */
    void *scratch; /* memory for pieces in flight; grows, is kept */
    size_t scratch_bytes;
    struct Watchdog *watchdog;
    double limit;       /* of the watchdog, seconds */
    CommShared *shared; /* NULL: none was asked for, or there is none to be had */
};

size_t comm_type_bytes(CommType type);
MPI_Datatype comm_mpi_type(CommType type);
/* [collective] c->scratch has at least this many bytes, the same number on all ranks: only then do they agree on a lack
 * of memory at the same place. */
NODISCARD Status comm_scratch(Comm *c, size_t bytes);
/* OK, or a report of ERR_COMM with MPI's own words. */
Status comm_mpi_status(int rc, const char *call, const char *file, int line, const char *func);

#define TRY_MPI(call) TRY(comm_mpi_status((call), #call, __FILE__, __LINE__, __func__))

#endif
