/* corpus.c - opening a corpus: the index, the vocabularies, how words are spelled, a look at every shard; and between the
 * text of a user and its words: the same settings in, plain text out. */
#include "io/corpus/corpus.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "comm/log.h"
#include "io/config/config.h"
#include "io/corpus/corpus_parts.h"
#include "io/corpus/shard.h"
#include "io/corpus/vocab_file.h"
#include "io/file/file.h"
#include "io/text/detokenise.h"

static const size_t INDEX_MOST = (size_t)256 << 20; /* bytes */

typedef int64_t Units[RAGGED_LEVELS];

struct Corpus {
    Arena *run;
    const char *folder;
    Index index;
    Vocab **vocab; /* (index.n_vocabs) */
    Units *units;  /* (splits, BATCH_FIELDS) that the shards have */
    Form *form;    /* (index.n_vocabs) */
};

/* --- The files that say how words are spelled; small ones: always compared with their digest --- */

static const size_t FORM_MOST = (size_t)1 << 30; /* bytes */

static Status read_into(const IndexForm *f, Arena *run, const char *path, Buffer *text, Form *form)
{
    char hex[HASH_HEX];
    TRY(file_read(path, FORM_MOST, text));
    hash_bytes(text->data, text->size, hex);
    REQUIRE(strcmp(hex, f->file.xxh3) == 0, ERR_DATA,
            "%s: %s of vocabulary %s that are damaged or of another corpus: found digest %s, expected %s", path,
            index_form_kind[f->kind], f->vocab, hex, f->file.xxh3);
    if (strcmp(index_form_kind[f->kind], "merges") == 0)
        return bpe_parse(&form->subwords, run, path, text->data, text->size);
    if (strcmp(index_form_kind[f->kind], "cases") == 0)
        return truecase_parse(&form->cases, run, path, text->data, text->size);
    REQUIRE(form->subwords, ERR_DATA, "%s: a list of subwords without merges", path);
    return bpe_parse_allowed(form->subwords, path, text->data, text->size);
}

static Status read_forms(const Index *x, Arena *run, const char *folder, Form *forms)
{
    for (int i = 0; i < x->n_forms; i++) {
        char path[PATH_MAX];
        Buffer text = {0};
        int v = 0;
        const int n = snprintf(path, sizeof path, "%s/%s", folder, x->form[i].file.name);
        REQUIRE(n > 0 && n < PATH_MAX, ERR_INPUT, "%.80s...: the path is too long", folder);
        while (strcmp(x->vocab[v].name, x->form[i].vocab) != 0) v++; /* index_parse has seen that it is there */
        const Status st = read_into(&x->form[i], run, path, &text, &forms[v]);
        buffer_close(&text);
        TRY(st);
    }
    return OK;
}

/* --- Index, vocabularies, shards --- */

/* --- One file --- */

static Status check_file(const char *path, const IndexFile *f, const char *what, bool verify)
{
    REQUIRE(file_exists(path), ERR_INPUT, "%s: %s is missing", path, what);
    int64_t bytes = 0;
    TRY(file_size(path, &bytes));
    REQUIRE(f->bytes < 0 || bytes == f->bytes, ERR_DATA, "%s: %s: found %lld bytes, expected %lld", path, what,
            (long long)bytes, (long long)f->bytes);
    if (!verify || !f->xxh3[0]) return OK;
    char hex[HASH_HEX];
    TRY(hash_file(path, hex, NULL));
    REQUIRE(strcmp(hex, f->xxh3) == 0, ERR_DATA, "%s: %s is damaged or was changed: found digest %s, expected %s", path,
            what, hex, f->xxh3);
    return OK;
}

static Status path_of(const Corpus *c, const char *name, char path[PATH_MAX])
{
    const int n = snprintf(path, PATH_MAX, "%s/%s", c->folder, name);
    REQUIRE(n > 0 && n < PATH_MAX, ERR_INPUT, "%.80s...: the path is too long", c->folder);
    return OK;
}

