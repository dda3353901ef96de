/* manual.c - --help, the man page, the Markdown reference and completion for bash. */
#include "io/config/manual.h"

#include <string.h>

#include "io/format/markup.h"

enum { WIDTH = 26, NARROWEST = 24 }; /* of the left column of --help; of a text beside it */

static const Status statuses[] = {OK,           ERR_CHECK, ERR_USAGE, ERR_DATA, ERR_INPUT, ERR_HOST,
                                  ERR_INTERNAL, ERR_IO,    STOPPED,   ERR_COMM, ERR_CONFIG};

static const char environment[] =
    "Each key of the configuration can be given as a variable MNEME_SECTION_KEY, in capitals: MNEME_OPTIM_NAME=sgd; "
    "of a key inside groups and parts all of the path: model.attention.score is MNEME_MODEL_ATTENTION_SCORE. "
    "What --set says wins over the environment, the environment over the file, the file over those that it includes, "
    "and those over the presets.";

const CommandDoc *manual_find(const Manual *m, const char *name)
{
    for (int i = 0; i < m->n_commands; i++)
        if (strcmp(m->commands[i].name, name) == 0) return &m->commands[i];
    return NULL;
}

static bool takes_file(const CommandOption *o) { return o->argument && strcmp(o->argument, "FILE") == 0; }

/* What an option means, and the values that it can have. Valid until the next call. */
static Status meaning(const CommandOption *o, Buffer *scratch, const char **text)
{
    scratch->size = 0;
    TRY(buffer_text(scratch, o->help));
    const bool closed = o->choice && !takes_file(o);
    for (int i = 0; closed && o->choice(i); i++)
        TRY(buffer_format(scratch, "%s %s", i ? "," : " One of", o->choice(i)));
    if (closed) TRY(buffer_text(scratch, "."));
    *text = scratch->data;
    return OK;
}

/* Of each option by `row`. */
typedef Status OptionRow(Buffer *out, const CommandOption *o, const char *text);
static Status each_option(Buffer *out, const CommandOption *options, int n, OptionRow *row)
{
    Buffer scratch = {0};
    Status st = OK;
    for (int i = 0; i < n && st == OK; i++) {
        const char *text = "";
        st = meaning(&options[i], &scratch, &text);
        if (st == OK) st = row(out, &options[i], text);
    }
    buffer_close(&scratch);
    return st;
}

/* --- Plain text --- */

/* text and a line's end, its lines broken between words where they would pass column `width`; those behind the first
 * begin at column `indent`, where the first stands already. */
static Status help_text(Buffer *out, int indent, int width, const char *text)
{
    const size_t room = width > indent + NARROWEST ? (size_t)(width - indent) : NARROWEST;
    for (;;) {
        size_t size = strlen(text), end = 0;
        for (size_t at = 0; size > room && at < size && (at <= room || end == 0); at++)
            if (text[at] == ' ') end = at;
        if (size > room && end > 0) size = end;
        TRY(buffer_append(out, text, size));
        TRY(buffer_text(out, "\n"));
        text += size + strspn(text + size, " ");
        if (!*text) return OK;
        TRY(buffer_format(out, "%*s", indent, ""));
    }
}

static Status help_row(Buffer *out, int width, const char *left, const char *argument, const char *help)
{
    const bool two = argument && *argument;
    const size_t size = strlen(left) + (two ? 1 + strlen(argument) : 0);
    TRY(buffer_format(out, "  %s%s%s", left, two ? " " : "", two ? argument : ""));
    TRY(size < WIDTH ? buffer_format(out, "%*s", (int)(WIDTH - size), "") : buffer_format(out, "\n  %*s", WIDTH, ""));
    return help_text(out, WIDTH + 2, width, help);
}

static Status help_options(Buffer *out, int width, const CommandOption *options, int n)
{
    Buffer scratch = {0};
    Status st = OK;
    for (int i = 0; i < n && st == OK; i++) {
        const char *text = "";
        st = meaning(&options[i], &scratch, &text);
        if (st == OK) st = help_row(out, width, options[i].name, options[i].argument, text);
    }
    buffer_close(&scratch);
    return st;
}

