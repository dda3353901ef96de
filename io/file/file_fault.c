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
static bool reached(void)
{
    if (left <= 0 || --left > 0) return false;
    if (planned == FILE_KILL) (void)raise(SIGKILL);
    errno = planned;
    return true;
}

/* Of calls other than a write. */
static bool fails(void) { return reached() && planned != FILE_SHORT_WRITE && planned != FILE_CORRUPT; }

/* All but the last byte, and that changed. */
static ssize_t write_changed(int fd, const char *data, size_t size)
{
    const char last = (char)(data[size - 1] ^ 1);
    const ssize_t n = size > 1 ? write(fd, data, size - 1) : 0;
    return n == (ssize_t)size - 1 && write(fd, &last, 1) == 1 ? (ssize_t)size : -1;
}

int file_fault_open(const char *path, int flags, mode_t mode)
{
    if (fails()) return -1;
    return open(path, flags, mode);
}

ssize_t file_fault_write(int fd, const void *data, size_t size)
{
    if (reached()) {
        if (planned == FILE_CORRUPT && size > 0) return write_changed(fd, data, size);
        if (planned != FILE_SHORT_WRITE) return -1;
        size /= 2;
    }
    return write(fd, data, size);
}

int file_fault_sync(int fd) { return fails() ? -1 : fsync(fd); }

int file_fault_close(int fd)
{
    if (!fails()) return close(fd);
    (void)close(fd);
    errno = planned;
    return -1;
}

int file_fault_rename(const char *from, const char *to) { return fails() ? -1 : rename(from, to); }

int file_fault_mkdir(const char *path, mode_t mode) { return fails() ? -1 : mkdir(path, mode); }

int file_fault_lock(int fd) { return fails() ? -1 : flock(fd, LOCK_EX | LOCK_NB); }
