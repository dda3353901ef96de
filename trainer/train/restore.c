/* restore.c - rank 0 finds and reads the checkpoint, the others receive the values. */
#include "trainer/train/restore.h"

#include <stdio.h>
#include <string.h>

#include "comm/log.h"
#include "io/checkpoint/checkpoint_store.h"
#include "io/file/file.h"
#include "trainer/train/register.h"

enum { PATH_SIZE = 4096 };

static Status find_in_folder(const Session *s, const char *folder, bool best, const char **path, Buffer *warnings)
{
    TRY(checkpoint_check_index(folder, s->run, warnings));
    if (best) TRY(checkpoint_best(folder, s->run, path));
    return *path ? OK : checkpoint_newest(folder, s->run, path, warnings);
}

/* Checkpoints of the configuration's run; with several seeds the user says which. */
static Status find_in_run(const Session *s, const char *which, const char **path)
{
    const RunSettings *settings = config_section(s->config, "run");
    REQUIRE(config_given(s->config, "run", "folder"), ERR_CONFIG,
            "the configuration has no run.folder: name the file with --checkpoint");
    const char *folder = arena_format(s->run, "%s/checkpoints", settings->folder);
    REQUIRE(folder, ERR_HOST, "%s", status_message());
    const TextList *seeds = &settings->seeds;
    REQUIRE(seeds->n == 0 || file_is_folder(folder), ERR_INPUT,
            "%s holds a run for each of %d seeds; choose one, such as --set run.folder=%s/seed-%s, or name a file with "
            "--checkpoint",
            settings->folder, seeds->n, settings->folder, seeds->item[0]);
    REQUIRE(file_is_folder(folder), ERR_INPUT,
            "%s: there are no checkpoints; train first, or name a file with --checkpoint", folder);
    *path = NULL;
    Buffer warnings = {0};
    const Status st = find_in_folder(s, folder, !which || strcmp(which, "best") == 0, path, &warnings);
    if (warnings.size) log_warn("%s", warnings.data);
    buffer_close(&warnings);
    TRY(st);
    REQUIRE(*path, ERR_INPUT, "%s: there is no checkpoint", folder);
    return OK;
}

/* The lines of a comparison that are of the model: "model.dim: 4 -> 5". */
static Status keep_model(const char *text, Buffer *out)
{
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (strncmp(line, "model.", 6) == 0)
            TRY(buffer_format(out, "%s%.*s", out->size ? "\n" : "", (int)strcspn(line, "\n"), line));
    return OK;
}

/* It fits, and yet its parameters were learnt by a model that computes something else. */
static Status tell_model(const char *path, const char *text)
{
    Buffer lines = {0};
    const Status st = keep_model(text, &lines);
    if (st == OK && lines.size) log_warn("%s was made with other settings of the model:\n%s", path, lines.data);
    buffer_close(&lines);
    return st;
}

/* A checkpoint that does not fit may be one of other settings. */
static Status tell_settings(const Session *s, const char *path, bool fits)
{
    CheckpointHead head = {0};
    Config *old = NULL;
    Buffer text = {0};
    int math = 0, other = 0;
    TRY(checkpoint_head(path, s->run, &head));
    TRY(config_parse(&old, s->run, &settings_table, path, head.config, strlen(head.config), 0, NULL));
    Status st = config_compare(old, s->config, &text, &math, &other);
    if (st == OK && math > 0 && fits) st = tell_model(path, text.data);
    if (st == OK && math > 0 && !fits) log_info("%s was made with another configuration:\n%s", path, text.data);
    buffer_close(&text);
    return st;
}

static Status load(Session *s, const char *path, Checkpoint *c)
{
    const Status st = checkpoint_load(path, c, CHECKPOINT_RESUME); /* of the model alone */
    if (st == OK) (void)tell_settings(s, path, true);              /* nothing that hinders */
    if (st != ERR_DATA) return st == OK ? OK : status_trace(st, __FILE__, __LINE__, __func__);
    const char *report = arena_text(s->run, status_text()); /* the first failure is the one to tell */
    (void)tell_settings(s, path, false);
    return report ? status_adopt(st, report) : st;
}

/* Allowed: the vocabularies are the same. But who reads the figures should know. */
static void tell_corpus(const Session *s, const char *path, const CheckpointSource *from)
{
    if (!from->corpus || strcmp(from->corpus, corpus_content(s->corpus)) == 0) return;
    log_info("%s learnt from another corpus (%lld examples, digest %s) than %s (digest %s)", path,
             (long long)from->examples, from->corpus, corpus_folder(s->corpus), corpus_content(s->corpus));
}

static Status read_here(Session *s, const char *which, const char *split, char path[PATH_SIZE])
{
    const char *found = which;
    if (!which || strcmp(which, "best") == 0 || strcmp(which, "last") == 0) TRY(find_in_run(s, which, &found));
    snprintf(path, PATH_SIZE, "%s", found);
    real *average;
    TRY_NEW(average, s->run, s->params.count);
    Checkpoint c = {0};
    TRY(register_model(&c, s, average));
    TRY(load(s, found, &c));
    if (split) tell_corpus(s, found, &c.source);
    for (int i = 0; i < c.n_buffers; i++)
        if (c.buffer[i].data == average && c.buffer[i].found)
            memcpy(s->params.value, average, (size_t)s->params.count * sizeof *average);
    return OK;
}

Status restore_model(Session *s, const char *which, const char *split, const char **path)
{
    char *name;
    TRY_NEW(name, s->run, PATH_SIZE);
    watchdog_long(s->watchdog, "restore", 0, 10);
    TRY(comm_agree(s->comm, comm_rank(s->comm) == 0 ? read_here(s, which, split, name) : OK));
    TRY(comm_broadcast(s->comm, name, PATH_SIZE, 0));
    TRY(comm_broadcast(s->comm, s->params.value, (size_t)s->params.count * sizeof(real), 0));
    TRY(comm_broadcast(s->comm, s->model->memory, (size_t)s->model->def->n_memory * sizeof(double), 0));
    *path = name;
    return OK;
}
