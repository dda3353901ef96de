/* attend.c - `mneme attend CONFIG [FILE]`: what the model looks at in given inputs, as HDF5 and as a page, with
 * pictures, links and tables; and `mneme attend FILE.h5 ...`: such files of several models on one page.
 *
 * Rank 0 writes alone: a page that a person reads has few inputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/log.h"
#include "comm/terminal.h"
#include "io/attention/alignment.h"
#include "io/attention/hits.h"
#include "io/file/file.h"
#include "io/text/check.h"
#include "trainer/answer/input.h"
#include "trainer/command/trained.h"
#include "trainer/look/look.h"

enum { INPUTS_MOST = 10000, FILES_MOST = 16 };

/* What is written and printed. */
typedef struct Files {
    Arena *run;
    const char *output;  /* path without its ending */
    const char *pharaoh; /* file of links; NULL: none */
    bool svg;            /* the pictures of each input, too */
    AttentionReadout links;
} Files;

typedef struct Attend {
    Session s;
    Arena keep;
    Look look;
    Files files;
    int64_t most;
    int n;
    AttentionExample *example;
} Attend;

/* --- Inputs --- */

/* "source TAB target": the target is a text of its own. */
static Status split_pair(const Attend *a, Record *r, Record *target, bool *has_target)
{
    const char *tab = memchr(r->text, '\t', r->size);
    *has_target = a->s.model->def->generate && tab && !(r->text[0] == '{' && r->text[1] == '"');
    if (!*has_target) return OK;
    TRY(text_require(r->text, r->size, r->file, r->line));
    int tabs = 0;
    for (size_t i = 0; i < r->size; i++) tabs += r->text[i] == '\t';
    REQUIRE(tabs == 1, ERR_DATA, "%s:%lld: %d tabs; SOURCE TAB TARGET was expected", r->file, (long long)r->line, tabs);
    *target = (Record){tab + 1, r->size - (size_t)(tab + 1 - r->text), r->file, r->line};
    r->size = (size_t)(tab - r->text);
    return OK;
}

static Status read_line(const Attend *a, Ask *ask, Record r, Batch *b, const Word *word[BATCH_FIELDS])
{
    Record target;
    bool has_target;
    Arena *step = &ask->s->step;
    Example example;
    TRY(split_pair(a, &r, &target, &has_target));
    TRY(ask_parse(ask, &r, has_target ? &target : NULL, step, &example));
    TRY(ask_pack(ask, 1, &example, step, b, word));
    const Ragged *source = batch_role(b, ROLE_INPUT);
    REQUIRE(!source || source->field->levels != 1 || source->count[1] > 0, ERR_DATA, "%s:%lld: a source without words",
            r.file, (long long)r.line);
    return OK;
}

static Status look_at_line(Attend *a, Ask *ask, Record r)
{
    const Word *word[BATCH_FIELDS] = {NULL};
    Batch b;
    const ArenaMark mark = arena_mark(&a->s.step);
    const char *id = arena_format(&a->keep, "line %lld", (long long)r.line);
    Status st = id ? read_line(a, ask, r, &b, word) : ERR_HOST;
    if (st == OK) st = look_example(&a->look, &b, word, id, NULL, &a->example[a->n]);
    if (st == OK) a->n++;
    arena_release(&a->s.step, mark);
    return st;
}

static Status look_at_lines(Attend *a, Command *c, const char *path)
{
    Ask ask;
    Input input;
    InputLines lines = {0};
    TRY(ask_open(&ask, &a->s));
    watchdog_long(a->s.watchdog, "read", 0, 1e12); /* whoever writes the lines may take any time */
    Status st = input_open(&input, c->comm, path);
    while (st == OK && a->n < a->most) {
        st = input_read(&input, c->comm, a->most - a->n, &lines);
        if (st != OK || lines.n == 0) break;
        for (int64_t i = 0; i < lines.n && st == OK; i++)
            st = look_at_line(a, &ask,
                              (Record){lines.line[i].text, lines.line[i].size, input.path, lines.line[i].number});
    }
    input_close(&input);
    ask_close(&ask);
    return st;
}

/* --- Options --- */

static Status read_implicit(const Command *c, AttentionMeasure *out)
{
    const char *text = command_value(c, "--implicit");
    for (int i = ATTENTION_WEIGHT + 1; text && attention_measure_name(i); i++)
        if (strcmp(text, attention_measure_name(i)) == 0) {
            *out = (AttentionMeasure)i;
            return OK;
        }
    REQUIRE(!text, ERR_USAGE, "--implicit %s: jacobian or input_x_gradient is expected", text);
    return OK;
}

