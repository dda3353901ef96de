/* init.c - `mneme init`: the templates; `mneme init NAME [FOLDER]`: one of them as files that run as they are. */
#include <string.h>

#include "comm/terminal.h"
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

static Status run(Command *c)
{
    Status st = OK;
    if (comm_rank(c->comm) == 0) st = c->argc == 0 ? list(c->run) : write_template(c);
    return comm_agree(c->comm, st);
}

const CommandDef command_init = {
    .doc = {.name = "init",
            .arguments = "[TEMPLATE [FOLDER]]",
            .help = "Write an experiment to begin with: a configuration with comments, a little data, and the commands "
                    "that run it; without a name, list the templates.",
            .details = "The files are written into FOLDER, or the folder where one is; none that is there is "
                       "overwritten."},
    .max_words = 2,
    .run = run,
};
