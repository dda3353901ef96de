/* index.c - reading index.json. Nothing in it is believed: see index_parse. */
#include "io/corpus/index.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { WHERE = 128, VOCABS_MOST = 32, SHARDS_MOST = 1000000 };
static const int64_t COUNT_MOST = INT64_C(1) << 48;

/* An object of the file, and where it stands, for messages. */
typedef struct Spot {
    const char *path;
    char where[WHERE]; /* "splits[1]" */
    const json_t *object;
} Spot;

const char *const index_form_kind[INDEX_FORM_KINDS + 1] = {"merges", "subwords", "cases", NULL};

bool index_name_ok(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const size_t n = strlen(name);
    return n > 0 && n < NAME_SIZE && strspn(name, allowed) == n;
}

static Status get_text(const Spot *s, const char *key, char *out, size_t size, bool optional)
{
    const json_t *v = json_object_get(s->object, key);
    out[0] = '\0';
    if (!v && optional) return OK;
    REQUIRE(json_is_string(v), ERR_DATA, "%s: %s: %s: expected a text", s->path, s->where, key);
    REQUIRE(json_string_length(v) < size && strlen(json_string_value(v)) == json_string_length(v), ERR_DATA,
            "%s: %s: %s: expected a text of less than %zu bytes", s->path, s->where, key, size);
    memcpy(out, json_string_value(v), json_string_length(v) + 1);
    return OK;
}

static Status get_name(const Spot *s, const char *key, char out[NAME_SIZE])
{
    TRY(get_text(s, key, out, NAME_SIZE, false));
    REQUIRE(index_name_ok(out), ERR_DATA, "%s: %s: %s: found \"%s\", expected letters, digits, '_' and '-'", s->path,
            s->where, key, out);
    return OK;
}

static Status get_int(const Spot *s, const char *key, int64_t most, int64_t *out)
{
    const json_t *v = json_object_get(s->object, key);
    REQUIRE(json_is_integer(v), ERR_DATA, "%s: %s: %s: expected a whole number", s->path, s->where, key);
    *out = json_integer_value(v);
    REQUIRE(*out >= 0 && *out <= most, ERR_DATA, "%s: %s: %s: found %lld, expected 0 to %lld", s->path, s->where, key,
            (long long)*out, (long long)most);
    return OK;
}

static Status get_bool(const Spot *s, const char *key, bool *out)
{
    const json_t *v = json_object_get(s->object, key);
    REQUIRE(!v || json_is_boolean(v), ERR_DATA, "%s: %s: %s: expected true or false", s->path, s->where, key);
    *out = v && json_is_true(v);
    return OK;
}

static Status get_hex(const Spot *s, const char *key, char out[HASH_HEX])
{
    TRY(get_text(s, key, out, HASH_HEX, true));
    REQUIRE(out[0] == '\0' || (strlen(out) == HASH_HEX - 1 && strspn(out, "0123456789abcdef") == HASH_HEX - 1),
            ERR_DATA, "%s: %s: %s: found \"%s\", expected 32 hexadecimal digits", s->path, s->where, key, out);
    return OK;
}

/* A file of the corpus lies in its folder: no path, no hidden name. */
static Status get_file(const Spot *s, IndexFile *out)
{
    TRY(get_text(s, "file", out->name, sizeof out->name, false));
    REQUIRE(out->name[0] != '\0' && out->name[0] != '.' && !strchr(out->name, '/'), ERR_DATA,
            "%s: %s: file: found \"%s\", expected a name in this folder", s->path, s->where, out->name);
    out->bytes = -1;
    if (json_object_get(s->object, "bytes")) TRY(get_int(s, "bytes", COUNT_MOST, &out->bytes));
    TRY(get_hex(s, "xxh3", out->xxh3));
    return OK;
}

static Status get_array(const Spot *s, const char *key, int most, const json_t **out, int *n)
{
    *out = json_object_get(s->object, key);
    REQUIRE(json_is_array(*out), ERR_DATA, "%s: %s: %s: expected a list", s->path, s->where, key);
    REQUIRE(json_array_size(*out) <= (size_t)most, ERR_DATA, "%s: %s: %s: found %zu items, expected at most %d",
            s->path, s->where, key, json_array_size(*out), most);
    *n = (int)json_array_size(*out);
    return OK;
}

