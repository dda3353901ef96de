/* shared.c - one piece of memory a rank that all ranks of its host read and write directly.
 *
 * Made by POSIX calls, not as a window of MPI: Open MPI 4.1 hangs where there is no room for one. */
#include "comm/shared.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LINE = 64, NAME = 64 }; /* pieces begin at a line of the cache */

/* The ranks of this host, and those that are the same number on each host. */
static Status split(Comm *c, CommShared *s)
{
    TRY_MPI(MPI_Comm_split_type(c->mpi, MPI_COMM_TYPE_SHARED, c->rank, MPI_INFO_NULL, &s->node));
    TRY_MPI(MPI_Comm_rank(s->node, &s->rank));
    TRY_MPI(MPI_Comm_size(s->node, &s->ranks));
    TRY_MPI(MPI_Comm_split(c->mpi, s->rank, c->rank, &s->across));
    TRY_MPI(MPI_Comm_size(s->across, &s->hosts));
    TRY_NEW(s->base, &c->arena, s->ranks);
    return OK;
}

static void release(CommShared *s)
{
    if (s->bytes) (void)munmap(s->base[0], s->bytes * (size_t)s->ranks);
    s->bytes = 0;
}

/* [collective] Did it go well on all ranks? */
static Status all_well(Comm *c, bool mine, bool *all)
{
    int well = mine;
    TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &well, 1, MPI_INT, MPI_MIN, c->mpi));
    *all = well;
    return OK;
}

/* A new file in memory with room for all pieces; its blocks are there, so that no later write can lack one. */
static int create(char name[NAME], size_t bytes)
{
    static int number;
    if (bytes > (size_t)1 << 46) return -1;
    snprintf(name, NAME, "/mneme-%ld-%d", (long)getpid(), number++);
    const int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0 || posix_fallocate(fd, 0, (off_t)bytes) == 0) return fd;
    (void)close(fd);
    (void)shm_unlink(name);
    return -1;
}

static bool map(CommShared *s, int fd, size_t bytes)
{
    void *all = mmap(NULL, bytes * (size_t)s->ranks, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (all == MAP_FAILED) return false;
    for (int r = 0; r < s->ranks; r++) s->base[r] = (char *)all + (size_t)r * bytes;
    s->bytes = bytes;
    return true;
}

/* [collective] The host's first rank makes the file, the others open it, and its name goes when all have it. */
static Status allocate(Comm *c, CommShared *s, size_t bytes, bool *well)
{
    char name[NAME] = "";
    int fd = s->rank == 0 ? create(name, bytes * (size_t)s->ranks) : -1;
    TRY(all_well(c, s->rank > 0 || fd >= 0, well));
    TRY_MPI(MPI_Bcast(name, NAME, MPI_BYTE, 0, s->node));
    if (*well && s->rank > 0) fd = shm_open(name, O_RDWR, 0);
    TRY(all_well(c, *well && fd >= 0 && map(s, fd, bytes), well));
    if (s->rank == 0 && fd >= 0) (void)shm_unlink(name);
    if (fd >= 0) (void)close(fd);
    if (!*well) release(s);
    return OK;
}

/* [collective] c->shared is there when every host has the same number of ranks, and more than one. */
static Status prepare(Comm *c)
{
    int few_most[2] = {c->local_size, -c->local_size};
    TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, few_most, 2, MPI_INT, MPI_MIN, c->mpi));
    if (few_most[0] < 2 || few_most[0] != -few_most[1]) return OK;
    CommShared *s = arena_zeros(&c->arena, 1, sizeof *s);
    bool well = false;
    TRY(all_well(c, s != NULL, &well));
    if (!well) return OK;
    TRY(comm_agree(c, split(c, s)));
    c->shared = s;
    return OK;
}

Status comm_shared(Comm *c, size_t bytes, void **out)
{
    *out = NULL;
    if (c->size == 1) return OK;
    if (!c->shared) TRY(prepare(c));
    CommShared *s = c->shared;
    if (!s) return OK;
    bool well = true;
    if (bytes > s->bytes) {
        release(s);
        TRY(allocate(c, s, (bytes + LINE - 1) / LINE * LINE, &well));
    }
    if (!well) return OK;
    memset(s->base[s->rank], 0, s->bytes);
    *out = s->base[s->rank];
    return OK;
}

void comm_shared_close(Comm *c)
{
    CommShared *s = c->shared;
    if (!s) return;
    release(s);
    MPI_Comm_free(&s->node);
    MPI_Comm_free(&s->across);
}