static Status read_links(const Command *c, AttentionReadout *out)
{
    const char *text = command_value(c, "--links");
    if (!text || strcmp(text, "max") == 0) return OK;
    char *end = NULL;
    out->least = strtod(text, &end);
    out->threshold = true;
    REQUIRE(*text && !*end && out->least > 0 && out->least <= 1, ERR_USAGE,
            "--links %s: max or a number above 0 and at most 1 is expected", text);
    return OK;
}

static Status read_options(const Command *c, Files *f)
{
    f->output = command_value(c, "--output") ? command_value(c, "--output") : "attention";
    f->pharaoh = command_value(c, "--pharaoh");
    f->svg = command_flag(c, "--svg");
    f->run = c->run;
    return read_links(c, &f->links);
}

/* --- What is written --- */

/* The attention whose links are written: the first that looks from the words of one field at those of another. */
static const AttentionView *first_links(const AttentionExample *e)
{
    for (int i = 0; i < e->n_views; i++) {
        const AttentionView *v = &e->view[i];
        if (v->rows.unit == AXIS_WORDS && v->columns.unit == AXIS_WORDS && v->rows.field != v->columns.field &&
            v->measure == ATTENTION_WEIGHT)
            return v;
    }
    return NULL;
}

static Status put_links(const Files *f, const AttentionFile *file, Arena *arena, Buffer *out)
{
    for (int i = 0; i < file->n; i++) {
        const AttentionView *v = first_links(&file->example[i]);
        AlignmentLinks links;
        REQUIRE(v, ERR_USAGE, "--pharaoh: the model %s has no attention over pairs", file->model);
        arena_release(arena, (ArenaMark){0});
        TRY(alignment_links(&file->example[i], v, f->links, arena, &links));
        TRY(alignment_pharaoh(&links, out));
    }
    return OK;
}

static Status links_text(const Files *f, const AttentionFile *file, Buffer *out)
{
    Arena arena = {0};
    if (!f->pharaoh) return OK;
    const Status st = put_links(f, file, &arena, out);
    arena_close(&arena);
    return st;
}

static Status write_pictures(const Files *f, const AttentionFile *file)
{
    for (int i = 0; i < file->n && f->svg; i++) {
        char path[4096];
        const int n = snprintf(path, sizeof path, "%s-%05d.svg", f->output, i + 1);
        REQUIRE(n > 0 && n < (int)sizeof path, ERR_USAGE, "%s: the path is too long", f->output);
        TRY(attention_svg(path, &file->example[i], f->links));
    }
    return OK;
}

/* Where people know what decides, how often the highest weight lies there; entropies and alignment errors. */
static Status print_tables(const AttentionFile *file, AttentionReadout links)
{
    Buffer text = {0};
    Hits hits = {0};
    for (int i = 0; i < file->n; i++) hits_add(&hits, &file->example[i]);
    Status st = hits_say(&hits, &text);
    if (st == OK) st = attention_table(file->n, file->example, links, &text);
    if (st == OK && text.size > 0) terminal_print("%s", text.data);
    buffer_close(&text);
    return st;
}

static Status write_all(const Files *f, const AttentionFile *file, const Buffer *links)
{
    const char *saved = arena_format(f->run, "%s.h5", f->output), *page = arena_format(f->run, "%s.html", f->output);
    REQUIRE(saved && page, ERR_HOST, "%s", status_message());
    TRY(attention_save(saved, file->program, file->model, file->n, file->example));
    const AttentionPage p = {.title = "Attention", .n_files = 1, .file = file, .links = f->links};
    TRY(attention_page(page, &p));
    TRY(write_pictures(f, file));
    if (f->pharaoh) TRY(file_write(f->pharaoh, links->data ? links->data : "", links->size));
    log_info("%d inputs: %s and %s", file->n, saved, page);
    return OK;
}

static Status write_files(const Files *f, const AttentionFile *file)
{
    Buffer links = {0};
    for (int i = 0; i < file->n && f->svg; i++)
        REQUIRE(attention_has_picture(&file->example[i]), ERR_USAGE,
                "--svg: the model %s has no attention that is a picture", file->model);
    Status st = links_text(f, file, &links); /* before anything is written: it may not be possible */
    if (st == OK) st = write_all(f, file, &links);
    buffer_close(&links);
    TRY(st);
    return print_tables(file, f->links);
}

