/* average.c - sums over files, which rank 0 reads and all ranks see. */
#include "trainer/train/average.h"

#include "comm/log.h"
#include "io/checkpoint/checkpoint_index.h"
#include "io/file/file.h"
#include "trainer/train/register.h"
#include "trainer/train/restore.h"

Status average_newest(const Session *s, int most, int *n, const char *const **path)
{
    const RunSettings *settings = config_section(s->config, "run");
    const char *folder = arena_format(s->run, "%s/checkpoints", settings->folder);
    CheckpointIndex *x;
    const char **found;
    REQUIRE(folder, ERR_HOST, "%s", status_message());
    TRY_NEW(x, s->run, 1);
    TRY_NEW(found, s->run, most);
    REQUIRE(file_is_folder(folder), ERR_INPUT, "%s: there are no checkpoints; train first, or name files", folder);
    TRY(checkpoint_index_read(x, folder));
    REQUIRE(x->n >= 2, ERR_INPUT,
            "%s: a mean is of two checkpoints or more, and there %s %d: checkpoint.keep_last keeps more", folder,
            x->n == 1 ? "is" : "are", x->n);
    *n = x->n < most ? x->n : most;
    for (int i = 0; i < *n; i++) {
        found[i] = arena_format(s->run, "%s/%s", folder, x->entry[x->n - *n + i].file);
        REQUIRE(found[i], ERR_HOST, "%s", status_message());
    }
    *path = found;
    return OK;
}

/* The head is that of the last of them. */
static Status describe(Session *s, const char *last, Checkpoint *c, Buffer *yaml)
{
    CheckpointHead head;
    TRY(checkpoint_head(last, s->run, &head));
    TRY(register_model(c, s, NULL));
    TRY(config_write(s->config, false, yaml));
    c->config = yaml->data;
    c->environment = head.environment;
    c->source = head.source;
    c->step = head.step;
    return OK;
}

static Status save(Session *s, const char *last, const char *output)
{
    Checkpoint c = {0};
    Buffer yaml = {0}, image = {0};
    char digest[HASH_HEX];
    Status st = describe(s, last, &c, &yaml);
    if (st == OK) st = checkpoint_image(&c, output, &image, digest);
    if (st == OK) st = file_write(output, image.data, image.size);
    buffer_close(&image);
    buffer_close(&yaml);
    return st;
}

static Status add(Session *s, const char *path, double *sum)
{
    const ArenaMark mark = arena_mark(s->run);
    const char *name;
    TRY(restore_model(s, path, NULL, &name));
    for (int64_t i = 0; i < s->params.count; i++) sum[i] += (double)s->params.value[i];
    arena_release(s->run, mark);
    return OK;
}

Status average_checkpoints(Session *s, int n, const char *const *path, const char *output)
{
    const bool leads = comm_rank(s->comm) == 0;
    double *sum = arena_zeros(s->run, s->params.count, sizeof *sum);
    TRY(comm_agree(s->comm, sum ? OK : ERR_HOST));
    for (int k = 0; k < n; k++) TRY(add(s, leads ? path[k] : "", sum));
    for (int64_t i = 0; i < s->params.count; i++) s->params.value[i] = (real)(sum[i] / n);
    TRY(comm_agree(s->comm, leads ? save(s, path[n - 1], output) : OK));
    log_info("%s: the mean of %d checkpoints", output, n);
    return OK;
}
