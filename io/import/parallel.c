/* parallel.c - parallel text: line i of one file is the translation of line i of the other.
 *
 * The sides may also be columns of one file. The three streams (source, target, links) are read side by side. */
#include <inttypes.h>
#include <string.h>

#include "io/import/families.h"
#include "io/import/files.h"
#include "io/import/pair.h"

typedef struct Split {
    TextList source, target, links;
} Split;

typedef enum ColumnsBy { COLUMNS_TAB, COLUMNS_BARS } ColumnsBy;

typedef struct ParallelSettings {
    TextList train_source, train_target, train_links, valid_source, valid_target, valid_links, test_source, test_target,
        test_links;
    ColumnsBy columns;
    LinksFormat links_format;
    int64_t source_column, target_column, links_column, links_base, max_length;
    double max_ratio, valid_share;
    int64_t seed;
    bool links_swapped, shared, characters;
} ParallelSettings;

static const char *columns_name(int i) { return (const char *const[]){"tab", "bars", NULL}[i]; }

static const Field fields[] = {
    FIELD(ParallelSettings, train_source, .is_file = true, .help = "Files to train on, one sentence a line."),
    FIELD(ParallelSettings, train_target, .preset = "[]", .is_file = true,
          .help = "Their translations, line by line; several for one source file: each is a translation of it; none: "
                  "columns of the same files."),
    FIELD(ParallelSettings, train_links, .preset = "[]", .is_file = true,
          .help = "Gold links between their words; none: links_column of the source's files, if that is given."),
    FIELD(ParallelSettings, valid_source, .preset = "[]", .is_file = true, .help = "Files to validate on."),
    FIELD(ParallelSettings, valid_target, .preset = "[]", .is_file = true, .help = "Their translations."),
    FIELD(ParallelSettings, valid_links, .preset = "[]", .is_file = true, .help = "Their links."),
    FIELD(ParallelSettings, test_source, .preset = "[]", .is_file = true, .help = "Files to test on."),
    FIELD(ParallelSettings, test_target, .preset = "[]", .is_file = true, .help = "Their translations."),
    FIELD(ParallelSettings, test_links, .preset = "[]", .is_file = true, .help = "Their links."),
    FIELD(ParallelSettings, columns, .preset = "tab", .choice = columns_name,
          .help = "What parts columns, where a line has several: a tab, or three bars between spaces."),
    FIELD(ParallelSettings, source_column, .preset = "0", .max = 10000,
          .help = "Column of the source, from 1; 0: the whole line."),
    FIELD(ParallelSettings, target_column, .preset = "0", .max = 10000,
          .help = "Column of the target, from 1; 0: the whole line."),
    FIELD(ParallelSettings, links_column, .preset = "0", .max = 10000,
          .help = "Column of the links, from 1; 0: the whole line."),
    FIELD(ParallelSettings, links_format, .preset = "pharaoh", .choice = links_format,
          .help = "pharaoh: a line \"i-j k?l\" for each pair; naacl: a line \"sentence i j S\" for each link."),
    FIELD(ParallelSettings, links_base, .preset = "0", .max = 1, .help = "Number of a sentence's first word in links."),
    FIELD(ParallelSettings, links_swapped, .preset = "false", .help = "Links name the word of the target first."),
    FIELD(ParallelSettings, shared, .preset = "false", .help = "One vocabulary for both sides."),
    FIELD(ParallelSettings, characters, .preset = "false",
          .help = "The characters of each word, too, in fields of their own."),
    FIELD(ParallelSettings, max_length, .preset = "0", .max = 1e9, .unit = "words",
          .help = "Pairs to train on with a longer side are left out, and counted; 0: none. Words before subwords."),
    FIELD(ParallelSettings, max_ratio, .preset = "0", .max = 1e9,
          .help = "Pairs to train on whose longer side has more than so many times the words of the other are left "
                  "out, and counted; 0: none."),
    FIELD(ParallelSettings, valid_share, .preset = "0", .min = 0, .max = 0.9,
          .help =
              "Share of the pairs to train on, chosen at random, to validate on when there are no files for that; a "
              "source with several targets is chosen with all of them."),
    FIELD(ParallelSettings, seed, .preset = "1", .min = 0, .max = 1e15,
          .help = "Of the choice of pairs to validate on."),
};

