/* attention_file.c - attention as an HDF5 file: written, and read back. */
#include <stdio.h>
#include <string.h>

#include "io/attention/attention.h"
#include "io/attention/entropy.h"
#include "io/attention/reading.h"

#define FORMAT "mneme-attention"
enum { VERSION = 3, OBJECT = 128 };

/* --- Writing --- */

static Status put_list(H5 *h, const char *group, const char *name, H5Type type, int64_t n, const void *data)
{
    char object[OBJECT];
    snprintf(object, sizeof object, "%.90s/%.30s", group, name);
    return h5_write_list(h, object, type, n, data);
}

static Status put_table(H5 *h, const char *group, const char *name, int64_t rows, int64_t columns, const double *value)
{
    char object[OBJECT];
    snprintf(object, sizeof object, "%.90s/%.30s", group, name);
    return h5_write(h, object, H5_F64, 2, (const int64_t[]){rows, columns}, value);
}

static Status put_words(H5 *h, const char *group, const AttentionWords *w)
{
    static const int64_t none[1] = {0};
    TRY(put_list(h, group, "text", H5_U8, w->n ? w->start[w->n] : 0, w->text));
    if (w->part_of) TRY(put_list(h, group, "part_of", H5_I64, w->n, w->part_of));
    return put_list(h, group, "word", H5_I64, w->n + 1, w->n ? w->start : none);
}

static Status put_field(H5 *h, const char *example, int index, const AttentionField *f)
{
    static const int64_t none[1] = {0};
    char group[OBJECT];
    snprintf(group, sizeof group, "%.60s/field-%02d", example, index);
    TRY(h5_group(h, group));
    TRY(h5_set_text(h, group, "name", f->name));
    TRY(h5_set_int(h, group, "levels", f->levels));
    if (f->role != ROLE_NONE) TRY(h5_set_text(h, group, "role", field_role_name(f->role)));
    if (f->height > 0) {
        TRY(h5_set_int(h, group, "height", f->height));
        TRY(h5_set_int(h, group, "width", f->width));
        return f->grey ? put_table(h, group, "grey", f->height, f->width, f->grey) : OK;
    }
    TRY(put_words(h, group, &f->words));
    if (f->loss) TRY(put_list(h, group, "loss", H5_F64, f->words.n, f->loss));
    if (f->levels == 1) return OK;
    return put_list(h, group, "sentence", H5_I64, f->n_sentences + 1, f->n_sentences ? f->sentence : none);
}

static Status put_gold(H5 *h, const char *example, int index, const AttentionExample *e)
{
    const AttentionGold *g = &e->gold[index];
    char group[OBJECT], object[OBJECT];
    snprintf(group, sizeof group, "%.60s/gold-%02d", example, index);
    snprintf(object, sizeof object, "%.100s/at", group);
    TRY(h5_write(h, object, H5_I64, g->to < 0 ? 1 : 2, (const int64_t[]){g->n, 2}, g->at));
    TRY(h5_set_text(h, group, "of", e->field[g->of].name));
    TRY(h5_set_text(h, group, "unit", attention_unit_name((int)g->unit)));
    if (g->to >= 0) TRY(h5_set_text(h, group, "to", e->field[g->to].name));
    return h5_set_int(h, group, "possible", g->possible);
}

static Status put_classes(H5 *h, const char *group, const AttentionExample *e, Buffer *names, Buffer *starts)
{
    for (int i = 0; i <= e->n_classes; i++) {
        const int64_t at = (int64_t)names->size;
        TRY(buffer_append(starts, &at, sizeof at));
        if (i < e->n_classes) TRY(buffer_text(names, e->class_name[i]));
    }
    char inside[OBJECT];
    snprintf(inside, sizeof inside, "%.60s/class", group);
    TRY(put_list(h, group, "probability", H5_F64, e->n_classes, e->probability));
    TRY(put_list(h, inside, "text", H5_U8, (int64_t)names->size, names->data));
    return put_list(h, inside, "word", H5_I64, e->n_classes + 1, starts->data);
}

