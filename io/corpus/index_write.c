/* index_write.c - writing index.json, and the digests of a corpus. Declared in index.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/corpus/index.h"
#include "io/format/json.h"

/* Lines are shorter than the buffer: names and file names are. */
PRINTF_LIKE(2, 3) static void add_line(Hash *h, const char *format, ...)
{
    char line[INDEX_TEXT + NAME_SIZE + 64];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    hash_add(h, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

void index_digest(const Index *x, char hex[HASH_HEX])
{
    Hash h;
    hash_begin(&h);
    for (int i = 0; i < x->n_fields; i++) {
        const DataField *f = &x->field[i];
        add_line(&h, "%s %s %s %d %d %d %d %s %lld %s\n", f->name, field_role_name(f->role), f->of, f->unit, f->links,
                 f->possible, f->levels, index_type_name(f->type), (long long)f->width, f->vocab);
    }
    for (int i = 0; i < x->n_vocabs; i++) add_line(&h, "%s %s\n", x->vocab[i].name, x->vocab[i].digest);
    for (int i = 0; i < x->n_forms; i++)
        add_line(&h, "%s %s %s\n", x->form[i].vocab, index_form_kind[x->form[i].kind], x->form[i].file.xxh3);
    hash_end(&h, hex);
}

static void add_file(Hash *h, const IndexFile *f)
{
    add_line(h, "%s %lld %s\n", f->name, (long long)f->bytes, f->xxh3);
}

static void add_split(Hash *h, const Index *x, const IndexSplit *s)
{
    add_line(h, "%s %lld\n", s->name, (long long)s->examples);
    for (int f = 0; f < x->n_fields; f++)
        for (int l = 0; l < x->field[f].levels; l++)
            add_line(h, "%lld %lld\n", (long long)s->units[f][l], (long long)s->longest[f][l]);
    for (int i = 0; i < s->n_shards; i++) {
        add_line(h, "%lld\n", (long long)s->shard[i].examples);
        add_file(h, &s->shard[i].file);
    }
}

void index_content(const Index *x, char hex[HASH_HEX])
{
    Hash h;
    char digest[HASH_HEX];
    index_digest(x, digest);
    hash_begin(&h);
    add_line(&h, "%s %s %s\n", digest, x->source, x->text);
    for (int i = 0; i < x->n_fields; i++) add_line(&h, "%d %d\n", x->field[i].special, x->field[i].closed);
    for (int i = 0; i < x->n_vocabs; i++) {
        add_line(&h, "%lld\n", (long long)x->vocab[i].words);
        add_file(&h, &x->vocab[i].file);
    }
    for (int i = 0; i < x->n_forms; i++) add_file(&h, &x->form[i].file);
    for (int i = 0; i < x->n_splits; i++) add_split(&h, x, &x->split[i]);
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
    char content[HASH_HEX];
    Json j = json_begin(json);
    index_content(x, content);
    json_open_object(&j);
    json_put_text(&j, "format", "mneme corpus");
    json_put_int(&j, "version", INDEX_VERSION);
    json_put_text(&j, "digest", x->digest);
    json_put_text(&j, "content", content);
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