/* One of the three streams. */
typedef struct Stream {
    const char *key; /* for messages */
    Files files;
    int64_t column; /* 0: the whole line */
    const char *gap;
    Lines lines;
    Word text; /* of the last line */
} Stream;

typedef struct Parallel {
    const ParallelSettings *settings;
    PairCaps caps;
    TextTool *tool;
    Stream source, target;
    Stream links_from; /* no file: no links */
    LinkFile links;
    int64_t n_files, next_file;
    int64_t records;             /* read before */
    bool by_share, wants_chosen; /* training files: this split has the chosen pairs, or the others */
    bool open;
    Buffer record; /* source, target, links, a line each */
} Parallel;

static bool wants_links(const ParallelSettings *s)
{
    return s->train_links.n + s->valid_links.n + s->test_links.n > 0 || s->links_column > 0;
}

static PairKind pair_kind(const ParallelSettings *s) { return (PairKind){s->shared, wants_links(s), s->characters}; }

static int parallel_fields(const void *settings, DataField fields_out[BATCH_FIELDS])
{
    const ParallelSettings *s = settings;
    return pair_fields(pair_kind(s), fields_out);
}

/* --- Files --- */

static void close_files(Parallel *p)
{
    lines_close(&p->source.lines);
    lines_close(&p->target.lines);
    links_close(&p->links);
    p->open = false;
}

static void parallel_close(void *state)
{
    Parallel *p = state;
    lines_free(&p->source.lines);
    lines_free(&p->target.lines);
    links_free(&p->links);
    buffer_close(&p->record);
    text_close(p->tool);
}

static Status match(Stream *s, Arena *run, const char *key, const char *split, const TextList *list)
{
    char *name = arena_format(run, "source.%s_%s", split, key);
    if (!name) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    s->key = name;
    return files_match(&s->files, run, name, list);
}

static Status match_split(Parallel *p, Arena *run, const char *split, const Split *list)
{
    const bool by_column = p->settings->source_column > 0 && p->settings->target_column > 0;
    TRY(match(&p->source, run, "source", split, &list->source));
    TRY(match(&p->target, run, "target", split, &list->target));
    TRY(match(&p->links_from, run, "links", split, &list->links));
    const int64_t n = p->source.files.n, links = p->links_from.files.n;
    if (p->target.files.n == 0 && by_column) p->target.files = p->source.files;
    if (links == 0 && p->links_from.column > 0) p->links_from.files = p->source.files;
    p->n_files = p->target.files.n;
    REQUIRE(n == 0 || p->n_files > 0, ERR_CONFIG,
            "%s is empty: it needs the files of the translations, or source.source_column and source.target_column of "
            "the files of %s",
            p->target.key, p->source.key);
    REQUIRE(n == p->n_files || (n == 1 && p->n_files > 1), ERR_CONFIG,
            "%s: %" PRId64 " files, but %s: %" PRId64
            " files; there must be as many, or one source with several targets",
            p->source.key, n, p->target.key, p->n_files);
    REQUIRE(links == 0 || links == p->n_files, ERR_CONFIG, "%s: %" PRId64 " files, but %s: %" PRId64 " files",
            p->links_from.key, links, p->target.key, p->n_files);
    return OK;
}

