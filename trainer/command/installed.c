/* installed.c - where the installed examples are, by the place of the program; MNEME_DOCS is how CMake installs them. */
#include "trainer/command/installed.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder of the documents with the configurations below it; false: the program was not installed with them. */
static bool find_documents(char out[PATH_MAX])
{
    char program[PATH_MAX], path[2 * PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n <= 0) return false;
    program[n] = '\0';
    char *slash = strrchr(program, '/');
    if (!slash) return false;
    *slash = '\0';
    static const char documents[] = MNEME_DOCS;
    if (documents[0] == '/')
        snprintf(path, sizeof path, "%s", documents);
    else
        snprintf(path, sizeof path, "%s/%s", program, documents);
    return realpath(path, out) != NULL;
}

/* Where the folder would be: of a path that is not there yet, the part that is. */
static bool resolve(const char *folder, char out[PATH_MAX])
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s", folder) >= (int)sizeof path) return false;
    for (;;) {
        if (realpath(path, out)) return true;
        char *slash = strrchr(path, '/');
        if (errno != ENOENT) return false;
        if (!slash) return realpath(".", out) != NULL;
        slash[slash == path] = '\0'; /* the root stays */
    }
}

static Status spare(const Command *c, const char *key, const char *folder)
{
    char documents[PATH_MAX], at[PATH_MAX];
    if (!find_documents(documents) || !resolve(folder, at)) return OK;
    const size_t n = strlen(documents);
    REQUIRE(strncmp(at, documents, n) != 0 || (at[n] != '/' && at[n] != '\0'), ERR_CONFIG,
            "%s: an example of the installation, into which nothing is written; %s is %s: copy the file, or say --set "
            "%s=FOLDER",
            c->argv[0], key, folder, key);
    return OK;
}

Status installed_spare(const Command *c, const char *key, const char *folder)
{
    return comm_agree(c->comm, spare(c, key, folder));
}