static Status help_command(const Manual *m, const CommandDoc *c, int width, Buffer *out)
{
    TRY(buffer_format(out, "usage: %s %s%s%s [options]\n\n", m->program, c->name, *c->arguments ? " " : "",
                      c->arguments));
    TRY(help_text(out, 0, width, c->help));
    if (c->details) TRY(help_text(out, 0, width, c->details));
    TRY(buffer_text(out, "\noptions:\n"));
    TRY(help_options(out, width, c->options, c->n_options));
    TRY(help_options(out, width, m->options, m->n_options));
    if (c->example) TRY(buffer_text(out, "\nexamples:\n"));
    for (int i = 0; c->example && c->example[i]; i++) TRY(buffer_format(out, "  %s\n", c->example[i]));
    return OK;
}

Status manual_help(const Manual *m, const CommandDoc *command, int width, Buffer *out)
{
    if (command) return help_command(m, command, width, out);
    TRY(buffer_format(out, "usage: %s COMMAND [arguments] [options]\n\n", m->program));
    TRY(help_text(out, 0, width, m->help));
    if (m->details) TRY(help_text(out, 0, width, m->details));
    TRY(buffer_text(out, "\ncommands:\n"));
    for (int i = 0; i < m->n_commands; i++)
        TRY(help_row(out, width, m->commands[i].name, m->commands[i].arguments, m->commands[i].help));
    TRY(buffer_text(out, "\noptions of every command:\n"));
    TRY(help_options(out, width, m->options, m->n_options));
    return buffer_format(out, "\n%s COMMAND --help says more about a command.\n", m->program);
}

/* --- roff --- */

static Status roff_option(Buffer *out, const CommandOption *o, const char *text)
{
    TRY(buffer_text(out, ".TP\n\\fB"));
    TRY(markup_roff(out, o->name));
    TRY(buffer_text(out, "\\fR"));
    if (o->argument) {
        TRY(buffer_text(out, " \\fI"));
        TRY(markup_roff(out, o->argument));
        TRY(buffer_text(out, "\\fR"));
    }
    TRY(buffer_text(out, "\n"));
    TRY(markup_roff(out, text));
    return buffer_text(out, "\n");
}

static Status roff_options(Buffer *out, const CommandOption *options, int n)
{
    return each_option(out, options, n, roff_option);
}

static Status roff_paragraph(Buffer *out, const char *text)
{
    if (!text) return OK;
    TRY(buffer_text(out, ".PP\n"));
    TRY(markup_roff(out, text));
    return buffer_text(out, "\n");
}

static Status roff_command(const Manual *m, const CommandDoc *c, Buffer *out)
{
    TRY(buffer_format(out, ".SS %s ", m->program));
    TRY(markup_roff(out, c->name));
    TRY(buffer_text(out, " "));
    TRY(markup_roff(out, c->arguments));
    TRY(buffer_text(out, "\n"));
    TRY(markup_roff(out, c->help));
    TRY(buffer_text(out, "\n"));
    TRY(roff_paragraph(out, c->details));
    TRY(roff_options(out, c->options, c->n_options));
    for (int i = 0; c->example && c->example[i]; i++) {
        TRY(buffer_text(out, ".PP\n.nf\n    "));
        TRY(markup_roff(out, c->example[i]));
        TRY(buffer_text(out, "\n.fi\n"));
    }
    return OK;
}

static Status roff_statuses(Buffer *out)
{
    TRY(buffer_text(out, ".SH EXIT STATUS\n"));
    for (int i = 0; i < COUNT(statuses); i++)
        TRY(buffer_format(out, ".TP\n.B %d\n%s\n", (int)statuses[i], status_name(statuses[i])));
    return OK;
}

Status manual_roff(const Manual *m, Buffer *out)
{
    TRY(buffer_format(out, ".TH %s 1 \"\" \"%s %s\"\n.SH NAME\n%s \\- ", m->program, m->program, m->version,
                      m->program));
    TRY(markup_roff(out, m->help));
    TRY(buffer_format(out, "\n.SH SYNOPSIS\n.B %s\n.I COMMAND\n[arguments] [options]\n.SH DESCRIPTION\n", m->program));
    TRY(markup_roff(out, m->details ? m->details : m->help));
    TRY(buffer_text(out, "\n.SH COMMANDS\n"));
    for (int i = 0; i < m->n_commands; i++) TRY(roff_command(m, &m->commands[i], out));
    TRY(buffer_text(out, ".SH OPTIONS OF EVERY COMMAND\n"));
    TRY(roff_options(out, m->options, m->n_options));
    TRY(buffer_text(out, ".SH CONFIGURATION\n"));
    TRY(config_reference(m->config, CONFIG_ROFF, out));
    TRY(buffer_text(out, ".SH ENVIRONMENT\n"));
    TRY(markup_roff(out, environment));
    TRY(buffer_text(out, "\n"));
    return roff_statuses(out);
}