static Status parallel_open(void **state, Arena *run, const void *settings, const TextSettings *text, const char *split)
{
    Parallel *p;
    TRY_NEW(p, run, 1);
    const ParallelSettings *s = p->settings = settings;
    const bool train = strcmp(split, "train") == 0, valid = strcmp(split, "valid") == 0;
    const char *gap = s->columns == COLUMNS_TAB ? "\t" : "|||";
    TextSettings one_sentence = *text;
    one_sentence.sentences = TEXT_SENTENCES_NONE;
    p->by_share = s->valid_source.n == 0 && s->valid_share > 0 && (train || valid);
    p->wants_chosen = valid;
    if (train) p->caps = (PairCaps){s->max_length, s->max_ratio};
    p->source = (Stream){.key = "source", .column = s->source_column, .gap = gap};
    p->target = (Stream){.key = "target", .column = s->target_column, .gap = gap};
    p->links_from = (Stream){.key = "links", .column = s->links_column, .gap = gap};
    if (wants_links(s)) TRY(pair_check_links(text));
    if (train || p->by_share)
        TRY(match_split(p, run, "train", &(Split){s->train_source, s->train_target, s->train_links}));
    else if (valid)
        TRY(match_split(p, run, split, &(Split){s->valid_source, s->valid_target, s->valid_links}));
    else if (strcmp(split, "test") == 0)
        TRY(match_split(p, run, split, &(Split){s->test_source, s->test_target, s->test_links}));
    TRY(text_open(&p->tool, run, &one_sentence));
    *state = p;
    return OK;
}

static Status open_next(Parallel *p)
{
    const int64_t k = p->next_file++;
    TRY(lines_open_regular(&p->source.lines, p->source.files.path[p->source.files.n == 1 ? 0 : k]));
    TRY(lines_open_regular(&p->target.lines, p->target.files.path[k]));
    const Files *links = &p->links_from.files;
    if (links->n > 0)
        TRY(links_open(&p->links, links->path[links->n == 1 ? 0 : k], p->settings->links_format == LINKS_NAACL,
                       p->settings->links_base));
    p->open = true;
    return OK;
}

/* --- Records --- */

/* Of the pair that was read last. */
static bool belongs(Parallel *p)
{
    const bool one_source = p->source.files.n == 1; /* for all targets */
    const int64_t record = one_source ? p->source.lines.number - 1 : p->records;
    p->records++;
    return !p->by_share || import_chosen(p->settings->seed, 0, record, p->settings->valid_share) == p->wants_chosen;
}

/* A tab; or three bars and not more, with blanks around them or none, also at the line's begin and end. */
static const char *find(const char *at, const char *end, const char *gap)
{
    const size_t n = strlen(gap);
    for (size_t run = 1; (at = memchr(at, gap[0], (size_t)(end - at))); at += run) {
        for (run = 1; n > 1 && at + run < end && at[run] == gap[0];) run++;
        if (run == n) return at;
    }
    return NULL;
}

/* Leaves the stream's column of its text. */
static Status take_column(Stream *s, const char *file, int64_t line, const char *key)
{
    const char *at = s->text.text, *end = at + s->text.size;
    if (s->column == 0) return OK;
    for (int64_t i = 1;; i++) {
        const char *gap = find(at, end, s->gap);
        s->text = (Word){at, (size_t)((gap ? gap : end) - at)};
        if (i == s->column) return OK;
        REQUIRE(gap, ERR_DATA, "%s:%" PRId64 ": source.%s_column is %" PRId64 ", but there are %" PRId64 " columns",
                file, line, key, s->column, i);
        at = gap + strlen(s->gap);
    }
}

static Status read_side(Stream *s, const char *key, bool *end)
{
    TRY(lines_next(&s->lines, &s->text.text, &s->text.size, end));
    return *end ? OK : take_column(s, s->lines.path, s->lines.number, key);
}

static Status differ(const Lines *shorter, const Lines *longer)
{
    FAIL(ERR_DATA, "%s: ends after line %" PRId64 ", but %s has a line %" PRId64, shorter->path, longer->number - 1,
         longer->path, longer->number);
}

