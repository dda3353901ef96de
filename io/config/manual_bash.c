/* manual_bash.c - completion for bash: commands, their options, the keys after --set and their values, file names. */
#include <string.h>

#include "io/config/manual.h"

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

/* The values that an option can take: "command--option) words ;;" */
static Status put_values_of(Buffer *out, const char *command, const CommandOption *options, int n)
{
    for (int i = 0; i < n; i++) {
        if (!options[i].choice) continue;
        TRY(buffer_format(out, "    %s:%s) words=\"", command, options[i].name));
        for (int k = 0; options[i].choice(k); k++) TRY(buffer_format(out, "%s%s", k ? " " : "", options[i].choice(k)));
        TRY(buffer_text(out, "\" ;;\n"));
    }
    return OK;
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

static Status put_head(const Manual *m, Buffer *out)
{
    TRY(buffer_format(out, "# bash completion for %s: source this file, or put it into bash-completion's folder.\n",
                      m->program));
    TRY(buffer_format(out, "_%s()\n{\n", m->program));
    TRY(buffer_text(out, "    local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
                         "    local command=\"${COMP_WORDS[1]}\" options words= key=\n    COMPREPLY=()\n"));
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
    return buffer_text(out, "    *) ;;\n    esac\n");
}

/* bash splits words at "=": --set | model.name | = | han. */
static Status put_tail(const Manual *m, const char *keys, const char *choices, Buffer *out)
{
    TRY(buffer_text(out, "    if [ \"$cur\" = \"=\" ]; then key=\"$prev\" cur=\n"
                         "    elif [ \"$prev\" = \"=\" ]; then key=\"${COMP_WORDS[COMP_CWORD-2]}\"\n    fi\n"
                         "    case \"$key\" in\n"));
    TRY(put_key_values(out, choices));
    TRY(buffer_text(out, "    *) ;;\n    esac\n    if [ -n \"$words\" ]; then\n"
                         "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                         "    elif [ \"$prev\" = \"--set\" ]; then\n        compopt -o nospace 2>/dev/null\n"
                         "        COMPREPLY=($(compgen -S = -W \""));
    for (const char *c = keys; *c; c++) TRY(buffer_append(out, *c == '\n' ? " " : c, 1));
    TRY(buffer_text(out, "\" -- \"$cur\"))\n    elif [ \"${cur:0:1}\" = \"-\" ]; then\n"
                         "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n    else\n"
                         "        compopt -o filenames 2>/dev/null\n"
                         "        mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n    fi\n}\n"));
    return buffer_format(out, "complete -F _%s %s\n", m->program, m->program);
}

static Status put_script(const Manual *m, Buffer *keys, Buffer *choices, Buffer *out)
{
    TRY(config_reference(m->config, CONFIG_KEYS, keys));
    TRY(config_reference(m->config, CONFIG_CHOICES, choices));
    TRY(put_head(m, out));
    return put_tail(m, keys->data ? keys->data : "", choices->data ? choices->data : "", out);
}

Status manual_bash(const Manual *m, Buffer *out)
{
    Buffer keys = {0}, choices = {0};
    const Status st = put_script(m, &keys, &choices, out);
    buffer_close(&keys);
    buffer_close(&choices);
    return st;
}
