/* file_fault.h - the system calls of io/file/file.c that change something, each a place where a test can make it fail.
 *
 * They behave like the calls they are named after: -1 and errno. Only io/file/file*.c and io/record/append.c use them.
 */
#ifndef IO_FILE_FILE_FAULT_H
#define IO_FILE_FILE_FAULT_H
#include <stddef.h>
#include <sys/types.h>

int file_fault_open(const char *path, int flags, mode_t mode);
ssize_t file_fault_write(int fd, const void *data, size_t size);
int file_fault_sync(int fd);
int file_fault_close(int fd); /* closes in any case */
int file_fault_rename(const char *from, const char *to);
int file_fault_mkdir(const char *path, mode_t mode);
int file_fault_lock(int fd); /* flock, exclusive, without waiting */

#endif