static Status put_entropy(H5 *h, const char *inside, const AttentionExample *e, const AttentionView *v, Arena *arena)
{
    const int64_t rows = entropy_rows(e, v);
    const Entropy all = entropy_of_view(e, v);
    double *row, share;
    TRY_NEW(row, arena, rows);
    for (int64_t r = 0; r < rows; r++) row[r] = entropy_of_row(e, v, r, &share);
    TRY(put_list(h, inside, "entropy", H5_F64, rows, row));
    TRY(h5_set_real(h, inside, "entropy", entropy_mean(&all)));
    return h5_set_real(h, inside, "entropy_share", entropy_mean_share(&all));
}

static Status put_axis(H5 *h, const char *group, const char *what, const AttentionExample *e, const AttentionAxis *a)
{
    char key[32];
    TRY(h5_set_text(h, group, what, attention_unit_name((int)a->unit)));
    if (a->by_sentence) TRY(h5_set_int(h, group, "by_sentence", 1));
    snprintf(key, sizeof key, "%.20s_of", what);
    return a->field < 0 ? OK : h5_set_text(h, group, key, e->field[a->field].name);
}

static Status put_view(H5 *h, const char *example, int index, const AttentionExample *e, Arena *arena)
{
    char group[OBJECT];
    const AttentionView *v = &e->view[index];
    snprintf(group, sizeof group, "%.60s/view-%03d", example, index);
    TRY(v->rows.unit == AXIS_NONE ? put_list(h, group, "weights", H5_F64, v->columns.size, v->weight)
                                  : put_table(h, group, "weights", v->rows.size, v->columns.size, v->weight));
    TRY(h5_set_text(h, group, "name", v->name));
    TRY(h5_set_int(h, group, "layer", v->layer));
    TRY(h5_set_int(h, group, "head", v->head));
    TRY(h5_set_int(h, group, "hop", v->hop));
    TRY(put_axis(h, group, "rows", e, &v->rows));
    TRY(put_axis(h, group, "columns", e, &v->columns));
    if (v->measure == ATTENTION_WEIGHT) TRY(put_entropy(h, group, e, v, arena));
    return h5_set_text(h, group, "measure", attention_measure_name((int)v->measure));
}

static Status put_answer(H5 *h, const char *group, const AttentionExample *e)
{
    if (e->id) TRY(h5_set_text(h, group, "id", e->id));
    if (e->prediction) TRY(h5_set_text(h, group, "prediction", e->prediction));
    if (e->truth) TRY(h5_set_text(h, group, "truth", e->truth));
    if (e->n_classes == 0) return OK;
    Buffer names = {0}, starts = {0};
    const Status st = put_classes(h, group, e, &names, &starts);
    buffer_close(&names);
    buffer_close(&starts);
    return st;
}

static Status put_example(H5 *h, int index, const AttentionExample *e, Arena *arena)
{
    char group[OBJECT];
    TRY(attention_check(e));
    snprintf(group, sizeof group, "example-%05d", index);
    TRY(h5_group(h, group));
    TRY(put_answer(h, group, e));
    for (int i = 0; i < e->n_fields; i++) TRY(put_field(h, group, i, &e->field[i]));
    for (int i = 0; i < e->n_gold; i++) TRY(put_gold(h, group, i, e));
    for (int i = 0; i < e->n_views; i++) TRY(put_view(h, group, i, e, arena));
    return OK;
}

static Status put_all(H5 *h, const char *program, const char *model, int n, const AttentionExample *example)
{
    Arena arena = {0};
    TRY(h5_set_text(h, "/", "format", FORMAT));
    TRY(h5_set_int(h, "/", "version", VERSION));
    TRY(h5_set_int(h, "/", "n", n));
    if (program) TRY(h5_set_text(h, "/", "program", program));
    if (model) TRY(h5_set_text(h, "/", "model", model));
    Status st = OK;
    for (int i = 0; i < n && st == OK; i++) {
        arena_release(&arena, (ArenaMark){0});
        st = put_example(h, i, &example[i], &arena);
    }
    arena_close(&arena);
    return st;
}

