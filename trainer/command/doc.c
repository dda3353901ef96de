/* doc.c - `mneme doc FORM`: man page, reference or completion, from the tables of commands and settings; attentions
 * from those of their families. */
#include <stdio.h>
#include <string.h>

#include "comm/terminal.h"
#include "trainer/attention/attend.h"
#include "trainer/command/command.h"

static const char *form(int i)
{
    static const char *const names[] = {"man", "markdown", "bash", "attention"};
    return i < COUNT(names) ? names[i] : NULL;
}

static Status write_form(const Command *c, const Manual *manual, Buffer *out)
{
    const char *name = c->argv[0];
    if (strcmp(name, "man") == 0) return manual_roff(manual, out);
    if (strcmp(name, "markdown") == 0) return manual_markdown(manual, out);
    if (strcmp(name, "bash") == 0) return manual_bash(manual, out);
    if (strcmp(name, "attention") == 0) return attend_markdown(out);
    FAIL(ERR_USAGE, "doc: there is no form %s; there are man, markdown, bash and attention", name);
}

static Status run(Command *c)
{
    Manual manual;
    Buffer text = {0};
    TRY(comm_agree(c->comm, command_manual(&manual, c->run)));
    Status st = write_form(c, &manual, &text);
    if (st == OK && comm_rank(c->comm) == 0) st = terminal_data(text.data, text.size);
    buffer_close(&text);
    return comm_agree(c->comm, st);
}

const CommandDef command_doc = {
    .doc = {.name = "doc",
            .arguments = "man|markdown|bash|attention",
            .help = "Print the man page, the reference of commands and settings, the completion for bash, or which "
                    "attentions there are.",
            .first = form},
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