/* --- Markdown --- */

static Status markdown_option(Buffer *out, const CommandOption *o, const char *text)
{
    TRY(buffer_format(out, "| `%s%s%s` | ", o->name, o->argument ? " " : "", o->argument ? o->argument : ""));
    TRY(markup_markdown(out, text));
    return buffer_text(out, " |\n");
}

static Status markdown_options(Buffer *out, const CommandOption *options, int n)
{
    if (n) TRY(buffer_text(out, "| option | meaning |\n|---|---|\n"));
    TRY(each_option(out, options, n, markdown_option));
    return n ? buffer_text(out, "\n") : OK;
}

static Status markdown_command(const Manual *m, const CommandDoc *c, Buffer *out)
{
    TRY(buffer_format(out, "### `%s %s%s%s`\n\n", m->program, c->name, *c->arguments ? " " : "", c->arguments));
    TRY(markup_markdown(out, c->help));
    TRY(buffer_text(out, "\n\n"));
    if (c->details) {
        TRY(markup_markdown(out, c->details));
        TRY(buffer_text(out, "\n\n"));
    }
    TRY(markdown_options(out, c->options, c->n_options));
    for (int i = 0; c->example && c->example[i]; i++) TRY(buffer_format(out, "    %s\n", c->example[i]));
    return c->example ? buffer_text(out, "\n") : OK;
}

Status manual_markdown(const Manual *m, Buffer *out)
{
    TRY(buffer_format(out, "# %s %s: reference\n\n", m->program, m->version));
    TRY(markup_markdown(out, m->details ? m->details : m->help));
    TRY(buffer_text(out, "\n\n## Commands\n\n"));
    for (int i = 0; i < m->n_commands; i++) TRY(markdown_command(m, &m->commands[i], out));
    TRY(buffer_text(out, "### Options of every command\n\n"));
    TRY(markdown_options(out, m->options, m->n_options));
    TRY(buffer_text(out, "## Exit status\n\n| status | meaning |\n|---|---|\n"));
    for (int i = 0; i < COUNT(statuses); i++)
        TRY(buffer_format(out, "| %d | %s |\n", (int)statuses[i], status_name(statuses[i])));
    TRY(buffer_text(out, "\n## Configuration\n\n"));
    TRY(markup_markdown(out, environment));
    TRY(buffer_text(out, "\n\n"));
    return config_reference(m->config, CONFIG_MARKDOWN, out);
}

/* --- bash: commands, their options, the keys after --set and their values, file names --- */

static Status put_options(Buffer *out, const CommandOption *options, int n)
{
    for (int i = 0; i < n; i++) TRY(buffer_format(out, " %s", options[i].name));
    return OK;
}

/* COMMAND) options="--a --b" ;; */
static Status put_commands(const Manual *m, Buffer *out)
{
    for (int i = 0; i < m->n_commands; i++) {
        TRY(buffer_format(out, "    %s) options=\"", m->commands[i].name));
        TRY(put_options(out, m->commands[i].options, m->commands[i].n_options));
        TRY(put_options(out, m->options, m->n_options));
        TRY(buffer_text(out, "\" ;;\n"));
    }
    return OK;
}

static Status put_words(Buffer *out, const char *(*choice)(int i))
{
    TRY(buffer_text(out, ") words=\""));
    for (int i = 0; choice(i); i++) TRY(buffer_format(out, "%s%s", i ? " " : "", choice(i)));
    return buffer_text(out, "\"");
}

/* The values that an option can take: "command:--option) words= ;;" */
static Status put_values_of(Buffer *out, const char *command, const CommandOption *options, int n)
{
    for (int i = 0; i < n; i++) {
        const bool key = options[i].argument && strcmp(options[i].argument, "KEY") == 0;
        if (key) TRY(buffer_format(out, "    %s:%s) words=\"$keys\" ;;\n", command, options[i].name));
        if (!options[i].choice) continue;
        TRY(buffer_format(out, "    %s:%s", command, options[i].name));
        TRY(put_words(out, options[i].choice));
        TRY(buffer_text(out, takes_file(&options[i]) ? " files=1 ;;\n" : " ;;\n"));
    }
    return OK;
}

