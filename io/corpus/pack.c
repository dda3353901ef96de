/* pack.c - the packing as a whole: who does what when, and all or nothing. */
#include "io/corpus/pack.h"

#include <stdio.h>
#include <string.h>

#include "io/corpus/pack_parts.h"
#include "io/corpus/vocab_file.h"
#include "io/file/file.h"

static const Field fields[] = {
    FIELD(PackSettings, shards, .preset = "1", .min = 1, .max = 1e6, .unit = "files",
          .help = "Shards of each split, at least; more when shard_size asks for it."),
    FIELD_BYTES(PackSettings, shard_size, .preset = "64MiB", .min = 4096, .max = 1e12, .unit = "bytes",
                .help = "Size of a shard, about; packing takes some multiple of it as memory."),
    FIELD(PackSettings, min_count, .preset = "1", .min = 1, .max = 1e12, .unit = "occurrences",
          .help = "Words seen less often in the split train become <unk>."),
    FIELD(PackSettings, max_size, .preset = "0", .max = 2e9, .unit = "words",
          .help = "Most frequent words that a vocabulary keeps; 0: all."),
    FIELD(PackSettings, vocabulary, .preset = "\"\"", .is_file = true,
          .help = "Folder of a corpus whose vocabularies are used instead of new ones."),
};

const Section pack_section = {.name = "pack", .help = "How a corpus is written.", ROWS(fields, PackSettings)};

const char *const pack_split_name[PACK_SPLITS] = {"train", "valid", "test"};

Status pack_path(char path[PATH_MAX], const char *folder, const char *name)
{
    const int n = snprintf(path, PATH_MAX, "%s%s%s", folder, name[0] == '.' ? "" : "/", name);
    REQUIRE(n > 0 && n < PATH_MAX - 64, ERR_IO, "%.80s...: the path is too long", folder);
    return OK;
}

/* --- The fields and vocabularies of the importer --- */

static int vocab_number(Pack *p, const char *name)
{
    for (int i = 0; i < p->n_vocabs; i++)
        if (strcmp(p->vocab[i].name, name) == 0) return i;
    snprintf(p->vocab[p->n_vocabs].name, NAME_SIZE, "%s", name);
    return p->n_vocabs++;
}

static Status describe(Pack *p)
{
    p->def = import_find(p->source->importer);
    REQUIRE(p->def, ERR_CONFIG, "there is no importer %s", p->source->importer);
    p->n_fields = import_fields(p->def, p->source->settings, p->field);
    for (int i = 0; p->def->reasons && p->def->reasons[i]; i++) p->report.reason[i] = p->def->reasons[i];
    REQUIRE(p->n_fields <= BATCH_FIELDS, ERR_INTERNAL, "importer %s has %d fields", p->source->importer, p->n_fields);
    int which;
    const char *fault = field_fault(p->n_fields, p->field, &which);
    REQUIRE(!fault, ERR_INTERNAL, "importer %s: field %s: %s", p->source->importer, p->field[which].name, fault);
    bool letters = false;
    for (int f = 0; f < p->n_fields; f++) {
        const DataField *from = &p->field[f];
        p->vocab_of[f] = from->vocab[0] ? vocab_number(p, from->vocab) : -1;
        if (p->vocab_of[f] < 0) continue;
        PackVocab *v = &p->vocab[p->vocab_of[f]];
        v->special = v->special || from->special;
        v->closed = v->closed || from->closed;
        v->words = v->words || (from->special && from->levels > 0 && from->role != ROLE_SPELLING);
        letters = letters || from->role == ROLE_SPELLING;
    }
    REQUIRE(!letters || !(p->source->text->truecase || pack_wants_subwords(p->source->subwords)), ERR_CONFIG,
            "source.characters gives the characters of whole words as the file spells them: it goes without "
            "text.truecase and section subwords");
    return OK;
}

/* [collective] The folder as rank 0 sees it. */
static Status name_folders(Pack *p, const char *folder)
{
    const char *absolute = NULL;
    Status st = file_absolute(folder, &p->arena, &absolute);
    size_t n = st == OK ? strlen(absolute) : 0;
    while (n > 1 && absolute[n - 1] == '/') n--;
    if (st == OK && n >= PATH_MAX - 128)
        st = status_fail(ERR_IO, __FILE__, __LINE__, __func__, "%.80s...: the path is too long", absolute);
    if (st == OK) memcpy(p->folder, absolute, n);
    TRY(comm_agree(p->comm, st));
    TRY(comm_broadcast(p->comm, p->folder, sizeof p->folder, 0));
    TRY(pack_path(p->part, p->folder, ".part"));
    TRY(pack_path(p->old, p->folder, ".old"));
    return OK;
}

/* --- Vocabularies and the index --- */

