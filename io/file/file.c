/* file.c - reading, listing, and the protocol of a write that is all or nothing. */
#include "io/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "io/file/file_fault.h"

enum { PIECE = 1 << 20, WRITE_MOST = 1 << 26 };

/* --- Reading --- */

/* Without O_NONBLOCK a named pipe in the place of a file would stop the program for ever. */
static Status open_to_read(const char *path, int *fd, struct stat *info)
{
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    REQUIRE(*fd >= 0, ERR_INPUT, "%s: %s", path, strerror(errno));
    if (fstat(*fd, info) == 0 && S_ISREG(info->st_mode)) return OK;
    const bool folder = S_ISDIR(info->st_mode);
    (void)close(*fd);
    FAIL(ERR_INPUT, "%s: %s", path, folder ? "is a folder, expected a file" : "is not a regular file");
}

static Status read_piece(const char *path, int fd, void *to, size_t size, size_t *got)
{
    ssize_t n;
    do n = read(fd, to, size);
    while (n < 0 && errno == EINTR);
    REQUIRE(n >= 0, ERR_IO, "%s: %s", path, strerror(errno));
    *got = (size_t)n;
    return OK;
}

static Status read_all(const char *path, int fd, const struct stat *info, size_t limit, Buffer *out)
{
    const size_t before = out->size;
    REQUIRE((uint64_t)info->st_size <= limit, ERR_DATA, "%s: %lld bytes, more than the %zu that are allowed", path,
            (long long)info->st_size, limit);
    TRY(buffer_reserve(out, before + (size_t)info->st_size + 1));
    for (size_t got = 1; got > 0;) { /* the size is only a hint: a file may grow while it is read */
        if (out->capacity - out->size < 2) TRY(buffer_reserve(out, out->size + PIECE));
        TRY(read_piece(path, fd, out->data + out->size, out->capacity - out->size - 1, &got));
        out->size += got;
        REQUIRE(out->size - before <= limit, ERR_DATA, "%s: more than the %zu bytes that are allowed", path, limit);
    }
    out->data[out->size] = '\0';
    return OK;
}

Status file_read(const char *path, size_t limit, Buffer *out)
{
    int fd;
    struct stat info = {0};
    TRY(open_to_read(path, &fd, &info));
    const Status st = read_all(path, fd, &info, limit, out);
    (void)close(fd);
    TRY(st);
    return OK;
}

static Status each_piece(const char *path, int fd, void *space, Status (*piece)(void *, const void *, size_t),
                         void *context)
{
    for (;;) {
        size_t got = 0;
        TRY(read_piece(path, fd, space, PIECE, &got));
        if (got == 0) return OK;
        TRY(piece(context, space, got));
    }
}

Status file_each(const char *path, Status (*piece)(void *context, const void *data, size_t size), void *context)
{
    int fd;
    struct stat info = {0};
    Buffer space = {0};
    TRY(buffer_reserve(&space, PIECE));
    Status st = open_to_read(path, &fd, &info);
    if (st == OK) {
        st = each_piece(path, fd, space.data, piece, context);
        (void)close(fd);
    }
    buffer_close(&space);
    TRY(st);
    return OK;
}

bool file_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool file_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

Status file_size(const char *path, int64_t *bytes)
{
    struct stat info;
    REQUIRE(stat(path, &info) == 0, ERR_INPUT, "%s: %s", path, strerror(errno));
    REQUIRE(S_ISREG(info.st_mode), ERR_INPUT, "%s: %s", path,
            S_ISDIR(info.st_mode) ? "is a folder, expected a file" : "is not a regular file");
    *bytes = info.st_size;
    return OK;
}

Status file_free_space(const char *folder, int64_t *bytes)
{
    struct statvfs info;
    REQUIRE(statvfs(folder, &info) == 0, ERR_IO, "%s: %s", folder, strerror(errno));
    const uint64_t size = (uint64_t)info.f_bavail * info.f_frsize;
    *bytes = size > INT64_MAX ? INT64_MAX : (int64_t)size;
    return OK;
}

Status file_need_space(const char *folder, int64_t bytes)
{
    int64_t have = 0;
    TRY(file_free_space(folder, &have));
    REQUIRE(have >= bytes, ERR_IO, "%s: %lld bytes are free on this file system, %lld are needed", folder,
            (long long)have, (long long)bytes);
    return OK;
}

/* --- Writing --- */