static Status read_pair(Parallel *p, bool *end)
{
    bool target_end, links_end = false;
    const bool links = p->links_from.files.n > 0;
    TRY(read_side(&p->source, "source", end));
    TRY(read_side(&p->target, "target", &target_end));
    if (*end != target_end)
        return *end ? differ(&p->source.lines, &p->target.lines) : differ(&p->target.lines, &p->source.lines);
    if (!links) return OK;
    if (*end && p->links.naacl) return links_finish(&p->links, p->source.lines.number);
    TRY(links_next(&p->links, p->source.lines.number, &p->links_from.text, &links_end));
    if (*end != links_end)
        return links_end ? differ(&p->links.lines, &p->source.lines) : differ(&p->source.lines, &p->links.lines);
    return *end ? OK : take_column(&p->links_from, p->links.lines.path, p->links.line, "links");
}

static Status put_line(Buffer *b, Word text)
{
    TRY(buffer_append(b, text.text, text.size));
    return buffer_append(b, "\n", 1);
}

static Status parallel_next(void *state, Record *out, bool *end)
{
    Parallel *p = state;
    for (;;) {
        if (!p->open) {
            *end = p->next_file == p->n_files;
            if (*end) return OK;
            TRY(open_next(p));
        }
        TRY(read_pair(p, end));
        if (*end)
            close_files(p);
        else if (belongs(p))
            break;
    }
    p->record.size = 0;
    TRY(put_line(&p->record, p->source.text));
    TRY(put_line(&p->record, p->target.text));
    TRY(put_line(&p->record, p->links_from.text));
    *out = (Record){p->record.data, p->record.size, p->source.lines.path, p->source.lines.number};
    return OK;
}

static Word take_line(const char **at, const char *end)
{
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    const Word line = {*at, (size_t)((stop ? stop : end) - *at)};
    *at = stop ? stop + 1 : end;
    return line;
}

static Status parallel_parse(void *state, const Record *r, Arena *scratch, Example *out)
{
    Parallel *p = state;
    const char *at = r->text, *end = at + r->size;
    PairText t = {.source_file = r->file, .target_file = p->target.lines.path, .line = r->line};
    t.kind = pair_kind(p->settings);
    t.source = take_line(&at, end);
    t.target = take_line(&at, end);
    t.links = take_line(&at, end);
    t.has_links = p->links_from.files.n > 0;
    t.link_rule = (LinkRule){.file = p->links.lines.path,
                             .line = p->links.line,
                             .line_of = links_lines(&p->links),
                             .base = p->settings->links_base,
                             .swapped = p->settings->links_swapped};
    return pair_parse(p->tool, &t, &p->caps, scratch, out);
}

/* Text that translations can be put together of again. With characters words are spelled whole. */
static const SectionPreset presets[] = {
    {"text", "{lowercase: false, joiner: true}"}, {"subwords", "{by_size: true}"}, {0}};

const ImporterDef import_parallel = {
    .component = {.name = "parallel",
                  .help = "Sentences and their translations, line by line, with or without gold links.",
                  ROWS(fields, ParallelSettings),
                  .presets = presets,
                  .presets_unless = "characters"},
    .fields_of = parallel_fields,
    .reasons = pair_reasons,
    .open = parallel_open,
    .next = parallel_next,
    .parse = parallel_parse,
    .close = parallel_close,
    .sample =
        {.rows =
             "train_source: [sample.en], train_target: [sample.de], "
             "valid_source: [sample.en], valid_target: [sample.de], test_source: [sample.en], test_target: [sample.de]",
         .file = {{"sample.en", "a cat and a dog\na bird sings\nthe dog sees a fish\na fish\nthe bird sees it\n"},
                  {"sample.de", "eine katze und ein hund\nein vogel singt\nder hund sieht einen fisch\nein fisch\n"
                                "der vogel sieht es\n"}},
         .question = "a dog and a bird"},
};