/* The i-th object of a list that stands at `name` within s. */
static Status item(const Spot *s, const json_t *list, const char *name, int i, Spot *out)
{
    out->path = s->path;
    out->object = json_array_get(list, (size_t)i);
    if (strcmp(s->where, "/") == 0)
        snprintf(out->where, WHERE, "%s[%d]", name, i);
    else
        snprintf(out->where, WHERE, "%.80s.%s[%d]", s->where, name, i);
    REQUIRE(json_is_object(out->object), ERR_DATA, "%s: %s: expected an object", s->path, out->where);
    return OK;
}

/* Numbers that few fields have. */
static Status get_small(const Spot *s, const char *key, int64_t most, int64_t *out)
{
    *out = 0;
    return json_object_get(s->object, key) ? get_int(s, key, most, out) : OK;
}

static Status parse_field(const Spot *s, DataField *f)
{
    int64_t levels = 0, unit = 0;
    char type[16], role[NAME_SIZE];
    TRY(get_name(s, "name", f->name));
    TRY(get_text(s, "role", role, sizeof role, false));
    f->role = field_role_find(role);
    REQUIRE(f->role != ROLE_NONE, ERR_DATA, "%s: %s: role: there is no role \"%s\"", s->path, s->where, role);
    TRY(get_text(s, "of", f->of, sizeof f->of, true));
    TRY(get_small(s, "unit", RAGGED_LEVELS, &unit));
    TRY(get_bool(s, "links", &f->links));
    TRY(get_bool(s, "possible", &f->possible));
    TRY(get_int(s, "levels", RAGGED_LEVELS, &levels));
    TRY(get_text(s, "type", type, sizeof type, false));
    TRY(get_small(s, "width", INDEX_WIDTH, &f->width));
    TRY(get_text(s, "vocab", f->vocab, sizeof f->vocab, true));
    TRY(get_bool(s, "special", &f->special));
    TRY(get_bool(s, "closed", &f->closed));
    f->unit = (int)unit;
    f->levels = (int)levels;
    f->type = strcmp(type, "floats") == 0 ? FIELD_FLOATS : FIELD_IDS;
    REQUIRE(f->type == FIELD_FLOATS || strcmp(type, "ids") == 0, ERR_DATA,
            "%s: %s: type: found \"%s\", expected ids or floats", s->path, s->where, type);
    return OK;
}

static Status parse_fields(Index *x, Arena *run, const Spot *root)
{
    const json_t *list;
    TRY(get_array(root, "fields", BATCH_FIELDS, &list, &x->n_fields));
    TRY_NEW(x->field, run, x->n_fields);
    for (int i = 0; i < x->n_fields; i++) {
        Spot s;
        TRY(item(root, list, "fields", i, &s));
        TRY(parse_field(&s, &x->field[i]));
        REQUIRE(index_field(x, x->field[i].name) == i, ERR_DATA, "%s: %s: the field %s is there twice", s.path, s.where,
                x->field[i].name);
    }
    int which;
    const char *fault = field_fault(x->n_fields, x->field, &which);
    REQUIRE(!fault, ERR_DATA, "%s: fields[%d]: field %s, role %s: %s", root->path, which, x->field[which].name,
            field_role_name(x->field[which].role), fault);
    return OK;
}

