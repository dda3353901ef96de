/* file.h - files and folders: whole reads with a cap, writes that are all or nothing, locks.
 *
 * A file that file_write announced is complete and survives a power cut; one that failed leaves the older content and
 * nothing beside it. Every message begins with the path. */
#ifndef IO_FILE_FILE_H
#define IO_FILE_FILE_H
#include <stdint.h>
#include <sys/types.h>

#include "comm/arena.h"
#include "comm/status.h"

/* --- Reading --- */
/* Append the whole of a regular file. ERR_INPUT when it is not there or not readable, ERR_DATA above limit bytes. */
NODISCARD Status file_read(const char *path, size_t limit, Buffer *out);
/* Call piece for every piece of a regular file, in order: any size in bounded memory. */
NODISCARD Status file_each(const char *path, Status (*piece)(void *context, const void *data, size_t size),
                           void *context);
bool file_exists(const char *path); /* a regular file, after links */
bool file_is_folder(const char *path);
NODISCARD Status file_size(const char *path, int64_t *bytes); /* of a regular file */
/* The names (not "." and "..") in a folder in byte order, only those that end in suffix unless it is NULL. */
NODISCARD Status file_list(const char *folder, const char *suffix, Arena *arena, int *n, const char *const **names);
NODISCARD Status file_absolute(const char *path, Arena *arena, const char **absolute); /* of what may not exist yet */

/* --- Writing --- */
/* All or nothing: PATH.part is written, synced, checked, renamed to PATH, and the folder synced. */
NODISCARD Status file_write(const char *path, const void *data, size_t size);
/* At the end of a file that is made when it is not there; not synced: for logs. A short write is taken back. */
NODISCARD Status file_append(const char *path, const void *data, size_t size);
NODISCARD Status file_make_folder(const char *path);            /* with those above it; fine when it is there */
NODISCARD Status file_rename(const char *from, const char *to); /* and sync the folder of `to` */
NODISCARD Status file_remove(const char *path);                 /* fine when it is not there */
/* Remove a folder with the files in it; a folder inside it makes this fail. Fine when it is not there. */
NODISCARD Status file_remove_folder(const char *folder);
NODISCARD Status file_sync_folder(const char *folder);
NODISCARD Status file_free_space(const char *folder, int64_t *bytes); /* for this user, of the file system */
/* ERR_IO with both figures when the file system of folder has less than bytes free. */
NODISCARD Status file_need_space(const char *folder, int64_t bytes);

/* --- Two runs in one folder --- */
typedef struct FileLock FileLock;
/* Take the lock file at path, or fail with ERR_IO naming the process and the host that have it. The lock of a process
 * that has died is taken over (on file systems without locks: when it died on this host). */
NODISCARD Status file_lock(FileLock **out, const char *path);
void file_unlock(FileLock *lock); /* NULL is fine */

/* --- Tests: the n-th of the counted calls (open for writing, write, fsync, close, rename, mkdir, lock) of this thread
 * from now on fails with the errno, or with FILE_KILL ends the process by SIGKILL before the call, or with
 * FILE_SHORT_WRITE writes half of what was asked, or with FILE_CORRUPT a write changes a byte and says nothing. 0 ends
 * it. --- */
enum { FILE_KILL = -1, FILE_SHORT_WRITE = -2, FILE_CORRUPT = -3 };
void file_fail_in(long n, int error);
long file_fail_left(void); /* how far the countdown is; 0: it has happened, or none was asked for */

#endif
