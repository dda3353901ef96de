/* folders.c - labelled documents, one a file, in one folder per class. */
#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <string.h>
#include <sys/stat.h>

#include "io/import/document.h"
#include "io/import/families.h"
#include "io/text/check.h"

typedef struct FoldersSettings {
    const char *train, *valid, *test, *fold_of;
    DocumentEmpty empty;
    int64_t fold, seed;
    double valid_share;
} FoldersSettings;

static const Field fields[] = {
    FIELD(FoldersSettings, train, .is_file = true,
          .help = "Folder to train on: in it one folder per class with its documents."),
    FIELD(FoldersSettings, valid, .preset = "\"\"", .is_file = true, .help = "Folder to validate on."),
    FIELD(FoldersSettings, test, .preset = "\"\"", .is_file = true, .help = "Folder to test on."),
    FIELD(FoldersSettings, fold_of, .preset = "\"\"",
          .help = "Regular expression whose first group is the number of a file's fold, such as cv([0-9])."),
    FIELD(FoldersSettings, fold, .preset = "0", .min = 0, .max = 1e6,
          .help = "The fold to test on when fold_of is set; the others are trained on."),
    FIELD(FoldersSettings, valid_share, .preset = "0.1", .min = 0, .max = 0.9,
          .help =
              "Share of the training documents, chosen at random, to validate on when there is no folder for that."),
    FIELD(FoldersSettings, seed, .preset = "1", .min = 0, .max = 1e15,
          .help = "Of the choice of documents to validate on."),
    FIELD(FoldersSettings, empty, .preset = "error", .choice = document_empty,
          .help = "A document without words is a fault, or is left out and counted."),
};

typedef struct Document {
    const char *path, *label;
} Document;

typedef struct Folders {
    const FoldersSettings *settings;
    TextTool *tool;
    Buffer documents; /* Document */
    int64_t n, next;
    bool test; /* the split */
    DocumentSplit split;
    Lines lines;
    Buffer text;
    const char *label; /* of the record handed out last */
    bool skip;
    int64_t skipped;
} Folders;

static void folders_close(void *state)
{
    Folders *f = state;
    text_close(f->tool);
    buffer_close(&f->documents);
    buffer_close(&f->text);
    lines_free(&f->lines);
    symbols_close(&f->split.labels);
}

static Status add_class(Folders *f, Arena *run, const char *folder, const char *label)
{
    Files names;
    struct stat info;
    const int64_t before = f->n;
    TRY(files_in(&names, run, folder));
    for (int64_t i = 0; i < names.n; i++) {
        char *path = arena_format(run, "%s/%s", folder, names.path[i]);
        if (!path) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
        REQUIRE(stat(path, &info) == 0, ERR_INPUT, "%s: %s", path, strerror(errno));
        if (!S_ISREG(info.st_mode)) continue;
        const Document d = {path, label};
        TRY(buffer_append(&f->documents, &d, sizeof d));
        f->n++;
    }
    REQUIRE(f->n > before, ERR_INPUT, "%s: there is no document in the folder", folder);
    return OK;
}

/* Each folder in `root` is a class. */
static Status list_documents(Folders *f, Arena *run, const char *root)
{
    Files names;
    struct stat info;
    TRY(files_in(&names, run, root));
    for (int64_t i = 0; i < names.n; i++) {
        char *path = arena_format(run, "%s/%s", root, names.path[i]);
        if (!path) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
        REQUIRE(stat(path, &info) == 0, ERR_INPUT, "%s: %s", path, strerror(errno));
        if (S_ISDIR(info.st_mode)) TRY(add_class(f, run, path, names.path[i]));
    }
    REQUIRE(f->n > 0, ERR_INPUT, "%s: one folder per class was expected in it, but there is none", root);
    return OK;
}

static Status fold_of(const regex_t *pattern, const char *expression, const char *path, int64_t *fold)
{
    regmatch_t group[2];
    const char *name = files_base(path);
    *fold = 0;
    REQUIRE(regexec(pattern, name, 2, group, 0) == 0 && group[1].rm_so >= 0, ERR_DATA,
            "%s: source.fold_of: the name does not match %s", path, expression);
    const char *digits = name + group[1].rm_so;
    const int n = (int)(group[1].rm_eo - group[1].rm_so);
    bool number = n > 0 && n < 18;
    for (int i = 0; i < n && number; i++) {
        number = digits[i] >= '0' && digits[i] <= '9';
        *fold = *fold * 10 + (digits[i] - '0');
    }
    REQUIRE(number, ERR_DATA, "%s: source.fold_of: \"%.*s\" is not the number of a fold", path, n, digits);
    return OK;
}