static Status parse_vocabs(Index *x, Arena *run, const Spot *root)
{
    const json_t *list;
    TRY(get_array(root, "vocabularies", VOCABS_MOST, &list, &x->n_vocabs));
    TRY_NEW(x->vocab, run, x->n_vocabs);
    for (int i = 0; i < x->n_vocabs; i++) {
        Spot s;
        IndexVocab *v = &x->vocab[i];
        TRY(item(root, list, "vocabularies", i, &s));
        TRY(get_name(&s, "name", v->name));
        for (int k = 0; k < i; k++)
            REQUIRE(strcmp(x->vocab[k].name, v->name) != 0, ERR_DATA, "%s: %s: the vocabulary %s is there twice",
                    s.path, s.where, v->name);
        TRY(get_file(&s, &v->file));
        TRY(get_int(&s, "words", INT32_MAX, &v->words));
        TRY(get_hex(&s, "digest", v->digest));
    }
    for (int i = 0; i < x->n_fields; i++) {
        bool found = x->field[i].vocab[0] == '\0';
        for (int k = 0; k < x->n_vocabs; k++) found = found || strcmp(x->vocab[k].name, x->field[i].vocab) == 0;
        REQUIRE(found, ERR_DATA, "%s: fields[%d]: there is no vocabulary %s", root->path, i, x->field[i].vocab);
    }
    return OK;
}

static Status parse_forms(Index *x, Arena *run, const Spot *root)
{
    const json_t *list;
    if (!json_object_get(root->object, "forms")) return OK;
    TRY(get_array(root, "forms", VOCABS_MOST * INDEX_FORM_KINDS, &list, &x->n_forms));
    TRY_NEW(x->form, run, x->n_forms);
    for (int i = 0; i < x->n_forms; i++) {
        Spot s;
        char kind[NAME_SIZE];
        bool found = false;
        IndexForm *f = &x->form[i];
        TRY(item(root, list, "forms", i, &s));
        TRY(get_name(&s, "vocab", f->vocab));
        for (int k = 0; k < x->n_vocabs; k++) found = found || strcmp(x->vocab[k].name, f->vocab) == 0;
        REQUIRE(found, ERR_DATA, "%s: %s: there is no vocabulary %s", s.path, s.where, f->vocab);
        TRY(get_text(&s, "kind", kind, sizeof kind, false));
        while (index_form_kind[f->kind] && strcmp(index_form_kind[f->kind], kind) != 0) f->kind++;
        REQUIRE(index_form_kind[f->kind], ERR_DATA, "%s: %s: kind: found \"%s\", expected merges, subwords or cases",
                s.path, s.where, kind);
        for (int k = 0; k < i; k++)
            REQUIRE(strcmp(x->form[k].vocab, f->vocab) != 0 || x->form[k].kind != f->kind, ERR_DATA,
                    "%s: %s: the %s of %s are there twice", s.path, s.where, kind, f->vocab);
        TRY(get_file(&s, &f->file));
        REQUIRE(f->file.xxh3[0], ERR_DATA, "%s: %s: xxh3 is missing", s.path, s.where);
    }
    return OK;
}

static Status parse_counts(const Index *x, const Spot *s, const char *key, int64_t counts[][RAGGED_LEVELS])
{
    const Spot sub = {s->path, "", json_object_get(s->object, key)};
    REQUIRE(json_is_object(sub.object), ERR_DATA, "%s: %s: %s: expected an object", s->path, s->where, key);
    for (int f = 0; f < x->n_fields; f++) {
        const json_t *list = json_object_get(sub.object, x->field[f].name);
        REQUIRE(json_is_array(list) && json_array_size(list) == (size_t)x->field[f].levels, ERR_DATA,
                "%s: %s: %s.%s: expected a list of %d numbers", s->path, s->where, key, x->field[f].name,
                x->field[f].levels);
        for (int l = 0; l < x->field[f].levels; l++) {
            const json_t *v = json_array_get(list, (size_t)l);
            counts[f][l] = json_is_integer(v) ? json_integer_value(v) : -1;
            REQUIRE(counts[f][l] >= 0 && counts[f][l] <= COUNT_MOST, ERR_DATA,
                    "%s: %s: %s.%s: expected whole numbers, not negative", s->path, s->where, key, x->field[f].name);
        }
    }
    return OK;
}

