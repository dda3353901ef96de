/* ask.c - text or JSON to fields without an answer. */
#include "io/import/ask.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/import/json_fields.h"
#include "io/text/check.h"

struct ImportAsk {
    int n_fields;
    const DataField *fields;
    const ImportAskDef *own; /* the importer's, NULL: none */
    void *state;             /* of own */
    int from[BATCH_FIELDS];  /* of own: place of each field in its examples, -1: it knows nothing of it */
    JsonTools json;
    int n_keys, read; /* read: the only field that is read, -1: there are several */
    JsonKey key[BATCH_FIELDS];
};

/* Given by who asks. */
static bool is_read(const DataField *f)
{
    switch (f->role) {
    case ROLE_TARGET:
    case ROLE_GOLD:
    case ROLE_GROUP:
    case ROLE_SPELLING: return false;
    default: return true;
    }
}

static bool is_text(const DataField *f) { return f->vocab[0] && (f->levels == 1 || f->levels == 2); }

static const DataField *target_of(const ImportAsk *a, int *at)
{
    *at = field_role(a->n_fields, a->fields, ROLE_TARGET);
    return *at >= 0 && a->fields[*at].levels == 1 && a->fields[*at].vocab[0] ? &a->fields[*at] : NULL;
}

static void list_keys(ImportAsk *a)
{
    int at;
    const DataField *target = target_of(a, &at);
    a->read = -1;
    for (int f = 0; f < a->n_fields; f++) {
        if (!is_read(&a->fields[f])) continue;
        a->read = f;
        a->key[a->n_keys++] = (JsonKey){.key = a->fields[f].name, .field = &a->fields[f], .at = f};
    }
    if (a->n_keys != 1 || !is_text(&a->fields[a->read])) a->read = -1;
    if (target) a->key[a->n_keys++] = (JsonKey){.key = target->name, .field = target, .at = at, .optional = true};
}

/* The importer's own way serves when it knows all that is read. */
static const ImportAskDef *own_way(ImportAsk *a, const char *importer)
{
    const ImporterDef *def = import_find(importer);
    if (!def || !def->ask) return NULL;
    for (int f = 0; f < a->n_fields; f++) {
        a->from[f] = field_named(def->n_fields, def->fields, a->fields[f].name);
        const bool same = a->from[f] >= 0 && def->fields[a->from[f]].role == a->fields[f].role &&
                          def->fields[a->from[f]].levels == a->fields[f].levels;
        if (!same && is_read(&a->fields[f])) return NULL;
        if (!same) a->from[f] = -1;
    }
    return def->ask;
}

Status import_ask_open(ImportAsk **out, Arena *run, const char *importer, int n_fields, const DataField *fields,
                       const TextSettings *text)
{
    ImportAsk *a;
    TRY_NEW(a, run, 1);
    a->n_fields = n_fields;
    a->fields = fields;
    a->own = own_way(a, importer);
    if (a->own) {
        TRY(a->own->open(&a->state, run));
    } else {
        list_keys(a);
        TRY(json_open(&a->json, run, text));
    }
    *out = a;
    return OK;
}

void import_ask_close(ImportAsk *a)
{
    if (!a) return;
    if (a->own)
        a->own->close(a->state);
    else
        json_close(&a->json);
}

bool import_ask_splits(const ImportAsk *a) { return !a->own; }

/* {"source": "...", "target": "..."} was expected, the target may be left out */
static Status expected(const ImportAsk *a, const Record *r)
{
    char text[512];
    int n = snprintf(text, sizeof text, "{");
    const char *optional = NULL;
    for (int i = 0; i < a->n_keys && n < (int)sizeof text - 80; i++) {
        const JsonKey *k = &a->key[i];
        const char *value = k->field->type == FIELD_FLOATS ? "[[0.5, ...], ...]"
                            : !k->field->vocab[0]          ? (k->field->levels ? "[0, ...]" : "0")
                            : k->field->levels == 2        ? "[\"...\", ...]"
                                                           : "\"...\"";
        n += snprintf(text + n, sizeof text - (size_t)n, "%s\"%s\": %s", i ? ", " : "", k->key, value);
        if (k->optional) optional = k->key;
    }
    FAIL(ERR_DATA, "%s:%" PRId64 ": %s} was expected%s%s%s", r->file, r->line, text, optional ? ", the " : "",
         optional ? optional : "", optional ? " may be left out" : "");
}

static Status put_text(ImportAsk *a, int f, const char *text, size_t size, Arena *scratch, Example *out)
{
    TextWords words;
    const bool sentences = a->fields[f].levels == 2;
    TRY(text_split(sentences ? a->json.free_text : a->json.sentence, text, size, scratch, &words));
    return sentences ? example_sentences(&out->field[f], scratch, &words)
                     : example_words(&out->field[f], scratch, &words);
}

/* Everything but the characters. */
static Status parse(ImportAsk *a, const Record *r, Arena *scratch, Example *out)
{
    int at;
    if (json_text_begins(r->text, r->size)) {
        bool fits;
        TRY(json_parse(&a->json, r, a->n_keys, a->key, scratch, out, &fits));
        return fits ? OK : expected(a, r);
    }
    if (a->read < 0) return expected(a, r);
    TRY(put_text(a, a->read, r->text, r->size, scratch, out));
    return target_of(a, &at) ? put_text(a, at, "", 0, scratch, out) : OK;
}

static Status finish(const ImportAsk *a, const Record *r, Arena *scratch, Example *out)
{
    for (int f = 0; f < a->n_fields; f++) {
        const DataField *field = &a->fields[f];
        REQUIRE(!is_read(field) || field->levels != 2 || out->field[f].count[2] > 0, ERR_DATA,
                "%s:%" PRId64 ": a document without words", r->file, r->line);
        const int of = field->role == ROLE_SPELLING ? field_named(a->n_fields, a->fields, field->of) : -1;
        const ExampleField *words = of >= 0 ? &out->field[of] : NULL;
        if (words && a->fields[of].levels == 1 && words->count[0])
            TRY(example_characters(&out->field[f], scratch, words->count[1], words->word));
    }
    return OK;
}

static Status ask_own(ImportAsk *a, const Record *r, Arena *scratch, Example *out)
{
    Example own = {0};
    TRY(a->own->parse(a->state, r, scratch, &own));
    for (int f = 0; f < a->n_fields; f++)
        if (a->from[f] >= 0) out->field[f] = own.field[a->from[f]];
    return OK;
}

Status import_ask(ImportAsk *a, const Record *r, const Record *target, Arena *scratch, Example *out)
{
    int at;
    *out = (Example){0};
    TRY(text_require(r->text, r->size, r->file, r->line));
    if (a->own) {
        REQUIRE(!target, ERR_CONFIG, "a target was given, but there is none that is a text");
        return ask_own(a, r, scratch, out);
    }
    TRY(parse(a, r, scratch, out));
    if (target) {
        REQUIRE(target_of(a, &at), ERR_CONFIG, "a target was given, but there is none that is a text");
        TRY(text_require(target->text, target->size, target->file, target->line));
        TRY(put_text(a, at, target->text, target->size, scratch, out));
    }
    return finish(a, r, scratch, out);
}
