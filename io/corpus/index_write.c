/* index_write.c - writing index.json, and the digest of a corpus. Declared in index.h. */
#include <stdio.h>
#include <string.h>

#include "io/corpus/index.h"
#include "io/format/json.h"

void index_digest(const Index *x, char hex[HASH_HEX])
{
    Hash h;
    char line[256];
    hash_begin(&h);
    for (int i = 0; i < x->n_fields; i++) {
        const DataField *f = &x->field[i];
        const int n = snprintf(line, sizeof line, "%s %s %s %d %d %d %d %s %lld %s\n", f->name,
                               field_role_name(f->role), f->of, f->unit, f->links, f->possible, f->levels,
                               index_type_name(f->type), (long long)f->width, f->vocab);
        hash_add(&h, line, (size_t)n);
    }
    for (int i = 0; i < x->n_vocabs; i++) {
        const int n = snprintf(line, sizeof line, "%s %s\n", x->vocab[i].name, x->vocab[i].digest);
        hash_add(&h, line, (size_t)n);
    }
    for (int i = 0; i < x->n_forms; i++) {
        const IndexForm *f = &x->form[i];
        const int n = snprintf(line, sizeof line, "%s %s %s\n", f->vocab, index_form_kind[f->kind], f->file.xxh3);
        hash_add(&h, line, (size_t)n);
    }
    hash_end(&h, hex);
}

static void put_file(Json *j, const IndexFile *f)
{
    json_put_text(j, "file", f->name);
    if (f->bytes >= 0) json_put_int(j, "bytes", f->bytes);
    if (f->xxh3[0]) json_put_text(j, "xxh3", f->xxh3);
}

static void put_counts(Json *j, const char *key, const Index *x, const int64_t counts[][RAGGED_LEVELS])
{
    json_key(j, key);
    json_open_object(j);
    for (int f = 0; f < x->n_fields; f++) {
        json_key(j, x->field[f].name);
        json_open_array(j);
        for (int l = 0; l < x->field[f].levels; l++) json_int(j, counts[f][l]);
        json_end(j);
    }
    json_end(j);
}

static void put_split(Json *j, const Index *x, const IndexSplit *s)
{
    json_open_object(j);
    json_put_text(j, "name", s->name);
    json_put_int(j, "examples", s->examples);
    put_counts(j, "units", x, s->units);
    put_counts(j, "longest", x, s->longest);
    json_key(j, "shards");
    json_open_array(j);
    for (int i = 0; i < s->n_shards; i++) {
        json_open_object(j);
        put_file(j, &s->shard[i].file);
        json_put_int(j, "examples", s->shard[i].examples);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

static void put_fields(Json *j, const Index *x)
{
    json_key(j, "fields");
    json_open_array(j);
    for (int i = 0; i < x->n_fields; i++) {
        const DataField *f = &x->field[i];
        json_open_object(j);
        json_put_text(j, "name", f->name);
        json_put_text(j, "role", field_role_name(f->role));
        if (f->of[0]) json_put_text(j, "of", f->of);
        if (f->unit) json_put_int(j, "unit", f->unit);
        if (f->links) json_put_bool(j, "links", true);
        if (f->possible) json_put_bool(j, "possible", true);
        json_put_int(j, "levels", f->levels);
        json_put_text(j, "type", index_type_name(f->type));
        if (f->width) json_put_int(j, "width", f->width);
        if (f->vocab[0]) json_put_text(j, "vocab", f->vocab);
        if (f->special) json_put_bool(j, "special", true);
        if (f->closed) json_put_bool(j, "closed", true);
        json_end(j);
    }
    json_end(j);
}

static void put_vocabs(Json *j, const Index *x)
{
    json_key(j, "vocabularies");
    json_open_array(j);
    for (int i = 0; i < x->n_vocabs; i++) {
        json_open_object(j);
        json_put_text(j, "name", x->vocab[i].name);
        put_file(j, &x->vocab[i].file);
        json_put_int(j, "words", x->vocab[i].words);
        json_put_text(j, "digest", x->vocab[i].digest);
        json_end(j);
    }
    json_end(j);
}

static void put_forms(Json *j, const Index *x)
{
    if (x->n_forms == 0) return;
    json_key(j, "forms");
    json_open_array(j);
    for (int i = 0; i < x->n_forms; i++) {
        json_open_object(j);
        json_put_text(j, "vocab", x->form[i].vocab);
        json_put_text(j, "kind", index_form_kind[x->form[i].kind]);
        put_file(j, &x->form[i].file);
        json_end(j);
    }
    json_end(j);
}

Status index_write(const Index *x, Buffer *json)
{
    Json j = json_begin(json);
    json_open_object(&j);
    json_put_text(&j, "format", "mneme corpus");
    json_put_int(&j, "version", INDEX_VERSION);
    json_put_text(&j, "digest", x->digest);
    json_put_text(&j, "source", x->source);
    if (x->text[0]) json_put_text(&j, "text", x->text);
    put_fields(&j, x);
    put_vocabs(&j, x);
    put_forms(&j, x);
    json_key(&j, "splits");
    json_open_array(&j);
    for (int i = 0; i < x->n_splits; i++) put_split(&j, x, &x->split[i]);
    json_end(&j);
    json_end(&j);
    TRY(json_finish(&j));
    TRY(buffer_text(json, "\n"));
    return OK;
}
