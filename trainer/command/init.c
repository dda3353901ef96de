/* init.c - `mneme init`: the templates; `mneme init NAME [FOLDER]`: one of them as files that run as they are; `mneme
 * init --from FILE`: the configuration that fits what the user has. */
#include <string.h>
#include <sys/stat.h>

#include "comm/terminal.h"
#include "io/file/file.h"
#include "io/import/files.h"
#include "io/import/guess.h"
#include "io/template/template.h"
#include "trainer/command/command.h"

static Status list(Arena *run)
{
    terminal_print("templates:\n");
    for (const Template *t = template_table; t->name; t++) {
        const char *help;
        TRY(template_help(t, run, &help));
        terminal_print("  %-12s %s\n", t->name, help);
    }
    terminal_print("\nmneme init NAME [FOLDER] writes one, with a little data; its commands run as they are.\n");
    return OK;
}

/* A folder as a shell takes it: in quotes unless it is harmless. */
static Status put_shell(Buffer *out, const char *word)
{
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+,:@%";
    if (*word && *word != '-' && word[strspn(word, harmless)] == '\0') return buffer_text(out, word);
    TRY(buffer_text(out, *word == '-' ? "-- '" : "'"));
    for (; *word; word++) TRY(*word == '\'' ? buffer_text(out, "'\\''") : buffer_append(out, word, 1));
    return buffer_text(out, "'");
}

static Status say(const Template *t, Arena *run, const char *folder)
{
    int n_files, n_commands;
    const TemplateFile *file;
    const char *const *command;
    TRY(template_files(t, run, &n_files, &file));
    TRY(template_commands(t, run, &n_commands, &command));
    terminal_print("%s: wrote", folder);
    enum { SHOWN = 6 };
    for (int i = 0; i < n_files && i < SHOWN; i++) terminal_print("%s %s", i ? "," : "", file[i].name);
    if (n_files > SHOWN) terminal_print(", and %d files more", n_files - SHOWN);
    terminal_print("\nThe first one is the configuration; its comments say what to change. Try it:\n");
    if (strcmp(folder, ".") != 0) {
        Buffer word = {0};
        const Status st = put_shell(&word, folder);
        if (st == OK) terminal_print("  cd %s\n", word.data);
        buffer_close(&word);
        TRY(st);
    }
    for (int i = 0; i < n_commands; i++) terminal_print("  %s\n", command[i]);
    return OK;
}

static Status write_template(const Command *c)
{
    const char *name = c->argv[0], *folder = c->argc > 1 ? c->argv[1] : ".";
    char hint[CONFIG_HINT];
    const Template *t = template_find(name);
    REQUIRE(t, ERR_USAGE, "init: there is no template %s%s", name, config_hint(hint, name, template_name));
    REQUIRE(*folder, ERR_USAGE, "init: the name of the folder is empty");
    TRY(template_write(t, c->run, folder));
    return say(t, c->run, folder);
}

/* "data/reviews.tsv.gz" gives "reviews", "reviews/" too. */
static Status stem_of(Arena *run, const char *path, const char **stem)
{
    char *whole = arena_text(run, path);
    if (!whole) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    for (size_t n = strlen(whole); n > 1 && whole[n - 1] == '/';) whole[--n] = '\0';
    char *name = arena_text(run, files_base(whole));
    if (!name) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    static const char *const ends[] = {".gz", ".xz", ".tsv", ".txt", ".csv", ".jsonl", ".json", ".ndjson"};
    for (int i = 0; i < COUNT(ends); i++) {
        const size_t size = strlen(name), end = strlen(ends[i]);
        if (size > end && strcmp(name + size - end, ends[i]) == 0) name[size - end] = '\0';
    }
    *stem = name;
    return OK;
}

/* "train.de" and "train.en" give "train"; names that begin otherwise "pairs". */
static Status stem_of_pair(Arena *run, const char *source, const char *target, const char **stem)
{
    const char *a = files_base(source), *b = files_base(target);
    size_t n = 0;
    while (a[n] && a[n] == b[n]) n++;
    while (n > 0 && strchr("._-", a[n - 1])) n--;
    *stem = n > 0 ? arena_format(run, "%.*s", (int)n, a) : "pairs";
    return *stem ? OK : status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
}

