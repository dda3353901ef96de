/* file_lock.c - a lock file that names its owner: "PROCESS HOST". Declared in file.h.
 *
 * flock ends with the process, so a killed run leaves no stale lock. Where the file system has no locks (some mounts of
 * Lustre and NFS) the file itself is the lock, and it is stale when its process is gone from this host. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file/file.h"
#include "io/file/file_fault.h"

enum { HOST = 256, OWNER = 300 };

struct FileLock {
    int fd;
    Arena arena;
    char path[PATH_MAX];
};

/* The owner as the file says; pid 0 when it says nothing that can be read. */
static long read_owner(int fd, char host[HOST])
{
    char text[OWNER] = "";
    long pid = 0;
    host[0] = '\0';
    const ssize_t n = pread(fd, text, sizeof text - 1, 0);
    if (n <= 0 || sscanf(text, "%ld %255s", &pid, host) != 2 || pid <= 0) return 0;
    return pid;
}

static Status write_owner(const char *path, int fd)
{
    char text[OWNER + 32], host[HOST] = "unknown";
    (void)gethostname(host, sizeof host - 1);
    const int n = snprintf(text, sizeof text, "%ld %s\n", (long)getpid(), host);
    REQUIRE(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0, ERR_IO, "%s: %s", path, strerror(errno));
    const ssize_t written = file_fault_write(fd, text, (size_t)n);
    REQUIRE(written == n, ERR_IO, "%s: %s", path, written < 0 ? strerror(errno) : "a short write");
    return OK;
}

static Status in_use(const char *path, int fd)
{
    char host[HOST];
    const long pid = read_owner(fd, host);
    if (pid == 0) FAIL(ERR_IO, "%s: another run is using this folder", path);
    FAIL(ERR_IO, "%s: another run is using this folder: process %ld on %s", path, pid, host);
}

/* Without locks: the owner is gone when it ran on this host and no such process is there. */
static bool owner_is_gone(int fd)
{
    char host[HOST], here[HOST] = "";
    const long pid = read_owner(fd, host);
    if (pid == 0 || gethostname(here, sizeof here - 1) != 0 || strcmp(host, here) != 0) return false;
    return kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

static Status lock_by_existence(const char *path, int fd, bool made)
{
    if (made || owner_is_gone(fd)) return OK;
    char host[HOST];
    const long pid = read_owner(fd, host);
    FAIL(ERR_IO, "%s: process %ld on %s may be using this folder; if that run has ended, remove this file", path, pid,
         host[0] ? host : "an unknown host");
}

static Status take(FileLock *lock, bool *retry)
{
    struct stat ours, there;
    bool made = true;
    *retry = false;
    lock->fd = file_fault_open(lock->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (lock->fd < 0 && errno == EEXIST) {
        made = false;
        lock->fd = open(lock->path, O_RDWR | O_CLOEXEC);
        *retry = lock->fd < 0 && errno == ENOENT; /* its owner has just left */
    }
    if (*retry) return OK;
    REQUIRE(lock->fd >= 0, ERR_IO, "%s: %s", lock->path, strerror(errno));
    if (file_fault_lock(lock->fd) != 0) {
        if (errno == EWOULDBLOCK) return in_use(lock->path, lock->fd);
        TRY(lock_by_existence(lock->path, lock->fd, made));
    }
    /* Between open and lock the owner may have removed the file: then this lock is on nothing. */
    REQUIRE(fstat(lock->fd, &ours) == 0, ERR_IO, "%s: %s", lock->path, strerror(errno));
    *retry = stat(lock->path, &there) != 0 || there.st_ino != ours.st_ino;
    if (*retry) return OK;
    const Status st = write_owner(lock->path, lock->fd);
    if (st != OK) (void)unlink(lock->path);
    return st;
}

static Status take_soon(FileLock *lock)
{
    for (int round = 0; round < 100; round++) {
        bool retry;
        const Status st = take(lock, &retry);
        if (st == OK && !retry) return OK;
        if (lock->fd >= 0) (void)close(lock->fd);
        TRY(st);
    }
    FAIL(ERR_IO, "%s: the lock is taken and left all the time", lock->path);
}

Status file_lock(FileLock **out, const char *path)
{
    Arena arena = {0};
    FileLock *lock;
    REQUIRE(strlen(path) < PATH_MAX, ERR_IO, "%.80s...: the path is too long", path);
    TRY_NEW(lock, &arena, 1);
    lock->arena = arena;
    memcpy(lock->path, path, strlen(path) + 1);
    const Status st = take_soon(lock);
    if (st != OK) arena_close(&arena);
    TRY(st);
    *out = lock;
    return OK;
}

void file_unlock(FileLock *lock)
{
    if (!lock) return;
    (void)unlink(lock->path); /* while it is held: nobody can take it in between and lose it */
    (void)close(lock->fd);
    Arena arena = lock->arena;
    arena_close(&arena);
}
