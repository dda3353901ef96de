/* help.c - `mneme --help`, `mneme help COMMAND`, `mneme COMMAND -h`, `mneme --version`: answered before anything else is
 * started. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "comm/terminal.h"
#include "trainer/command/command.h"

static bool is_help(const char *word) { return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0; }
static bool is_version(const char *word) { return strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0; }

/* Of the standard output, where lines are broken: COLUMNS, or what the terminal says; 80 where there is none. */
static int width(void)
{
    enum { USUAL = 80, MOST = 1000 };
    struct winsize size;
    if (!isatty(STDOUT_FILENO)) return USUAL;
    const char *columns = getenv("COLUMNS");
    const int given = columns ? atoi(columns) : 0;
    if (given > 0 && given <= MOST) return given;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : USUAL;
}

/* name: of a command, or NULL for all. */
static Status say(const char *name, Arena *arena, Buffer *text)
{
    Manual manual;
    const CommandDef *def = NULL;
    if (name) TRY(command_named(name, &def));
    TRY(command_manual(&manual, arena));
    TRY(manual_help(&manual, def ? manual_find(&manual, name) : NULL, width(), text));
    return terminal_data(text->data, text->size);
}

bool command_help(int argc, char **argv, Status *out)
{
    *out = OK;
    if (argc < 2) return false;
    if (is_version(argv[1])) {
        static const char version[] = "mneme " MNEME_VERSION "\n";
        *out = terminal_data(version, sizeof version - 1);
        return true;
    }
    bool asked = is_help(argv[1]);
    const char *name = NULL;
    if (strcmp(argv[1], "help") == 0) {
        asked = true;
        if (argc > 2 && !is_help(argv[2])) name = argv[2];
    }
    for (int i = 2; i < argc && !asked && command_find(argv[1]) && strcmp(argv[i], "--") != 0; i++)
        if (is_help(argv[i])) asked = (name = argv[1]) != NULL;
    if (!asked) return false;
    Arena arena = {0};
    Buffer text = {0};
    *out = say(name, &arena, &text);
    buffer_close(&text);
    arena_close(&arena);
    return true;
}
