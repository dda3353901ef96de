/* pack.c - `mneme pack CONFIG`: text into vocabularies and shards. */
#include "io/corpus/pack.h"

#include "comm/log.h"
#include "io/corpus/corpus.h"
#include "io/text/segment.h"
#include "trainer/command/command.h"
#include "trainer/session/session.h"

static Status describe(Command *c, const char *folder, const PackReport *report)
{
    Corpus *corpus = NULL;
    TRY(corpus_open(&corpus, c->run, c->comm, folder, false));
    static const char *const splits[] = {"train", "valid", "test"};
    if (comm_rank(c->comm) == 0) {
        for (int i = 0; i < COUNT(splits); i++)
            log_info("%s: %lld examples in %s", folder, (long long)corpus_examples(corpus, splits[i]), splits[i]);
        if (report->skipped > 0)
            log_warn("%s: %lld records without words were left out", folder, (long long)report->skipped);
        for (int i = 0; i < PACK_REASONS && report->reason[i]; i++)
            if (report->left_out[i] > 0)
                log_warn("%s: %lld pairs left out: %s; the first is %s", folder, (long long)report->left_out[i],
                         report->reason[i], report->first[i]);
    }
    corpus_close(corpus);
    return OK;
}

static Status run(Command *c)
{
    Config *config;
    TRY(command_read(c, &config));
    static const char *const needed[] = {"source", "data"};
    TRY(session_require(config, COUNT(needed), needed));
    const DataSettings *data = config_section(config, "data");
    const PackSource source = {config_choice(config, "source"), config_component(config, "source"),
                               config_section(config, "text"), config_section(config, "subwords")};
    PackReport report = {0};
    TRY(corpus_pack(c->comm, &source, config_section(config, "pack"), data->corpus, command_flag(c, "--replace"),
                    &report));
    return describe(c, data->corpus, &report);
}

static const CommandOption options[] = {
    {"--replace", NULL, NULL, "Replace a corpus that is already in the folder."},
};

const CommandDef command_pack = {
    .doc = {.name = "pack",
            .arguments = "CONFIG",
            .help =
                "Make the corpus data.corpus from the source; the same files, byte for byte, on any number of ranks.",
            .options = options,
            .n_options = COUNT(options)},
    .min_words = 1,
    .max_words = 1,
    .sets = true,
    .run = run,
};