static Status write_vocab(Pack *p, int i)
{
    PackVocab *v = &p->vocab[i];
    IndexVocab *x = &p->index.vocab[i];
    char path[PATH_MAX];
    snprintf(x->name, NAME_SIZE, "%s", v->name);
    snprintf(x->file.name, sizeof x->file.name, "%s.vocab.h5", v->name);
    snprintf(x->digest, HASH_HEX, "%s", vocab_digest(v->vocab));
    x->words = vocab_size(v->vocab);
    TRY(pack_path(path, p->part, x->file.name));
    if (comm_rank(p->comm) == 0) TRY(vocab_file_write(v->vocab, path));
    if (comm_rank(p->comm) == 0) TRY(hash_file(path, x->file.xxh3, &x->file.bytes));
    return OK;
}

static Status note_text(Pack *p)
{
    Buffer text = {0};
    const Status st = corpus_describe_text(p->source->text, &text);
    if (st == OK) snprintf(p->index.text, sizeof p->index.text, "%s", text.data);
    buffer_close(&text);
    return st;
}

static Status write_vocabs(Pack *p)
{
    TRY(note_text(p));
    p->index.n_fields = p->n_fields;
    p->index.field = p->field;
    p->index.n_vocabs = p->n_vocabs;
    snprintf(p->index.source, NAME_SIZE, "%s", p->source->importer);
    TRY_NEW(p->index.vocab, &p->arena, p->n_vocabs);
    for (int i = 0; i < p->n_vocabs; i++) TRY(write_vocab(p, i));
    TRY(pack_write_forms(p));
    index_digest(&p->index, p->index.digest);
    return OK;
}

static Status write_index(const Pack *p)
{
    if (comm_rank(p->comm) != 0) return OK;
    Buffer json = {0};
    char path[PATH_MAX];
    TRY(pack_path(path, p->part, INDEX_FILE));
    Status st = index_write(&p->index, &json);
    if (st == OK) st = file_write(path, json.data, json.size);
    buffer_close(&json);
    TRY(st);
    return OK;
}

/* --- The whole --- */

/* [collective] What was written is read back and compared before it gets its name, by other ranks than wrote it where
 * there are several: a folder that is not shared between hosts shows here. */
static Status check_written(Pack *p)
{
    Corpus *c;
    TRY(corpus_open(&c, &p->arena, p->comm, p->part, true));
    corpus_close(c);
    return OK;
}

/* [collective] */
static Status build(Pack *p, bool replace)
{
    const bool first = comm_rank(p->comm) == 0;
    const char *other = p->settings->vocabulary;
    if (other && other[0]) TRY(corpus_open(&p->other, &p->arena, p->comm, other, false));
    TRY(pack_forms(p));
    TRY(pack_count(p));
    TRY(comm_agree(p->comm, first ? pack_prepare(p, replace) : OK));
    TRY(comm_agree(p->comm, write_vocabs(p)));
    TRY(pack_shards(p));
    TRY(comm_agree(p->comm, write_index(p)));
    TRY(check_written(p));
    TRY(comm_agree(p->comm, first ? pack_publish(p) : OK));
    return OK;
}

/* Parents first, then the lock beside the folder: two packings of one folder do not mix. */
static Status lock_folder(const Pack *p, FileLock **lock)
{
    char path[PATH_MAX];
    memcpy(path, p->folder, sizeof path);
    char *slash = strrchr(path, '/');
    if (slash && slash != path) {
        *slash = '\0';
        TRY(file_make_folder(path));
    }
    TRY(pack_path(path, p->folder, ".lock"));
    TRY(file_lock(lock, path));
    return OK;
}

/* [collective] Nothing that begins with the folder's name and a dot is left after a failure. */
static Status build_locked(Pack *p, bool replace)
{
    FileLock *lock = NULL;
    TRY(comm_agree(p->comm, comm_rank(p->comm) == 0 ? lock_folder(p, &lock) : OK));
    const Status st = build(p, replace);
    if (st != OK && lock) {
        Buffer report = {0};
        const Status kept = buffer_text(&report, status_text());
        const Status removed = p->building ? file_remove_folder(p->part) : OK;
        if (kept == OK && removed != OK) (void)status_adopt(st, report.data); /* the first failure is the one to tell */
        buffer_close(&report);
    }
    file_unlock(lock);
    TRY(st);
    return OK;
}

static Status pack_all(Pack *p, const char *folder, bool replace)
{
    TRY(comm_agree(p->comm, describe(p)));
    TRY(name_folders(p, folder));
    TRY(build_locked(p, replace));
    return OK;
}

Status corpus_pack(Comm *comm, const PackSource *source, const PackSettings *settings, const char *folder, bool replace,
                   PackReport *report)
{
    Arena arena = {0};
    Pack *p = arena_zeros(&arena, 1, sizeof *p);
    TRY(comm_agree(comm, p ? OK : ERR_HOST));
    p->comm = comm;
    p->source = source;
    p->settings = settings;
    const Status st = pack_all(p, folder, replace);
    for (int i = 0; i < p->n_vocabs; i++)
        if (p->vocab[i].builder) vocab_builder_close(p->vocab[i].builder);
    pack_close_forms(p);
    if (report) *report = p->report;
    arena_close(&p->arena);
    arena_close(&arena);
    TRY(st);
    return OK;
}
