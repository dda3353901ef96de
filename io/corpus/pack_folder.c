/* pack_folder.c - the folder of a corpus: what may be replaced, and how a complete one gets its name. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/corpus/pack_parts.h"
#include "io/file/file.h"

/* NAME-00000-of-00004.h5 */
static bool is_shard(const char *name, size_t n)
{
    static const char pattern[] = "-#####-of-#####.h5";
    const size_t m = sizeof pattern - 1;
    if (n <= m) return false;
    for (size_t i = 0; i < m; i++) {
        const char c = name[n - m + i];
        if (pattern[i] == '#' ? !isdigit((unsigned char)c) : c != pattern[i]) return false;
    }
    return true;
}

/* A packing that was killed may have left a file under its name with .part at the end. */
static bool is_ours(const char *name)
{
    static const char *const endings[] = {".vocab.h5", ".bpe", ".subwords", ".cases"};
    static const char part[] = ".part";
    const size_t m = sizeof part - 1;
    size_t n = strlen(name);
    if (n > m && strcmp(name + n - m, part) == 0) n -= m;
    for (int i = 0; i < COUNT(endings); i++) {
        const size_t k = strlen(endings[i]);
        if (n > k && memcmp(name + n - k, endings[i], k) == 0) return true;
    }
    return (n == strlen(INDEX_FILE) && memcmp(name, INDEX_FILE, n) == 0) || is_shard(name, n);
}

/* n: files in the folder; *stranger: one that no packing has written, or NULL. */
static Status look_into(const char *folder, Arena *arena, int *n, const char **stranger)
{
    const char *const *names;
    *stranger = NULL;
    TRY(file_list(folder, NULL, arena, n, &names));
    for (int i = 0; i < *n; i++)
        if (!is_ours(names[i])) *stranger = names[i];
    return OK;
}

static Status check_target(const Pack *p, bool replace)
{
    Arena scratch = {0};
    const char *stranger;
    char index[PATH_MAX];
    int n = 0;
    TRY(pack_path(index, p->folder, INDEX_FILE));
    if (!file_is_folder(p->folder)) {
        REQUIRE(access(p->folder, F_OK) != 0, ERR_IO, "%s: is in the way of a folder of that name", p->folder);
        return OK;
    }
    Status st = look_into(p->folder, &scratch, &n, &stranger);
    if (st == OK && file_exists(index) && !replace)
        st = status_fail(ERR_CONFIG, __FILE__, __LINE__, __func__,
                         "%s: holds a corpus already; --replace packs it anew", p->folder);
    else if (st == OK && stranger)
        st = status_fail(ERR_IO, __FILE__, __LINE__, __func__,
                         "%s: holds %s, which is no file of a corpus; nothing is changed there", p->folder, stranger);
    arena_close(&scratch);
    TRY(st);
    return OK;
}

/* Remove a folder that an earlier packing left when it was killed, unless somebody put something there. */
static Status remove_left(const char *folder)
{
    Arena scratch = {0};
    const char *stranger;
    int n = 0;
    if (!file_is_folder(folder)) return OK;
    Status st = look_into(folder, &scratch, &n, &stranger);
    if (st == OK && stranger)
        st = status_fail(ERR_IO, __FILE__, __LINE__, __func__,
                         "%s: holds %s, which is no file of a corpus; nothing is changed there", folder, stranger);
    arena_close(&scratch);
    TRY(st);
    TRY(file_remove_folder(folder));
    return OK;
}

/* Killed between the two renames of pack_publish, the older corpus is still there under its other name. */
static Status recover(const Pack *p)
{
    if (!file_is_folder(p->old)) return OK;
    if (access(p->folder, F_OK) == 0) return remove_left(p->old);
    TRY(file_rename(p->old, p->folder));
    return OK;
}

Status pack_prepare(Pack *p, bool replace)
{
    int64_t bytes = (int64_t)1 << 20;
    TRY(recover(p));
    TRY(check_target(p, replace));
    TRY(remove_left(p->part));
    TRY(file_make_folder(p->part));
    p->building = true;
    for (int s = 0; s < PACK_SPLITS; s++) bytes += p->bytes[s];
    TRY(file_need_space(p->part, bytes));
    return OK;
}

/* The older corpus, if any, steps aside for the new one. */
static Status swap(const Pack *p)
{
    if (file_is_folder(p->folder)) TRY(file_rename(p->folder, p->old));
    TRY(file_rename(p->part, p->folder));
    return OK;
}

/* A rename that was done but could not be synced is taken back too: after a failure everything is as it was. */
static void undo(const Pack *p)
{
    if (!file_is_folder(p->part)) (void)rename(p->folder, p->part);
    if (file_is_folder(p->old) && !file_is_folder(p->folder)) (void)rename(p->old, p->folder);
}

Status pack_publish(const Pack *p)
{
    TRY(file_sync_folder(p->part));
    const Status st = swap(p);
    if (st != OK) undo(p);
    TRY(st);
    if (file_is_folder(p->old)) TRY(remove_left(p->old));
    return OK;
}
