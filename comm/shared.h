/* shared.h - what comm/shared.c made, for the all-reduce that adds in it. Included only inside comm/. */
#ifndef COMM_SHARED_H
#define COMM_SHARED_H
#include "comm/ranks.h"

struct CommShared {
    MPI_Comm node;          /* the ranks of this host */
    MPI_Comm across;        /* the ranks that have the same number on their hosts */
    int rank, ranks, hosts; /* on this host; hosts */
    char **base;            /* (ranks) where each one's piece begins */
    size_t bytes;           /* of each piece; 0: there is none */
};

void comm_shared_close(Comm *c); /* [collective] by comm_finalize */

#endif