/* What the word behind the command can be. */
static Status put_firsts(const Manual *m, Buffer *out)
{
    TRY(buffer_text(
        out, "    if [ \"$COMP_CWORD\" -eq 2 ] && [ \"${cur:0:1}\" != \"-\" ]; then\n    case \"$command\" in\n"));
    for (int i = 0; i < m->n_commands; i++) {
        if (!m->commands[i].first) continue;
        TRY(buffer_format(out, "    %s", m->commands[i].name));
        TRY(put_words(out, m->commands[i].first));
        TRY(buffer_text(out, " ;;\n"));
    }
    TRY(buffer_text(out, "    help) words=\""));
    for (int i = 0; i < m->n_commands; i++) TRY(buffer_format(out, "%s%s", i ? " " : "", m->commands[i].name));
    return buffer_text(out, "\" ;;\n    *) ;;\n    esac\n    fi\n");
}

/* "model.name: han memn2n" becomes a line of a case. */
static Status put_key_values(Buffer *out, const char *lines)
{
    for (const char *line = lines; *line;) {
        const char *colon = strchr(line, ':'), *end = strchr(line, '\n');
        TRY(buffer_format(out, "    %.*s) words=\"%.*s\" ;;\n", (int)(colon - line), line, (int)(end - colon - 2),
                          colon + 2));
        line = end + 1;
    }
    return OK;
}

static Status put_head(const Manual *m, const char *keys, Buffer *out)
{
    TRY(buffer_format(out, "# bash completion for %s: source this file, or put it into bash-completion's folder.\n",
                      m->program));
    TRY(buffer_format(out, "_%s()\n{\n", m->program));
    TRY(buffer_text(
        out, "    local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
             "    local command=\"${COMP_WORDS[1]}\" options words= files= key=\n    COMPREPLY=()\n    local keys=\""));
    for (const char *c = keys; *c; c++) TRY(buffer_append(out, *c == '\n' ? " " : c, 1));
    TRY(buffer_text(out, "\"\n"));
    TRY(buffer_text(out, "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W \""));
    for (int i = 0; i < m->n_commands; i++) TRY(buffer_format(out, "%s%s", i ? " " : "", m->commands[i].name));
    TRY(buffer_text(out, "\" -- \"$cur\"))\n        return\n    fi\n    case \"$command\" in\n"));
    TRY(put_commands(m, out));
    TRY(buffer_text(out, "    *) options= ;;\n    esac\n"));
    TRY(buffer_text(out, "    case \"$command:$prev\" in\n"));
    for (int i = 0; i < m->n_commands; i++) {
        TRY(put_values_of(out, m->commands[i].name, m->commands[i].options, m->commands[i].n_options));
        TRY(put_values_of(out, m->commands[i].name, m->options, m->n_options));
    }
    TRY(buffer_text(out, "    *) ;;\n    esac\n"));
    return put_firsts(m, out);
}

/* bash splits words at "=": --set | model.name | = | han. */
static Status put_tail(const Manual *m, const char *choices, Buffer *out)
{
    TRY(buffer_text(out, "    if [ \"$cur\" = \"=\" ]; then key=\"$prev\" cur=\n"
                         "    elif [ \"$prev\" = \"=\" ]; then key=\"${COMP_WORDS[COMP_CWORD-2]}\"\n    fi\n"
                         "    case \"$key\" in\n"));
    TRY(put_key_values(out, choices));
    TRY(buffer_text(
        out, "    *) ;;\n    esac\n    if [ -n \"$words\" ]; then\n"
             "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
             "        if [ -n \"$files\" ]; then\n            compopt -o filenames 2>/dev/null\n"
             "            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$cur\")\n        fi\n"
             "    elif [ \"$prev\" = \"--set\" ]; then\n        compopt -o nospace 2>/dev/null\n"
             "        COMPREPLY=($(compgen -S = -W \"$keys\" -- \"$cur\"))\n    elif [ \"${cur:0:1}\" = \"-\" ]; then\n"
             "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n    else\n"
             "        compopt -o filenames 2>/dev/null\n"
             "        mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n    fi\n}\n"));
    return buffer_format(out, "complete -F _%s %s\n", m->program, m->program);
}

static Status put_script(const Manual *m, Buffer *keys, Buffer *choices, Buffer *out)
{
    TRY(config_reference(m->config, CONFIG_KEYS, keys));
    TRY(config_reference(m->config, CONFIG_CHOICES, choices));
    TRY(put_head(m, keys->data ? keys->data : "", out));
    return put_tail(m, choices->data ? choices->data : "", out);
}

Status manual_bash(const Manual *m, Buffer *out)
{
    Buffer keys = {0}, choices = {0};
    const Status st = put_script(m, &keys, &choices, out);
    buffer_close(&keys);
    buffer_close(&choices);
    return st;
}