Status corpus_open_shard(const Corpus *c, const IndexSplit *split, int i, H5 **out, char path[PATH_MAX])
{
    const IndexShard *s = &split->shard[i];
    const ShardLabel label = {split->name, c->index.digest, i, split->n_shards, s->first, s->examples};
    TRY(path_of(c, s->file.name, path));
    TRY(shard_open(out, path, &c->index, &label));
    return OK;
}

static Status check_shard(const Corpus *c, const IndexSplit *split, int i, bool verify, Units *sum)
{
    char path[PATH_MAX], what[NAME_SIZE + 48];
    H5 *h;
    snprintf(what, sizeof what, "shard %d of split %s", i, split->name);
    TRY(path_of(c, split->shard[i].file.name, path));
    TRY(check_file(path, &split->shard[i].file, what, verify));
    TRY(corpus_open_shard(c, split, i, &h, path));
    const Status st = shard_add_units(h, path, &c->index, split->shard[i].examples, sum);
    h5_close(h);
    return status_trace(st, __FILE__, __LINE__, __func__);
}

/* The same file under two entries would train twice on the same examples. */
static Status check_twice(const Corpus *c, const IndexSplit *split, int i)
{
    for (int k = 0; k < i; k++)
        REQUIRE(strcmp(split->shard[k].file.name, split->shard[i].file.name) != 0, ERR_DATA,
                "%s/%s: shards %d and %d of split %s are the same file %s", c->folder, INDEX_FILE, k, i, split->name,
                split->shard[i].file.name);
    return OK;
}

/* Of one split, as far as this rank has seen its shards. */
static Units *units_of(const Corpus *c, int split) { return c->units + split * BATCH_FIELDS; }

/* The ranks share the work: rank r looks at shards r, r + ranks, ... of all splits, counted through. */
static Status check_share(const Corpus *c, int rank, int ranks, bool verify)
{
    int64_t at = 0;
    for (int s = 0; s < c->index.n_splits; s++) {
        const IndexSplit *split = &c->index.split[s];
        for (int i = 0; i < split->n_shards; i++) {
            if (at++ % ranks != rank) continue;
            TRY(check_twice(c, split, i));
            TRY(check_shard(c, split, i, verify, units_of(c, s)));
        }
    }
    return OK;
}

static Status read_vocabs(Corpus *c, bool verify)
{
    TRY_NEW(c->vocab, c->run, c->index.n_vocabs);
    for (int i = 0; i < c->index.n_vocabs; i++) {
        IndexVocab *v = &c->index.vocab[i];
        char path[PATH_MAX], what[NAME_SIZE + 48];
        snprintf(what, sizeof what, "vocabulary %s", v->name);
        TRY(path_of(c, v->file.name, path));
        TRY(check_file(path, &v->file, what, verify));
        TRY(vocab_file_read(&c->vocab[i], c->run, path));
        REQUIRE(vocab_size(c->vocab[i]) == v->words, ERR_DATA, "%s: found %lld words, expected %lld", path,
                (long long)vocab_size(c->vocab[i]), (long long)v->words);
        REQUIRE(!v->digest[0] || strcmp(vocab_digest(c->vocab[i]), v->digest) == 0, ERR_DATA,
                "%s: vocabulary %s of another corpus: found digest %s, expected %s", path, v->name,
                vocab_digest(c->vocab[i]), v->digest);
        memcpy(v->digest, vocab_digest(c->vocab[i]), HASH_HEX);
    }
    return OK;
}

/* --- All ranks --- */

/* [collective] Rank 0 reads the index, all get its bytes and the absolute path: ranks that were started in different
 * folders still open the same corpus. */