/* Keeps the documents of the fold, or those of the others. */
static Status keep_fold(Folders *f, const regex_t *pattern)
{
    Document *d = (Document *)(void *)f->documents.data;
    int64_t kept = 0, in_fold = 0;
    for (int64_t i = 0; i < f->n; i++) {
        int64_t fold;
        TRY(fold_of(pattern, f->settings->fold_of, d[i].path, &fold));
        in_fold += fold == f->settings->fold;
        if ((fold == f->settings->fold) == f->test) d[kept++] = d[i];
    }
    REQUIRE(in_fold > 0, ERR_INPUT, "source.fold: there is no document in fold %" PRId64, f->settings->fold);
    REQUIRE(in_fold < f->n, ERR_INPUT, "source.fold: all documents are in fold %" PRId64, f->settings->fold);
    f->n = kept;
    return OK;
}

static Status choose_fold(Folders *f)
{
    const char *expression = f->settings->fold_of;
    regex_t pattern;
    REQUIRE(strlen(expression) < 1000, ERR_CONFIG, "source.fold_of is longer than 1000 bytes");
    const int code = regcomp(&pattern, expression, REG_EXTENDED);
    char why[256] = "";
    if (code != 0) regerror(code, &pattern, why, sizeof why);
    REQUIRE(code == 0, ERR_CONFIG, "source.fold_of: %s: %s", expression, why);
    const bool grouped = pattern.re_nsub >= 1;
    const Status st = grouped ? keep_fold(f, &pattern) : OK;
    regfree(&pattern);
    REQUIRE(grouped, ERR_CONFIG, "source.fold_of: %s has no group (...) for the number of the fold", expression);
    return st;
}

static Status list_split(Folders *f, Arena *run, const char *split)
{
    const FoldersSettings *s = f->settings;
    const bool folds = s->fold_of[0], valid = strcmp(split, "valid") == 0;
    REQUIRE(!folds || !s->test[0], ERR_CONFIG, "source.test and source.fold_of are both set: give one of them");
    f->test = strcmp(split, "test") == 0;
    f->split = document_split(split, s->valid[0], s->valid_share, s->seed);
    const bool train = f->split.by_share || strcmp(split, "train") == 0;
    const char *root = train || (f->test && folds) ? s->train : valid ? s->valid : f->test ? s->test : "";
    if (!root[0]) return OK;
    TRY(list_documents(f, run, root));
    return folds && (train || f->test) ? choose_fold(f) : OK;
}

static Status folders_open(void **state, Arena *run, const void *settings, const TextSettings *text, const char *split)
{
    Folders *f;
    TRY_NEW(f, run, 1);
    f->settings = settings;
    f->skip = f->settings->empty == DOCUMENT_SKIP;
    Status st = list_split(f, run, split);
    if (st == OK) st = text_open(&f->tool, run, text);
    if (st != OK) folders_close(f);
    TRY(st);
    *state = f;
    return OK;
}

/* The whole file into f->text. A file of 0 bytes is a document without words. */
static Status read_document(Folders *f, const Document *d)
{
    struct stat info;
    f->text.size = 0;
    TRY(buffer_append(&f->text, "", 0));
    if (f->skip && stat(d->path, &info) == 0 && info.st_size == 0) return OK;
    TRY(lines_open_regular(&f->lines, d->path));
    const Status st = lines_rest(&f->lines, &f->text);
    lines_close(&f->lines);
    TRY(st);
    return f->skip ? text_require(f->text.data, f->text.size, d->path, 1) : OK;
}

static Status folders_next(void *state, Record *out, bool *end)
{
    Folders *f = state;
    for (;;) {
        const Document *d = NULL;
        for (bool belongs = false; !belongs;) {
            *end = f->next == f->n;
            if (*end) return OK;
            d = (const Document *)(const void *)f->documents.data + f->next++;
            TRY(document_belongs(&f->split, (Word){d->label, strlen(d->label)}, &belongs));
        }
        TRY(read_document(f, d));
        f->label = d->label;
        *out = (Record){f->text.data, f->text.size, d->path, 1};
        if (!f->skip || text_has_words(f->tool, out->text, out->size)) return OK;
        f->skipped++;
    }
}

static Status folders_parse(void *state, const Record *r, Arena *scratch, Example *out)
{
    Folders *f = state;
    TextWords words;
    TRY(text_require(r->text, r->size, r->file, r->line));
    TRY(text_split(f->tool, r->text, r->size, scratch, &words));
    return document_put(&words, (Word){f->label, strlen(f->label)}, r, scratch, out);
}

static int64_t folders_skipped(const void *state) { return ((const Folders *)state)->skipped; }

const ImporterDef import_folders = {
    .component = {.name = "folders",
                  .help = "Labelled documents, one a file, in one folder per class.",
                  ROWS(fields, FoldersSettings)},
    .fields = document_fields,
    .n_fields = DOCUMENT_FIELDS,
    .open = folders_open,
    .next = folders_next,
    .parse = folders_parse,
    .close = folders_close,
    .skipped = folders_skipped,
    .sample = {.rows = "train: sample, test: sample, valid_share: 0",
               .file = {{"sample/good/1.txt", "a fine film. go and see it.\n"},
                        {"sample/bad/1.txt", "dull. i left early.\n"}},
               .question = "a fine end. i liked it."},
};
