/* inspect.c - text about a corpus or one of its files. */
#include "io/corpus/inspect.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "io/corpus/corpus_parts.h"
#include "io/corpus/shard.h"
#include "io/corpus/vocab_file.h"
#include "io/file/file.h"

/* --- A corpus --- */

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* The folder of a corpus when path is one or its index. */
static bool folder_of(const char *path, char folder[PATH_MAX])
{
    char file[PATH_MAX];
    if (strlen(path) + 16 >= PATH_MAX) return false;
    snprintf(folder, PATH_MAX, "%s", path);
    if (ends_with(path, "/" INDEX_FILE)) folder[strlen(path) - strlen("/" INDEX_FILE)] = '\0';
    if (strcmp(path, INDEX_FILE) == 0) snprintf(folder, PATH_MAX, ".");
    if (snprintf(file, sizeof file, "%s/%s", folder, INDEX_FILE) >= PATH_MAX) return false;
    return file_exists(file);
}

static const char *unit_name(const DataField *f, int level)
{
    static const char *const name[] = {"values", "words", "characters"};
    if (level == f->levels - 1) return f->vocab[0] ? "words" : "values";
    return level == 0 && f->levels > 1 ? "sentences" : name[level];
}

static Status tell_split(const Index *x, const IndexSplit *s, Buffer *text)
{
    int64_t bytes = 0;
    for (int i = 0; i < s->n_shards; i++) bytes += s->shard[i].file.bytes > 0 ? s->shard[i].file.bytes : 0;
    TRY(buffer_say(text, "%s: %lld examples, %d shards, %lld bytes\n", s->name, (long long)s->examples, s->n_shards,
                   (long long)bytes));
    for (int f = 0; f < x->n_fields; f++) {
        if (x->field[f].levels == 0) continue;
        TRY(buffer_say(text, "  %s:", x->field[f].name));
        for (int l = 0; l < x->field[f].levels; l++)
            TRY(buffer_say(text, "%s %lld %s (at most %lld)", l ? "," : "", (long long)s->units[f][l],
                           unit_name(&x->field[f], l), (long long)s->longest[f][l]));
        TRY(buffer_text(text, "\n"));
    }
    return OK;
}

static Status tell_words(const Vocab *v, Buffer *text)
{
    enum { SHOWN = 10 };
    const int64_t first = vocab_special(v) ? VOCAB_SPECIALS : 0;
    for (int64_t i = first; i < vocab_size(v) && i < first + SHOWN; i++)
        TRY(buffer_say(text, "%s %s (%lld)", i == first ? "" : ",", vocab_word(v, i), (long long)vocab_count(v, i)));
    TRY(buffer_text(text, vocab_size(v) > first + SHOWN ? ", ...\n" : "\n"));
    return OK;
}

static Status tell_field(const DataField *f, Buffer *text)
{
    TRY(buffer_say(text, "field %s: %s%s%s, %d levels, ", f->name, field_role_name(f->role), f->of[0] ? " of " : "",
                   f->of, f->levels));
    if (f->type == FIELD_FLOATS) return buffer_say(text, "floats, %lld for each\n", (long long)f->width);
    return buffer_say(text, "%s%s\n", f->vocab[0] ? "vocabulary " : "numbers", f->vocab);
}

static Status tell_opened_corpus(const Corpus *c, Arena *arena, Buffer *text)
{
    const Index *x = corpus_index(c);
    TRY(buffer_say(text, "corpus %s\nfrom importer %s, digest %s\nvocabularies and fields: digest %s\n",
                   corpus_folder(c), x->source[0] ? x->source : "unknown", x->content, x->digest));
    for (int f = 0; f < x->n_fields; f++) TRY(tell_field(&x->field[f], text));
    for (int i = 0; i < x->n_vocabs; i++) {
        TRY(buffer_say(text, "vocabulary %s: %lld words:", x->vocab[i].name, (long long)x->vocab[i].words));
        TRY(tell_words(corpus_vocab(c, x->vocab[i].name), text));
    }
    for (int i = 0; i < x->n_forms; i++)
        TRY(buffer_say(text, "%s of vocabulary %s: %s, %lld bytes\n", index_form_kind[x->form[i].kind],
                       x->form[i].vocab, x->form[i].file.name, (long long)x->form[i].file.bytes));
    for (int s = 0; s < x->n_splits; s++) TRY(tell_split(x, &x->split[s], text));
    TRY(inspect_content(c, arena));
    return buffer_text(text, "all files are there, as their digests say, and hold what the index says\n");
}

static Status tell_corpus(const char *folder, Arena *arena, Buffer *text)
{
    Corpus *c;
    TRY(corpus_open(&c, arena, NULL, folder, true));
    const Status st = tell_opened_corpus(c, arena, text);
    corpus_close(c);
    return st;
}

/* --- A vocabulary --- */

static Status tell_vocab(const char *path, Arena *arena, Buffer *text)
{
    Vocab *v;
    TRY(vocab_file_read(&v, arena, path));
    TRY(buffer_say(text, "vocabulary %s\n%lld words, %s, digest %s\n", path, (long long)vocab_size(v),
                   vocab_special(v) ? "with <pad> <unk> <s> </s>" : "without special words", vocab_digest(v)));
    TRY(buffer_text(text, "most frequent:"));
    TRY(tell_words(v, text));
    return OK;
}

/* --- A shard on its own: its fields are found from its groups --- */

/* n values are so many for each unit of the last level. */
static Status find_width(H5 *h, int64_t n, int64_t examples, DataField *f)
{
    char name[NAME_SIZE + 24];
    int64_t units = examples, offsets = 0;
    if (f->levels > 0) {
        snprintf(name, sizeof name, "%.31s/offsets_%d", f->name, f->levels);
        TRY(h5_length(h, name, H5_I64, &offsets));
        if (offsets > 0) TRY(h5_read_range(h, name, H5_I64, offsets - 1, 1, &units));
    }
    f->width = units > 0 && n / units > 0 ? n / units : 1;
    return OK;
}