static Status read_index(Comm *comm, const char *folder, Buffer *path, Buffer *text)
{
    Arena scratch = {0};
    Status st = OK;
    if (!comm || comm_rank(comm) == 0) {
        const char *absolute = NULL;
        st = file_absolute(folder, &scratch, &absolute);
        if (st == OK) st = buffer_text(path, absolute);
        if (st == OK) st = buffer_text(path, "/" INDEX_FILE);
        if (st == OK && !file_is_folder(absolute))
            st = status_fail(ERR_INPUT, __FILE__, __LINE__, __func__,
                             "%s: there is no such folder; mneme pack makes a corpus", absolute);
        if (st == OK && !file_exists(path->data))
            st = status_fail(ERR_INPUT, __FILE__, __LINE__, __func__,
                             "%s: is missing: this folder holds no corpus; mneme pack makes a corpus", path->data);
        if (st == OK) st = file_read(path->data, INDEX_MOST, text);
    }
    arena_close(&scratch);
    if (!comm) return st;
    TRY(comm_agree(comm, st));
    TRY(corpus_share_bytes(comm, path));
    TRY(corpus_share_bytes(comm, text));
    return OK;
}

Status corpus_share_bytes(Comm *comm, Buffer *b)
{
    int64_t size = (int64_t)b->size;
    TRY(comm_broadcast(comm, &size, sizeof size, 0));
    TRY(comm_agree(comm, buffer_reserve(b, (size_t)size + 1)));
    TRY(comm_broadcast(comm, b->data, (size_t)size, 0));
    b->size = (size_t)size;
    b->data[b->size] = '\0';
    return OK;
}

/* --- The digest of all --- */

/* Last, since a fault that has a name of its own is told by it. Then shards without a digest in the index get theirs:
 * each rank reads its share, and the digests, as numbers, are added over the ranks. */
static Status check_content(const Corpus *c, const char *path)
{
    char hex[HASH_HEX];
    index_content(&c->index, hex);
    REQUIRE(!c->index.content[0] || strcmp(c->index.content, hex) == 0, ERR_DATA,
            "%s: content: is damaged or was changed: found digest %s, expected %s", path, hex, c->index.content);
    return OK;
}

static Status hash_share(const Corpus *c, int rank, int ranks, uint64_t *half)
{
    int64_t at = 0;
    for (int s = 0; s < c->index.n_splits; s++) {
        const IndexSplit *split = &c->index.split[s];
        for (int i = 0; i < split->n_shards; i++, at++) {
            char path[PATH_MAX], hex[HASH_HEX];
            if (split->shard[i].file.xxh3[0] || at % ranks != rank) continue;
            TRY(path_of(c, split->shard[i].file.name, path));
            TRY(hash_file(path, hex, NULL));
            TRY(hash_halves(hex, &half[2 * at]));
        }
    }
    return OK;
}

/* [collective] */
static Status find_digests(Corpus *c, Comm *comm, int64_t shards, Arena *scratch)
{
    uint64_t *half = arena_zeros(scratch, 2 * shards, sizeof *half);
    const Status st = half ? hash_share(c, comm ? comm_rank(comm) : 0, comm ? comm_size(comm) : 1, half) : ERR_HOST;
    TRY(comm ? comm_agree(comm, st) : st);
    if (comm) TRY(comm_allreduce(comm, half, (size_t)(2 * shards), COMM_I64, COMM_SUM));
    for (int s = 0; s < c->index.n_splits; s++)
        for (int i = 0; i < c->index.split[s].n_shards; i++, half += 2) {
            IndexFile *f = &c->index.split[s].shard[i].file;
            if (!f->xxh3[0]) hash_hex(half, f->xxh3);
        }
    return OK;
}

/* [collective] */
static Status complete_content(Corpus *c, Comm *comm)
{
    Arena scratch = {0};
    int64_t shards = 0, missing = 0;
    for (int s = 0; s < c->index.n_splits; s++) {
        shards += c->index.split[s].n_shards;
        for (int i = 0; i < c->index.split[s].n_shards; i++) missing += !c->index.split[s].shard[i].file.xxh3[0];
    }
    const Status st = missing ? find_digests(c, comm, shards, &scratch) : OK;
    arena_close(&scratch);
    TRY(st);
    index_content(&c->index, c->index.content);
    return OK;
}

