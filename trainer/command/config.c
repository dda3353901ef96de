/* config.c - `mneme config`: effective values and where each comes from, or the reference of all keys. */
#include "comm/terminal.h"
#include "trainer/command/command.h"

static Status print(Command *c, const Config *config)
{
    if (comm_rank(c->comm) != 0) return OK;
    Buffer text = {0};
    const char *key = command_value(c, "--explain");
    Status st = command_flag(c, "--schema") ? config_schema(&settings_table, c->run, &text)
                : key                       ? config_explain(&settings_table, config, c->run, key, &text)
                : config                    ? config_write(config, true, &text)
                                            : config_reference(&settings_table, CONFIG_MARKDOWN, &text);
    if (st == OK) st = terminal_data(text.data, text.size);
    buffer_close(&text);
    return st;
}

static Status run(Command *c)
{
    Config *config = NULL;
    if (c->argc > 0) TRY(command_read(c, &config));
    return comm_agree(c->comm, print(c, config));
}

static const CommandOption options[] = {
    {"--explain", "KEY", NULL,
     "What a setting (or a section or group) is: its values, preset and meaning; with CONFIG its value and where that "
     "comes from."},
    {"--schema", NULL, NULL, "All settings as a JSON Schema, by which editors check and complete configurations."},
};

const CommandDef command_config = {
    .doc = {.name = "config",
            .arguments = "[CONFIG]",
            .help = "Print the effective values of a configuration with their origins; without one, the reference of "
                    "all keys.",
            .options = options,
            .n_options = COUNT(options)},
    .max_words = 1,
    .sets = true,
    .run = run,
};
