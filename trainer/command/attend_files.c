/* attend_files.c - HDF5, page, pictures, links, tables. */
#include "trainer/command/attend_files.h"

#include <stdio.h>
#include <string.h>

#include "comm/log.h"
#include "io/attention/alignment.h"
#include "io/attention/hits.h"
#include "io/file/file.h"

/* The attention whose links are written: the first that looks from the words of one field at those of another. */
static const AttentionView *first_links(const AttentionExample *e)
{
    for (int i = 0; i < e->n_views; i++) {
        const AttentionView *v = &e->view[i];
        if (v->rows.unit == AXIS_WORDS && v->columns.unit == AXIS_WORDS && v->rows.field != v->columns.field &&
            v->measure == ATTENTION_WEIGHT)
            return v;
    }
    return NULL;
}

static Status put_links(const AttendFiles *f, const AttentionFile *file, Arena *arena, Buffer *out)
{
    for (int i = 0; i < file->n; i++) {
        const AttentionView *v = first_links(&file->example[i]);
        AlignmentLinks links;
        REQUIRE(v, ERR_USAGE, "--pharaoh: the model %s has no attention over pairs", file->model);
        arena_release(arena, (ArenaMark){0});
        TRY(alignment_links(&file->example[i], v, f->links, arena, &links));
        TRY(alignment_pharaoh(&links, out));
    }
    return OK;
}

static Status links_text(const AttendFiles *f, const AttentionFile *file, Buffer *out)
{
    Arena arena = {0};
    if (!f->pharaoh) return OK;
    const Status st = put_links(f, file, &arena, out);
    arena_close(&arena);
    return st;
}

static Status write_pictures(const AttendFiles *f, const AttentionFile *file)
{
    for (int i = 0; i < file->n && f->svg; i++) {
        char path[4096];
        const int n = snprintf(path, sizeof path, "%s-%05d.svg", f->output, i + 1);
        REQUIRE(n > 0 && n < (int)sizeof path, ERR_USAGE, "%s: the path is too long", f->output);
        TRY(attention_svg(path, &file->example[i], f->links));
    }
    return OK;
}

/* Where people know what decides, how often the highest weight lies there; entropies and alignment errors. */
static Status print_tables(const AttentionFile *file, AttentionReadout links)
{
    Buffer text = {0};
    Hits hits = {0};
    for (int i = 0; i < file->n; i++) hits_add(&hits, &file->example[i]);
    Status st = hits_say(&hits, &text);
    if (st == OK) st = attention_table(file->n, file->example, links, &text);
    if (st == OK && text.size > 0) printf("%s", text.data);
    buffer_close(&text);
    return st;
}

static Status write_all(const AttendFiles *f, const AttentionFile *file, const Buffer *links)
{
    const char *saved = arena_format(f->run, "%s.h5", f->output), *page = arena_format(f->run, "%s.html", f->output);
    REQUIRE(saved && page, ERR_HOST, "%s", status_message());
    TRY(attention_save(saved, file->program, file->model, file->n, file->example));
    const AttentionPage p = {.title = "Attention", .n_files = 1, .file = file, .links = f->links};
    TRY(attention_page(page, &p));
    TRY(write_pictures(f, file));
    if (f->pharaoh) TRY(file_write(f->pharaoh, links->data ? links->data : "", links->size));
    log_info("%d inputs: %s and %s", file->n, saved, page);
    return OK;
}

Status attend_write(const AttendFiles *f, const AttentionFile *file)
{
    Buffer links = {0};
    for (int i = 0; i < file->n && f->svg; i++)
        REQUIRE(attention_has_picture(&file->example[i]), ERR_USAGE,
                "--svg: the model %s has no attention that is a picture", file->model);
    Status st = links_text(f, file, &links); /* before anything is written: it may not be possible */
    if (st == OK) st = write_all(f, file, &links);
    buffer_close(&links);
    TRY(st);
    return print_tables(file, f->links);
}

/* "runs/luong.h5" is luong. */
static const char *label_of(Arena *run, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    return arena_format(run, "%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);
}

Status attend_join(const AttendFiles *f, int n, const char *const *path, AttentionFile *file)
{
    const char *page = arena_format(f->run, "%s.html", f->output);
    REQUIRE(!f->pharaoh && !f->svg, ERR_USAGE, "%s: only with a configuration", f->svg ? "--svg" : "--pharaoh");
    REQUIRE(page, ERR_HOST, "%s", status_message());
    for (int i = 0; i < n; i++) {
        TRY(attention_read(&file[i], path[i], f->run));
        file[i].label = label_of(f->run, path[i]);
        REQUIRE(file[i].label, ERR_HOST, "%s", status_message());
    }
    const AttentionPage p = {.title = "Attention", .n_files = n, .file = file, .links = f->links};
    TRY(attention_page(page, &p));
    for (int i = 0; i < n; i++) {
        printf("%s\n", file[i].label);
        TRY(print_tables(&file[i], f->links));
    }
    log_info("%d files: %s", n, page);
    return OK;
}