static Status open_here(Corpus *c, const Buffer *path, const Buffer *text, int rank, int ranks, bool verify)
{
    char *folder = arena_text(c->run, path->data);
    if (!folder) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    folder[path->size - strlen("/" INDEX_FILE)] = '\0';
    c->folder = folder;
    TRY(index_parse(&c->index, c->run, path->data, text->data, text->size));
    TRY(read_vocabs(c, verify));
    TRY_NEW(c->form, c->run, c->index.n_vocabs);
    TRY(read_forms(&c->index, c->run, folder, c->form));
    index_digest(&c->index, c->index.digest);
    TRY_NEW(c->units, c->run, (int64_t)c->index.n_splits * BATCH_FIELDS);
    TRY(check_share(c, rank, ranks, verify));
    return check_content(c, path->data);
}

/* [collective] The index counts what the shards of all ranks have. */
static Status check_units(const Corpus *c, Comm *comm)
{
    const Index *x = &c->index;
    const size_t n = (size_t)x->n_splits * BATCH_FIELDS * RAGGED_LEVELS;
    if (comm) TRY(comm_allreduce(comm, c->units, n, COMM_I64, COMM_SUM));
    for (int s = 0; s < x->n_splits; s++)
        for (int f = 0; f < x->n_fields; f++)
            for (int l = 0; l < x->field[f].levels; l++)
                REQUIRE(units_of(c, s)[f][l] == x->split[s].units[f][l], ERR_DATA,
                        "%s/" INDEX_FILE
                        ": split %s: units of %s at level %d: the index says %lld, the shards have %lld",
                        c->folder, x->split[s].name, x->field[f].name, l + 1, (long long)x->split[s].units[f][l],
                        (long long)units_of(c, s)[f][l]);
    return OK;
}

static Status open_all(Corpus *c, Comm *comm, const char *folder, bool verify, Buffer *path, Buffer *text)
{
    TRY(read_index(comm, folder, path, text));
    const Status st = open_here(c, path, text, comm ? comm_rank(comm) : 0, comm ? comm_size(comm) : 1, verify);
    TRY(comm ? comm_agree(comm, st) : st);
    TRY(check_units(c, comm)); /* the same on all ranks */
    TRY(complete_content(c, comm));
    return comm ? comm_same(comm, c->index.content, HASH_HEX - 1, "the corpus") : OK;
}

Status corpus_open(Corpus **out, Arena *run, Comm *comm, const char *folder, bool verify)
{
    Corpus *c = arena_zeros(run, 1, sizeof *c);
    const Status st = c ? OK : ERR_HOST;
    TRY(comm ? comm_agree(comm, st) : st);
    Buffer path = {0}, text = {0};
    c->run = run;
    const Status opened = open_all(c, comm, folder, verify, &path, &text);
    buffer_close(&path);
    buffer_close(&text);
    if (opened != OK) corpus_close(c);
    TRY(opened);
    log_debug("%s: corpus of %s, digest %s", folder, c->index.source, c->index.digest);
    *out = c;
    return OK;
}

/* All but the forms lies in the run arena; shards are opened by who reads them. */
void corpus_close(Corpus *c)
{
    for (int i = 0; c->form && i < c->index.n_vocabs; i++) form_close(&c->form[i]);
}

/* --- What is in it --- */

const Index *corpus_index(const Corpus *c) { return &c->index; }

int corpus_fields(const Corpus *c, const DataField **fields)
{
    *fields = c->index.field;
    return c->index.n_fields;
}

const DataField *corpus_field(const Corpus *c, const char *name)
{
    const int f = index_field(&c->index, name);
    return f < 0 ? NULL : &c->index.field[f];
}

const DataField *corpus_role(const Corpus *c, Role role)
{
    const int f = field_role(c->index.n_fields, c->index.field, role);
    return f < 0 ? NULL : &c->index.field[f];
}

const DataField *corpus_role_of(const Corpus *c, Role role, Role of)
{
    const int f = field_role_of(c->index.n_fields, c->index.field, role, of);
    return f < 0 ? NULL : &c->index.field[f];
}