static Status parse_shards(Arena *run, const Spot *s, IndexSplit *split)
{
    const json_t *list;
    int64_t sum = 0;
    TRY(get_array(s, "shards", SHARDS_MOST, &list, &split->n_shards));
    TRY_NEW(split->shard, run, split->n_shards);
    for (int i = 0; i < split->n_shards; i++) {
        Spot at;
        IndexShard *shard = &split->shard[i];
        TRY(item(s, list, "shards", i, &at));
        TRY(get_file(&at, &shard->file));
        TRY(get_int(&at, "examples", COUNT_MOST, &shard->examples));
        shard->first = sum;
        sum += shard->examples;
        REQUIRE(sum <= COUNT_MOST, ERR_DATA, "%s: %s: more than %lld examples", at.path, at.where,
                (long long)COUNT_MOST);
    }
    REQUIRE(sum == split->examples, ERR_DATA, "%s: %s: %lld examples, but its shards have %lld", s->path, s->where,
            (long long)split->examples, (long long)sum);
    return OK;
}

static Status parse_splits(Index *x, Arena *run, const Spot *root)
{
    const json_t *list;
    TRY(get_array(root, "splits", INDEX_SPLITS, &list, &x->n_splits));
    TRY_NEW(x->split, run, x->n_splits);
    for (int i = 0; i < x->n_splits; i++) {
        Spot s;
        IndexSplit *split = &x->split[i];
        TRY(item(root, list, "splits", i, &s));
        TRY(get_name(&s, "name", split->name));
        REQUIRE(index_split(x, split->name) == split, ERR_DATA, "%s: %s: the split %s is there twice", s.path, s.where,
                split->name);
        TRY(get_int(&s, "examples", COUNT_MOST, &split->examples));
        TRY(parse_counts(x, &s, "units", split->units));
        TRY(parse_counts(x, &s, "longest", split->longest));
        TRY(parse_shards(run, &s, split));
    }
    return OK;
}

static Status parse_root(Index *x, Arena *run, const Spot *root)
{
    char format[32], digest[HASH_HEX];
    int64_t version = 0;
    TRY(get_text(root, "format", format, sizeof format, false));
    REQUIRE(strcmp(format, "mneme corpus") == 0, ERR_DATA, "%s: format: found \"%s\", expected \"mneme corpus\"",
            root->path, format);
    TRY(get_int(root, "version", INT32_MAX, &version));
    REQUIRE(version >= INDEX_VERSION, ERR_DATA,
            "%s: version: found %lld, expected %d: the corpus says nothing of the roles of its fields; pack it again",
            root->path, (long long)version, INDEX_VERSION);
    REQUIRE(version == INDEX_VERSION, ERR_DATA, "%s: version: found %lld, expected %d", root->path, (long long)version,
            INDEX_VERSION);
    TRY(get_hex(root, "digest", digest));
    TRY(get_hex(root, "content", x->content));
    TRY(get_text(root, "source", x->source, sizeof x->source, true));
    TRY(get_text(root, "text", x->text, sizeof x->text, true));
    TRY(parse_fields(x, run, root));
    TRY(parse_vocabs(x, run, root));
    TRY(parse_forms(x, run, root));
    TRY(parse_splits(x, run, root));
    index_digest(x, x->digest);
    REQUIRE(digest[0] == '\0' || strcmp(digest, x->digest) == 0, ERR_DATA,
            "%s: digest: found %s, but the fields and vocabularies give %s", root->path, digest, x->digest);
    return OK;
}

Status index_parse(Index *out, Arena *run, const char *path, const char *text, size_t size)
{
    json_error_t e;
    *out = (Index){0};
    json_t *json = json_loadb(text, size, JSON_REJECT_DUPLICATES, &e);
    REQUIRE(json, ERR_DATA, "%s:%d:%d: %s", path, e.line, e.column, e.text);
    const Spot root = {path, "/", json};
    const Status st = json_is_object(json)
                          ? parse_root(out, run, &root)
                          : status_fail(ERR_DATA, __FILE__, __LINE__, __func__, "%s: expected an object", path);
    json_decref(json);
    TRY(st);
    return OK;
}

const IndexSplit *index_split(const Index *x, const char *name)
{
    for (int i = 0; i < x->n_splits; i++)
        if (strcmp(x->split[i].name, name) == 0) return &x->split[i];
    return NULL;
}

int index_field(const Index *x, const char *name) { return field_named(x->n_fields, x->field, name); }

const char *index_type_name(FieldType type) { return type == FIELD_FLOATS ? "floats" : "ids"; }