static Status write_bytes(const char *path, int fd, const char *data, size_t size)
{
    while (size > 0) {
        const ssize_t n = file_fault_write(fd, data, size < WRITE_MOST ? size : WRITE_MOST);
        if (n < 0 && errno == EINTR) continue;
        REQUIRE(n > 0, ERR_IO, "%s: %s", path, n < 0 ? strerror(errno) : "nothing could be written");
        data += n;
        size -= (size_t)n;
    }
    return OK;
}

/* The size is asked of the system before the name is given: some network file systems lose a tail without an error. */
static Status fill_part(const char *path, int fd, const void *data, size_t size)
{
    struct stat info;
    TRY(write_bytes(path, fd, data, size));
    REQUIRE(file_fault_sync(fd) == 0, ERR_IO, "%s: %s", path, strerror(errno));
    REQUIRE(fstat(fd, &info) == 0, ERR_IO, "%s: %s", path, strerror(errno));
    REQUIRE((uint64_t)info.st_size == size, ERR_IO, "%s: %lld bytes are there after writing %zu", path,
            (long long)info.st_size, size);
    return OK;
}

static Status write_part(const char *path, const char *part, const void *data, size_t size)
{
    const int fd = file_fault_open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    REQUIRE(fd >= 0, ERR_IO, "%s: %s", path, strerror(errno));
    Status st = fill_part(path, fd, data, size);
    if (file_fault_close(fd) != 0 && st == OK) FAIL(ERR_IO, "%s: %s", path, strerror(errno));
    TRY(st);
    REQUIRE(file_fault_rename(part, path) == 0, ERR_IO, "%s: %s", path, strerror(errno));
    return OK;
}

/* dir = all before the last '/', "." when there is none */
static Status parent_of(const char *path, char dir[PATH_MAX])
{
    REQUIRE(strlen(path) < PATH_MAX - 8, ERR_IO, "%.80s...: the path is longer than %d bytes", path, PATH_MAX - 8);
    const char *slash = strrchr(path, '/');
    const size_t n = !slash ? 1 : slash == path ? 1 : (size_t)(slash - path);
    memcpy(dir, slash ? path : ".", n);
    dir[n] = '\0';
    return OK;
}

Status file_sync_folder(const char *folder)
{
    const int fd = file_fault_open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    REQUIRE(fd >= 0, ERR_IO, "%s: %s", folder, strerror(errno));
    const int rc = file_fault_sync(fd), error = errno;
    (void)close(fd);
    /* Some network file systems cannot sync a folder and say so: there is nothing better to do there. */
    REQUIRE(rc == 0 || error == EINVAL || error == ENOTSUP, ERR_IO, "%s: %s", folder, strerror(error));
    return OK;
}

Status file_write(const char *path, const void *data, size_t size)
{
    char dir[PATH_MAX], part[PATH_MAX];
    TRY(parent_of(path, dir));
    snprintf(part, sizeof part, "%s.part", path);
    const Status st = write_part(path, part, data, size);
    if (st != OK) (void)unlink(part);
    TRY(st);
    TRY(file_sync_folder(dir));
    return OK;
}

/* A half line in a log would spoil the next one too: cut the file back to what it was. */
static Status append_here(const char *path, int fd, const void *data, size_t size)
{
    struct stat info;
    REQUIRE(fstat(fd, &info) == 0, ERR_IO, "%s: %s", path, strerror(errno));
    const Status st = write_bytes(path, fd, data, size);
    if (st != OK && ftruncate(fd, info.st_size) != 0) return st; /* the first failure is the one to tell */
    TRY(st);
    return OK;
}

Status file_append(const char *path, const void *data, size_t size)
{
    const int fd = file_fault_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    REQUIRE(fd >= 0, ERR_IO, "%s: %s", path, strerror(errno));
    const Status st = append_here(path, fd, data, size);
    if (file_fault_close(fd) != 0 && st == OK) FAIL(ERR_IO, "%s: %s", path, strerror(errno));
    TRY(st);
    return OK;
}

Status file_rename(const char *from, const char *to)
{
    char dir[PATH_MAX];
    TRY(parent_of(to, dir));
    REQUIRE(file_fault_rename(from, to) == 0, ERR_IO, "%s: %s", to, strerror(errno));
    TRY(file_sync_folder(dir));
    return OK;
}

Status file_remove(const char *path)
{
    REQUIRE(unlink(path) == 0 || errno == ENOENT, ERR_IO, "%s: %s", path, strerror(errno));
    return OK;
}