static Status say_guess(const char *from, const char *config, const char *command, const char *text)
{
    Buffer word = {0};
    terminal_print("%s: wrote from %s, as:\n\n%s\nTry it:\n", config, from, text);
    Status st = put_shell(&word, config);
    if (st == OK)
        terminal_print("  mneme pack %s\n  mneme train %s\n  mneme %s %s FILE  # a text a line\n", word.data, word.data,
                       command, word.data);
    buffer_close(&word);
    return st;
}

static Status guess_one(const Command *c, const char *from, const char *stem, Buffer *text)
{
    Guess *g;
    struct stat info;
    const char *column = command_value(c, "--text"), *label = command_value(c, "--label");
    const bool folder = stat(from, &info) == 0 && S_ISDIR(info.st_mode);
    REQUIRE(!folder || (!column && !label), ERR_USAGE, "init: --text and --label name columns; %s is a folder", from);
    TRY_NEW(g, c->run, 1);
    TRY(folder ? guess_folders(g, c->run, from) : guess_documents(g, c->run, from, column, label));
    return guess_write(g, stem, text);
}

static Status guess_two(const Command *c, const char *from, const char *target, const char *stem, Buffer *text)
{
    GuessPairs g;
    REQUIRE(!command_value(c, "--text") && !command_value(c, "--label"), ERR_USAGE,
            "init: --text and --label name columns of one file; two are given");
    TRY(guess_pairs(&g, c->run, from, target));
    return guess_pairs_write(&g, stem, text);
}

static Status write_guess(const Command *c, const char *from, Buffer *text)
{
    const char *stem = NULL, *target = c->argc > 0 ? c->argv[0] : NULL;
    TRY(target ? stem_of_pair(c->run, from, target, &stem) : stem_of(c->run, from, &stem));
    const char *config = arena_format(c->run, "%s.yaml", stem);
    if (!config) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(template_must_be_free(config));
    TRY(target ? guess_two(c, from, target, stem, text) : guess_one(c, from, stem, text));
    TRY(file_write(config, text->data, text->size));
    return say_guess(from, config, target ? "translate" : "predict", text->data);
}

static Status answer(const Command *c)
{
    const char *from = command_value(c, "--from");
    if (!from) return c->argc == 0 ? list(c->run) : write_template(c);
    int times = 0;
    for (int i = 0; i < c->n_typed; i++) times += strncmp(c->typed[i], "--from", 6) == 0;
    REQUIRE(times == 1, ERR_USAGE, "init: --from is given %d times; two files of pairs are --from SOURCE TARGET",
            times);
    REQUIRE(c->argc <= 1, ERR_USAGE, "init: --from takes one file of documents, one folder, or two files of pairs");
    Buffer text = {0};
    const Status st = write_guess(c, from, &text);
    buffer_close(&text);
    return st;
}

static const CommandOption options[] = {
    {"--from", "FILE", NULL,
     "Instead of a template, the configuration that fits FILE: labelled documents in rows of cells (CSV, TSV) or JSON "
     "lines, or a folder with one folder a class; or --from SOURCE TARGET, translations line by line."},
    {"--text", "COLUMN", NULL, "Column of the text in FILE, by name or number; else guessed."},
    {"--label", "COLUMN", NULL, "Column of the label."},
};

static Status run(Command *c)
{
    Status st = OK;
    if (comm_rank(c->comm) == 0) st = answer(c);
    return comm_agree(c->comm, st);
}

const CommandDef command_init = {
    .doc = {.name = "init",
            .arguments = "[TEMPLATE [FOLDER]]",
            .first = template_name,
            .help = "Write an experiment to begin with: a configuration with comments, a little data, and the commands "
                    "that run it; without a name, list the templates.",
            .details = "The files are written into FOLDER, or the folder where one is; none that is there is "
                       "overwritten.",
            .options = options,
            .n_options = COUNT(options)},
    .max_words = 2,
    .run = run,
};