Status attention_save(const char *path, const char *program, const char *model, int n, const AttentionExample *example)
{
    H5 *h;
    TRY(h5_create(&h, path));
    Status st = put_all(h, program, model, n, example);
    if (st == OK) st = h5_save(h, path);
    h5_close(h);
    TRY(st);
    return OK;
}

/* --- Reading --- */

/* The field that an attribute names; -1: there is no such attribute. */
static Status field_named_by(const Reading *r, const char *group, const char *key, const AttentionExample *e,
                             int *field)
{
    const char *name;
    *field = -1;
    TRY(reading_text(r, group, key, NULL, &name));
    for (int f = 0; name && f < e->n_fields; f++)
        if (strcmp(e->field[f].name, name) == 0) *field = f;
    REQUIRE(!name || *field >= 0, ERR_DATA, "%s: %s: %s names no field: \"%s\"", r->path, group, key, name);
    return OK;
}

static Status read_grid(const Reading *r, const char *group, AttentionField *f)
{
    char object[READING_OBJECT];
    int64_t shape[2];
    int height, width;
    TRY(reading_int(r, group, "height", &height));
    TRY(reading_int(r, group, "width", &width));
    f->height = height;
    f->width = width;
    snprintf(object, sizeof object, "%.200s/grey", group);
    if (!h5_has(r->h, object)) return OK;
    TRY(reading_table(r, object, 2, shape, &f->grey));
    REQUIRE(shape[0] == height && shape[1] == width, ERR_DATA, "%s: %s: found %lld x %lld values, expected %d x %d",
            r->path, object, (long long)shape[0], (long long)shape[1], height, width);
    return OK;
}

static Status read_role(const Reading *r, const char *group, Role *role)
{
    const char *name;
    *role = ROLE_NONE;
    TRY(reading_text(r, group, "role", NULL, &name));
    if (!name) return OK;
    *role = field_role_find(name);
    REQUIRE(*role != ROLE_NONE, ERR_DATA, "%s: %s: role \"%s\" is not known", r->path, group, name);
    return OK;
}

static Status read_field(const Reading *r, const char *group, AttentionExample *e, int index)
{
    int64_t n;
    AttentionField *f = (AttentionField *)(uintptr_t)&e->field[index];
    TRY(reading_text(r, group, "name", "", &f->name));
    TRY(reading_int(r, group, "levels", &f->levels));
    TRY(read_role(r, group, &f->role));
    if (h5_has_attribute(r->h, group, "height")) return read_grid(r, group, f);
    TRY(reading_words(r, group, &f->words));
    TRY(reading_list(r, group, "loss", H5_F64, &n, &f->loss));
    REQUIRE(!f->loss || n == f->words.n, ERR_DATA, "%s: %s/loss: found %lld values for %lld words", r->path, group,
            (long long)n, (long long)f->words.n);
    TRY(reading_list(r, group, "sentence", H5_I64, &n, &f->sentence));
    REQUIRE(f->levels != 2 || n > 0, ERR_DATA, "%s: %s: sentence is missing", r->path, group);
    f->n_sentences = f->levels == 2 ? n - 1 : 0;
    return OK;
}

static Status read_gold(const Reading *r, const char *group, AttentionExample *e, int index)
{
    int unit, possible;
    char object[READING_OBJECT];
    AttentionGold *g = (AttentionGold *)(uintptr_t)&e->gold[index];
    TRY(field_named_by(r, group, "of", e, &g->of));
    TRY(field_named_by(r, group, "to", e, &g->to));
    TRY(reading_choice(r, group, "unit", attention_unit_name, "", &unit));
    TRY(reading_int(r, group, "possible", &possible));
    g->unit = (AxisUnit)unit;
    g->possible = possible != 0;
    snprintf(object, sizeof object, "%.200s/at", group);
    if (g->to < 0)
        TRY(reading_list(r, group, "at", H5_I64, &g->n, &g->at));
    else
        TRY(reading_links(r, object, &g->n, &g->at));
    REQUIRE(g->of >= 0 && g->at, ERR_DATA, "%s: %s: of or at is missing", r->path, group);
    return OK;
}