const DataField *corpus_links(const Corpus *c, bool possible)
{
    for (int f = 0; f < c->index.n_fields; f++)
        if (c->index.field[f].links && c->index.field[f].possible == possible) return &c->index.field[f];
    return NULL;
}

const char *corpus_near_field(const Corpus *c, const char *name)
{
    const char *names[BATCH_FIELDS];
    for (int f = 0; f < c->index.n_fields; f++) names[f] = c->index.field[f].name;
    return config_nearest(name, names, c->index.n_fields);
}

const char *corpus_near_split(const Corpus *c, const char *name)
{
    const char *names[INDEX_SPLITS];
    for (int s = 0; s < c->index.n_splits; s++) names[s] = c->index.split[s].name;
    return config_nearest(name, names, c->index.n_splits);
}

bool corpus_has_split(const Corpus *c, const char *name) { return index_split(&c->index, name) != NULL; }

int64_t corpus_examples(const Corpus *c, const char *split)
{
    const IndexSplit *s = index_split(&c->index, split);
    return s ? s->examples : 0;
}

int64_t corpus_longest(const Corpus *c, const char *split, const DataField *field, int level)
{
    const IndexSplit *s = index_split(&c->index, split);
    if (!s || level < 0 || level >= field->levels) return 0;
    return s->longest[index_field(&c->index, field->name)][level];
}

const Vocab *corpus_vocab(const Corpus *c, const char *name)
{
    for (int i = 0; i < c->index.n_vocabs; i++)
        if (strcmp(c->index.vocab[i].name, name) == 0) return c->vocab[i];
    return NULL;
}

Form *corpus_form(const Corpus *c, const char *vocab)
{
    for (int i = 0; i < c->index.n_vocabs; i++)
        if (strcmp(c->index.vocab[i].name, vocab) == 0)
            return c->form[i].cases || c->form[i].subwords ? &c->form[i] : NULL;
    return NULL;
}

const char *corpus_digest(const Corpus *c) { return c->index.digest; }

const char *corpus_content(const Corpus *c) { return c->index.content; }

const char *corpus_folder(const Corpus *c) { return c->folder; }

const char *corpus_source(const Corpus *c) { return c->index.source; }

/* --- Text of a user --- */

DetokeniseHow corpus_detokenise(const Corpus *c, const char *vocab)
{
    const Form *f = corpus_form(c, vocab);
    return (DetokeniseHow){.subwords = f && f->subwords,
                           .truecase = f && f->cases,
                           .joiner = strstr(corpus_index(c)->text, "joiner=false") == NULL};
}

/* --- The settings that the corpus was packed with --- */

static const char *value_of(const Field *f, const TextSettings *s)
{
    const void *at = (const char *)s + f->offset;
    return f->kind == FIELD_CHOICE ? f->choice(*(const int *)at) : *(const bool *)at ? "true" : "false";
}

Status corpus_describe_text(const TextSettings *s, Buffer *out)
{
    for (int i = 0; i < text_section.n_fields; i++) {
        const Field *f = &text_section.fields[i];
        TRY(buffer_format(out, "%s%s=%s", i ? " " : "", f->key, value_of(f, s)));
    }
    return OK;
}

Status corpus_check_text(const Corpus *c, const TextSettings *s)
{
    const char *packed = corpus_index(c)->text;
    for (int i = 0; i < text_section.n_fields; i++) {
        const Field *f = &text_section.fields[i];
        char key[NAME_SIZE];
        const size_t n = (size_t)snprintf(key, sizeof key, "%s=", f->key);
        const char *at = strstr(packed, key), *now = value_of(f, s);
        while (at && at != packed && at[-1] != ' ') at = strstr(at + 1, key);
        if (!at) continue; /* packed when there was no such setting, or by other means */
        const size_t size = strcspn(at + n, " ");
        REQUIRE(strlen(now) == size && memcmp(now, at + n, size) == 0, ERR_CONFIG,
                "text.%s is %s, but %s was packed with %.*s", f->key, now, corpus_folder(c), (int)size, at + n);
    }
    return OK;
}