/* "runs/luong.h5" is luong. */
static const char *label_of(Arena *run, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    return arena_format(run, "%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);
}

static Status join_files(const Files *f, int n, const char *const *path, AttentionFile *file)
{
    const char *page = arena_format(f->run, "%s.html", f->output);
    REQUIRE(!f->pharaoh && !f->svg, ERR_USAGE, "%s: only with a configuration", f->svg ? "--svg" : "--pharaoh");
    REQUIRE(page, ERR_HOST, "%s", status_message());
    for (int i = 0; i < n; i++) {
        TRY(attention_read(&file[i], path[i], f->run));
        file[i].label = label_of(f->run, path[i]);
        REQUIRE(file[i].label, ERR_HOST, "%s", status_message());
    }
    const AttentionPage p = {.title = "Attention", .n_files = n, .file = file, .links = f->links};
    TRY(attention_page(page, &p));
    for (int i = 0; i < n; i++) {
        terminal_print("%1s\n", file[i].label);
        TRY(print_tables(&file[i], f->links));
    }
    log_info("%d files: %s", n, page);
    return OK;
}

/* --- The two forms --- */

/* split: NULL when the inputs are lines */
static Status attend(Command *c, Attend *a, const char *split)
{
    a->look = (Look){.s = &a->s, .keep = &a->keep};
    TRY(command_number(c, "--inputs", 1, INPUTS_MOST, 20, &a->most));
    TRY(read_options(c, &a->files));
    TRY(read_implicit(c, &a->look.implicit));
    a->look.own = command_flag(c, "--own");
    REQUIRE(!a->look.own || a->s.model->def->generate, ERR_USAGE, "--own: the model %s makes no sequences",
            a->s.model->def->component.name);
    TRY_NEW(a->example, c->run, a->most);
    TRY(split ? look_split(&a->look, split, a->most, a->example, &a->n) : look_at_lines(a, c, c->argv[1]));
    const AttentionFile file = {
        .program = "mneme " MNEME_VERSION, .model = a->s.model->def->component.name, .n = a->n, .example = a->example};
    return comm_agree(c->comm, comm_rank(c->comm) == 0 ? write_files(&a->files, &file) : OK);
}

static Status attend_model(Command *c)
{
    Attend a = {0};
    const char *named = command_value(c, "--split"), *checkpoint = NULL;
    const char *split = c->argc > 1 ? NULL : named ? named : "test";
    REQUIRE(c->argc <= 2, ERR_USAGE, "usage: mneme attend CONFIG [FILE] (%d words were given)", c->argc);
    REQUIRE(!named || split, ERR_USAGE, "--split %s: the inputs are those of FILE %s", named, c->argv[1]);
    Status st = trained_open(c, &a.s, split, &checkpoint);
    if (st == OK) st = attend(c, &a, split);
    session_close(&a.s);
    arena_close(&a.keep);
    return st;
}

static Status attend_saved(Command *c)
{
    static const char *const not_here[] = {"--split", "--inputs", "--implicit", "--own", "--checkpoint"};
    Files f = {0};
    AttentionFile file[FILES_MOST];
    for (size_t i = 0; i < COUNT(not_here); i++)
        REQUIRE(!command_value(c, not_here[i]), ERR_USAGE, "%s: what was looked at stands in the files of attention",
                not_here[i]);
    TRY(read_options(c, &f));
    return comm_agree(c->comm, comm_rank(c->comm) == 0 ? join_files(&f, c->argc, c->argv, file) : OK);
}

static Status run(Command *c)
{
    const size_t n = strlen(c->argv[0]);
    return n > 3 && strcmp(c->argv[0] + n - 3, ".h5") == 0 ? attend_saved(c) : attend_model(c);
}

static const char *implicit_name(int i) { return attention_measure_name(ATTENTION_WEIGHT + 1 + i); }

static const CommandOption options[] = {
    {"--split", "NAME", trained_split, "Without a FILE: the first inputs of this split (test)."},
    {"--inputs", "N", NULL, "How many inputs at most (20)."},
    {"--output", "PATH", NULL, "PATH.h5 and PATH.html are written (attention)."},
    {"--implicit", "MEASURE", implicit_name,
     "Also what the output hangs on by its gradient: jacobian is its norm; for models without attention too."},
    {"--own", NULL, NULL, "Pairs: with the model's own output as target, also where there is another."},
    {"--links", "HOW", NULL,
     "Pairs: link each target word to the source word of most weight (max), or to all of at least that weight (max)."},
    {"--pharaoh", "FILE", NULL, "Pairs: write the links of the first attention as lines of i-j."},
    {"--svg", NULL, NULL, "Write the pictures of each input (matrices, arcs, grids) as PATH-00001.svg and so on."},
    TRAINED_OPTION,
};

const CommandDef command_attend = {
    .doc = {.name = "attend",
            .arguments = "CONFIG [FILE] | FILE.h5 ...",
            .help = "Show what the model looks at in each line of FILE (- for standard input), or in a split; or put "
                    "saved files of several models side by side on one page. A line for a model of pairs is SOURCE TAB "
                    "TARGET, or a JSON object with source and target; without target, the model's own is taken.",
            .options = options,
            .n_options = COUNT(options)},
    .min_words = 1,
    .max_words = FILES_MOST,
    .sets = true,
    .run = run,
};