static Status read_axis(const Reading *r, const char *group, const char *what, const AttentionExample *e,
                        AttentionAxis *a)
{
    int unit;
    char key[32];
    snprintf(key, sizeof key, "%.20s_of", what);
    TRY(reading_choice(r, group, what, attention_unit_name, "", &unit));
    a->unit = (AxisUnit)unit;
    return field_named_by(r, group, key, e, &a->field);
}

static Status read_view(const Reading *r, const char *group, AttentionExample *e, int index)
{
    int by_sentence;
    int64_t shape[2];
    char object[READING_OBJECT];
    AttentionView *v = (AttentionView *)(uintptr_t)&e->view[index];
    TRY(reading_view(r, group, v));
    TRY(read_axis(r, group, "rows", e, &v->rows));
    TRY(read_axis(r, group, "columns", e, &v->columns));
    TRY(reading_int(r, group, "by_sentence", &by_sentence));
    v->columns.by_sentence = by_sentence != 0;
    snprintf(object, sizeof object, "%.200s/weights", group);
    TRY(reading_table(r, object, v->rows.unit == AXIS_NONE ? 1 : 2, shape, &v->weight));
    v->rows.size = shape[0]; /* that they fit is checked with the rest */
    v->columns.size = shape[1];
    return OK;
}

/* Room for every group that begins so. */
static Status make_room(const Reading *r, const char *group, const char *prefix, size_t size, void *out)
{
    int n = 0;
    void **room = out;
    TRY(reading_groups(r, group, prefix, NULL, NULL, &n));
    *room = arena_zeros(r->arena, n + 1, size);
    REQUIRE(*room, ERR_HOST, "%s", status_message());
    return OK;
}

static Status read_parts(const Reading *r, const char *group, AttentionExample *e)
{
    TRY(make_room(r, group, "field-", sizeof *e->field, &e->field));
    TRY(make_room(r, group, "gold-", sizeof *e->gold, &e->gold));
    TRY(make_room(r, group, "view-", sizeof *e->view, &e->view));
    TRY(reading_groups(r, group, "field-", read_field, e, &e->n_fields));
    TRY(reading_groups(r, group, "gold-", read_gold, e, &e->n_gold));
    return reading_groups(r, group, "view-", read_view, e, &e->n_views);
}

static Status read_example(const Reading *r, const char *group, int version, AttentionExample *e)
{
    *e = (AttentionExample){0};
    TRY(reading_answer(r, group, e));
    TRY(version < VERSION ? attention_old(r, group, e) : read_parts(r, group, e));
    const char *where = arena_format(r->arena, "%s: %s", r->path, group);
    REQUIRE(where, ERR_HOST, "%s", status_message());
    return attention_check_as(e, ERR_DATA, where);
}

static Status read_all(Reading *r, AttentionFile *out)
{
    const char *format;
    const char *const *name;
    AttentionExample *example;
    TRY(reading_text(r, "/", "format", "", &format));
    REQUIRE(strcmp(format, FORMAT) == 0, ERR_DATA, "%s: not an attention file of Mneme", r->path);
    TRY(reading_int(r, "/", "version", &out->version));
    REQUIRE(out->version >= 1 && out->version <= VERSION, ERR_CONFIG,
            "%s: attention format %d, this program reads formats 1 to %d", r->path, out->version, VERSION);
    TRY(reading_text(r, "/", "program", "-", &out->program));
    TRY(reading_text(r, "/", "model", "-", &out->model));
    TRY(h5_list(r->h, "/", r->arena, &out->n, &name));
    TRY_NEW(example, r->arena, out->n + 1);
    out->example = example;
    for (int i = 0; i < out->n; i++) {
        char group[READING_OBJECT];
        snprintf(group, sizeof group, "%.*s", (int)strcspn(name[i], "/"), name[i]);
        TRY(read_example(r, group, out->version, &example[i]));
    }
    return OK;
}

Status attention_read(AttentionFile *out, const char *path, Arena *arena)
{
    Reading r = {.path = path, .arena = arena};
    *out = (AttentionFile){.label = NULL};
    TRY(h5_open(&r.h, path, 0));
    const Status st = read_all(&r, out);
    h5_close(r.h);
    TRY(st);
    return OK;
}
