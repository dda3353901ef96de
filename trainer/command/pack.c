/* pack.c - `mneme pack CONFIG`: text into vocabularies and shards. */
#include "io/corpus/pack.h"

#include <stdio.h>

#include "comm/log.h"
#include "io/corpus/corpus.h"
#include "io/text/segment.h"
#include "trainer/command/command.h"
#include "trainer/command/installed.h"
#include "trainer/session/session.h"

static const char *const splits[PACK_SPLITS] = {"train", "valid", "test"};

/* 8-15 ▁ 4 %  16-31 █ 60 % ...: examples by their words */
static Status say_lengths(const int64_t n[PACK_LENGTHS], Buffer *out)
{
    static const char *const bar[] = {"\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"};
    int64_t all = 0, most = 1;
    for (int i = 0; i < PACK_LENGTHS; i++) {
        all += n[i];
        most = n[i] > most ? n[i] : most;
    }
    for (int i = 0; i < PACK_LENGTHS; i++) {
        const long long low = i > 0 ? 1LL << (i - 1) : 0, high = i > 0 ? (1LL << i) - 1 : 0;
        char range[48];
        snprintf(range, sizeof range, low == high ? "%lld" : "%lld-%lld", low, high);
        if (n[i] > 0)
            TRY(buffer_say(out, "  %s %s %.3g %%", range, bar[7 * n[i] / most], 100 * (double)n[i] / (double)all));
    }
    return OK;
}

static Status say_words(const Corpus *corpus, const DataField *f, const PackWords *w, Buffer *out)
{
    out->size = 0;
    const char *before = "; unknown:";
    TRY(buffer_say(out, "%s: a vocabulary of %lld words", f->name,
                   (long long)vocab_size(corpus_vocab(corpus, f->vocab))));
    for (int s = 0; s < PACK_SPLITS; s++) {
        if (w->words[s] == 0) continue;
        TRY(buffer_say(out, "%s %s %.3g %%", before, splits[s], 100 * (double)w->unknown[s] / (double)w->words[s]));
        before = ",";
    }
    log_info("%s", out->data);
    out->size = 0;
    TRY(buffer_say(out, "%s: words of an example:", f->name));
    TRY(say_lengths(w->lengths, out));
    log_info("%s", out->data);
    return OK;
}

static Status describe_fields(const Corpus *corpus, const PackReport *report)
{
    Buffer text = {0};
    Status st = OK;
    const DataField *field;
    const int n = corpus_fields(corpus, &field);
    for (int f = 0; f < n && st == OK; f++) {
        const PackWords *w = &report->field[f];
        if (w->words[0] + w->words[1] + w->words[2] > 0) st = say_words(corpus, &field[f], w, &text);
    }
    buffer_close(&text);
    return st;
}

static Status describe(Command *c, const Corpus *corpus, const char *folder, const PackReport *report)
{
    if (comm_rank(c->comm) != 0) return OK;
    for (int i = 0; i < PACK_SPLITS; i++)
        log_info("%s: %lld examples in %s", folder, (long long)corpus_examples(corpus, splits[i]), splits[i]);
    TRY(describe_fields(corpus, report));
    if (report->skipped > 0)
        log_warn("%s: %lld records without words were left out", folder, (long long)report->skipped);
    for (int i = 0; i < PACK_REASONS && report->reason[i]; i++)
        if (report->left_out[i] > 0)
            log_warn("%s: %lld pairs left out: %s; the first is %s", folder, (long long)report->left_out[i],
                     report->reason[i], report->first[i]);
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
    TRY(installed_spare(c, "data.corpus", data->corpus));
    TRY(corpus_pack(c->comm, &source, config_section(config, "pack"), data->corpus, command_flag(c, "--replace"),
                    &report));
    Corpus *corpus = NULL;
    TRY(corpus_open(&corpus, c->run, c->comm, data->corpus, false));
    const Status st = describe(c, corpus, data->corpus, &report);
    corpus_close(corpus);
    return comm_agree(c->comm, st);
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
