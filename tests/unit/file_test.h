/* file_test.h - for tests of what is written into one file: a file of their own, and an arena. */
#ifndef TESTS_UNIT_FILE_TEST_H
#define TESTS_UNIT_FILE_TEST_H
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "comm/arena.h"

static Arena arena;
static char path[64]; /* empty, in the folder for temporary files */

static int set_up(void **state)
{
    (void)state;
    strcpy(path, "/tmp/mneme-test-XXXXXX");
    const int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
    (void)state;
    arena_close(&arena);
    return unlink(path);
}

#endif