static Status find_field(H5 *h, const char *group, int64_t examples, DataField *f)
{
    char name[NAME_SIZE + 24];
    H5Type type;
    int rank;
    int64_t shape[H5_RANK];
    const size_t n = strlen(group);
    REQUIRE(n > 1 && n <= NAME_SIZE && group[n - 1] == '/', ERR_DATA, "%.80s is no field of a shard", group);
    memcpy(f->name, group, n - 1);
    f->name[n - 1] = '\0';
    for (f->levels = 0; f->levels < RAGGED_LEVELS; f->levels++) {
        snprintf(name, sizeof name, "%.31s/offsets_%d", f->name, f->levels + 1);
        if (!h5_has(h, name)) break;
    }
    snprintf(name, sizeof name, "%.31s/values", f->name);
    TRY(h5_shape(h, name, &type, &rank, shape));
    f->type = type == H5_F32 ? FIELD_FLOATS : FIELD_IDS;
    return f->type == FIELD_FLOATS ? find_width(h, shape[0], examples, f) : OK;
}

/* The whole content is read, which compares every checksum. */
static Status read_content(H5 *h, const char *path, const Index *x, int64_t examples, Arena *arena, Buffer *text)
{
    int64_t bytes = 0;
    ShardPiece piece;
    TRY(file_size(path, &bytes));
    size_t left = 4 * (size_t)bytes + 4096;
    TRY(shard_read(h, path, x, NULL, 0, examples, &left, arena, &piece));
    for (int f = 0; f < x->n_fields; f++) {
        int64_t units = examples;
        TRY(buffer_say(text, "  %s:", x->field[f].name));
        for (int l = 0; l < x->field[f].levels; l++) {
            units = piece.offset[f][l][units];
            TRY(buffer_say(text, "%s %lld %s", l ? "," : "", (long long)units, unit_name(&x->field[f], l)));
        }
        if (x->field[f].levels == 0) TRY(buffer_text(text, " one value an example"));
        TRY(buffer_text(text, "\n"));
    }
    return OK;
}

static Status tell_opened_shard(H5 *h, const char *path, Arena *arena, Buffer *text)
{
    int64_t shard = 0, shards = 0, first = 0, examples = 0;
    const char *split = "";
    int n = 0;
    const char *const *names;
    DataField field[BATCH_FIELDS];
    memset(field, 0, sizeof field);
    TRY(h5_get_text(h, "/", "split", arena, &split));
    TRY(h5_get_int(h, "/", "shard", &shard));
    TRY(h5_get_int(h, "/", "shards", &shards));
    TRY(h5_get_int(h, "/", "first", &first));
    TRY(h5_get_int(h, "/", "examples", &examples));
    TRY(h5_list(h, "/", arena, &n, &names));
    REQUIRE(n <= BATCH_FIELDS, ERR_DATA, "%s: %d fields, more than %d", path, n, BATCH_FIELDS);
    REQUIRE(examples >= 0, ERR_DATA, "%s: examples: found %lld", path, (long long)examples);
    for (int f = 0; f < n; f++) TRY(find_field(h, names[f], examples, &field[f]));
    TRY(buffer_say(text, "shard %s\nnumber %lld of %lld of split %s: examples %lld .. %lld\n", path, (long long)shard,
                   (long long)shards, split, (long long)first, (long long)(first + examples)));
    const Index x = {.n_fields = n, .field = field};
    TRY(read_content(h, path, &x, examples, arena, text));
    TRY(buffer_text(text, "all checksums are right\n"));
    return OK;
}

static Status tell_shard(const char *path, Arena *arena, Buffer *text)
{
    H5 *h;
    TRY(h5_open(&h, path, 0));
    const Status st = tell_opened_shard(h, path, arena, text);
    h5_close(h);
    TRY(st);
    return OK;
}

/* --- Which of them? --- */

/* "" when path is no HDF5 file of ours. */
static const char *format_of(const char *path, Arena *arena)
{
    H5 *h;
    const char *format = "";
    if (!file_exists(path) || h5_open(&h, path, 0) != OK) return "";
    if (h5_get_text(h, "/", "format", arena, &format) != OK) format = "";
    h5_close(h);
    return format;
}

bool corpus_knows(const char *path)
{
    Arena arena = {0};
    char folder[PATH_MAX];
    const char *format = format_of(path, &arena);
    const bool file = strcmp(format, "mneme shard") == 0 || strcmp(format, "mneme vocabulary") == 0;
    arena_close(&arena);
    status_clear();
    return file || folder_of(path, folder);
}

static Status inspect(const char *path, Arena *arena, Buffer *text)
{
    char folder[PATH_MAX];
    if (folder_of(path, folder)) return tell_corpus(folder, arena, text);
    H5 *h;
    const char *format = "";
    TRY(h5_open(&h, path, 0));
    const Status st = h5_get_text(h, "/", "format", arena, &format);
    h5_close(h);
    TRY(st);
    if (strcmp(format, "mneme shard") == 0) return tell_shard(path, arena, text);
    if (strcmp(format, "mneme vocabulary") == 0) return tell_vocab(path, arena, text);
    FAIL(ERR_DATA, "%s: format: found %.80s, expected mneme shard or mneme vocabulary", path, format);
}

Status corpus_inspect(const char *path, Buffer *text)
{
    Arena arena = {0};
    const Status st = inspect(path, &arena, text);
    arena_close(&arena);
    TRY(st);
    return OK;
}
