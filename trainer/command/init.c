/* init.c - `mneme init`: the templates; `mneme init NAME [FOLDER]`: one of them as files that run as they are; `mneme
 * init --from FILE`: the configuration that fits a file of the user's. */
#include <string.h>

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

/* "data/reviews.tsv.gz" gives "reviews". */
static Status stem_of(Arena *run, const char *path, const char **stem)
{
    char *name = arena_text(run, files_base(path));
    if (!name) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    static const char *const ends[] = {".gz", ".xz", ".tsv", ".txt", ".csv", ".jsonl", ".json", ".ndjson"};
    for (int i = 0; i < COUNT(ends); i++) {
        const size_t size = strlen(name), end = strlen(ends[i]);
        if (size > end && strcmp(name + size - end, ends[i]) == 0) name[size - end] = '\0';
    }
    *stem = name;
    return OK;
}

static Status say_guess(const Guess *g, const char *config, const char *text)
{
    Buffer word = {0};
    terminal_print("%s: wrote from %s, as:\n\n%s\nTry it:\n", config, g->path, text);
    Status st = put_shell(&word, config);
    if (st == OK)
        terminal_print("  mneme pack %s\n  mneme train %s\n  mneme predict %s FILE  # a text a line\n", word.data,
                       word.data, word.data);
    buffer_close(&word);
    return st;
}

static Status write_guess(const Command *c, const char *from, Buffer *text)
{
    Guess *g;
    const char *stem = NULL;
    TRY_NEW(g, c->run, 1);
    TRY(stem_of(c->run, from, &stem));
    const char *config = arena_format(c->run, "%s.yaml", stem);
    if (!config) return status_trace(ERR_HOST, __FILE__, __LINE__, __func__);
    TRY(template_must_be_free(config));
    TRY(guess_documents(g, c->run, from, command_value(c, "--text"), command_value(c, "--label")));
    TRY(guess_write(g, stem, text));
    TRY(file_write(config, text->data, text->size));
    return say_guess(g, config, text->data);
}

static Status answer(const Command *c)
{
    const char *from = command_value(c, "--from");
    if (!from) return c->argc == 0 ? list(c->run) : write_template(c);
    REQUIRE(c->argc == 0, ERR_USAGE, "init: --from FILE takes no template");
    Buffer text = {0};
    const Status st = write_guess(c, from, &text);
    buffer_close(&text);
    return st;
}

static const CommandOption options[] = {
    {"--from", "FILE", NULL,
     "Instead of a template, the configuration that fits FILE, labelled documents in rows of cells (CSV, TSV) or JSON "
     "lines, in the folder where one is."},
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
