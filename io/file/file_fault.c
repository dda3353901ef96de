/* file_fault.c - system calls with a countdown to a failure that a test asked for. */
#include "io/file/file_fault.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file/file.h"

static _Thread_local long left;
static _Thread_local int planned;

void file_fail_in(long n, int error)
{
    left = n;
    planned = error;
}

long file_fail_left(void) { return left; }

/* True once, at the planned call; errno is set. */
static bool fails(void)
{
    if (left <= 0 || --left > 0) return false;
    if (planned == FILE_KILL) (void)raise(SIGKILL);
    errno = planned;
    return true;
}

int file_fault_open(const char *path, int flags, mode_t mode)
{
    if (fails() && planned != FILE_SHORT_WRITE) return -1;
    return open(path, flags, mode);
}

ssize_t file_fault_write(int fd, const void *data, size_t size)
{
    if (fails()) {
        if (planned != FILE_SHORT_WRITE) return -1;
        size /= 2;
    }
    return write(fd, data, size);
}

int file_fault_sync(int fd) { return fails() && planned != FILE_SHORT_WRITE ? -1 : fsync(fd); }

int file_fault_close(int fd)
{
    if (!fails() || planned == FILE_SHORT_WRITE) return close(fd);
    (void)close(fd);
    errno = planned;
    return -1;
}

int file_fault_rename(const char *from, const char *to)
{
    return fails() && planned != FILE_SHORT_WRITE ? -1 : rename(from, to);
}

int file_fault_mkdir(const char *path, mode_t mode)
{
    return fails() && planned != FILE_SHORT_WRITE ? -1 : mkdir(path, mode);
}

int file_fault_lock(int fd) { return fails() && planned != FILE_SHORT_WRITE ? -1 : flock(fd, LOCK_EX | LOCK_NB); }
