/* settings.c - the rows of section `decode`. */
#include <math.h>

#include "trainer/decode/decode.h"

static const char *search_name(int i) { return (const char *const[]){"beam", "sample", NULL}[i]; }
static const char *penalty_name(int i) { return (const char *const[]){"gnmt", "average", "none", NULL}[i]; }
static const char *stop_name(int i) { return (const char *const[]){"beam", "bound", NULL}[i]; }
static const char *unknown_name(int i) { return (const char *const[]){"keep", "replace", "forbid", NULL}[i]; }

/* None of them changes a training. */
#define ROW(member, ...) FIELD(DecodeSettings, member, .effect = EFFECT_EXTENT, __VA_ARGS__)

static const Field fields[] = {
    ROW(search, .preset = "beam", .choice = search_name,
        .help = "beam: the likeliest sequence that a beam search finds; sample: nbest sequences drawn at random."),
    ROW(beam, .preset = "5", .min = 1, .max = 100000, .unit = "hypotheses",
        .help = "Hypotheses of a sentence that are followed side by side; 1: greedy."),
    ROW(nbest, .preset = "1", .min = 1, .max = 100000, .help = "Outputs of a sentence, best first."),
    ROW(batch, .preset = "64", .min = 1, .max = 100000, .unit = "sentences",
        .help = "Sentences that are decoded together; changes no result."),
    ROW(length_penalty, .preset = "gnmt", .choice = penalty_name,
        .help = "What log p of an output of n words and end is divided by: gnmt ((5 + n) / 6)^alpha, average n^alpha."),
    ROW(alpha, .preset = "0.6", .min = 0, .max = 10, .help = "Exponent of the length penalty."),
    ROW(coverage, .preset = "0", .min = 0, .max = 100,
        .help = "Weight of the coverage penalty: sum of log min(1, attention that a source word got); 0: none."),
    ROW(stop, .preset = "beam", .choice = stop_name,
        .help =
            "beam: each hypothesis that ends leaves the beam narrower, until none is left; bound: the beam stays as "
            "wide until no hypothesis can become better than the outputs that ended."),
    ROW(prune, .preset = "0", .min = 0, .max = 1000,
        .help = "A hypothesis whose log p is less than the best of its step by more than this is dropped; 0: none."),
    ROW(block, .preset = "0", .max = 100, .unit = "words",
        .help = "No run of so many words stands twice in an output; 0: no such rule."),
    ROW(min_words, .preset = "0", .max = 1e6, .unit = "words", .help = "An output does not end before."),
    ROW(max_factor, .preset = "2", .max = 1000,
        .help = "Most words of an output: max_factor times the words of its source, and max_words."),
    ROW(max_words, .preset = "10", .max = 1e6, .unit = "words", .help = "See max_factor."),
    ROW(max_source, .preset = "1000", .max = 1e6, .unit = "words",
        .help = "A line of more words is refused; 0: none is."),
    ROW(unknown, .preset = "keep", .choice = unknown_name,
        .help = "The unknown word: keep, replace by the source word most attended (dictionary), or forbid."),
    ROW(dictionary, .preset = "\"\"", .is_file = true,
        .help = "File of lines source<TAB>target: what replaces an unknown word where the source word is in it."),
    ROW(temperature, .preset = "1", .min = 1e-3, .max = 1000, .help = "Logits are divided by it before a draw."),
    ROW(top, .preset = "0", .max = 1e7, .unit = "words",
        .help = "Draws are made among so many words, the likeliest; 0: all."),
};

const Section decode_section = {
    .name = "decode", .help = "How sequences are made from a trained model.", ROWS(fields, DecodeSettings)};

void decode_check(const Config *c, ConfigFaults *faults)
{
    const DecodeSettings *d = config_section(c, "decode");
    if (d->search == DECODE_BEAM && d->nbest > d->beam)
        config_fault(faults, "decode", "nbest", "nbest is %lld, but a beam of %lld has no more than %lld outputs",
                     (long long)d->nbest, (long long)d->beam, (long long)d->beam);
    if (d->dictionary[0] && d->unknown != DECODE_REPLACE)
        config_fault(faults, "decode", "dictionary", "a dictionary is used with unknown: replace only");
    if (d->search == DECODE_BEAM && d->temperature != 1)
        config_fault(faults, "decode", "temperature", "a temperature is for draws: search is beam, and draws nothing");
    if (d->search == DECODE_BEAM && d->top != 0)
        config_fault(faults, "decode", "top", "top limits draws: search is beam, and draws nothing");
    if (d->max_factor == 0 && d->max_words == 0)
        config_fault(faults, "decode", "max_words", "max_factor and max_words are both 0: no output could have a word");
}

double decode_length_penalty(const DecodeSettings *set, int64_t n)
{
    if (set->length_penalty == DECODE_GNMT) return pow((5.0 + (double)n) / 6.0, set->alpha);
    if (set->length_penalty == DECODE_AVERAGE) return pow((double)(n > 0 ? n : 1), set->alpha);
    return 1;
}

double decode_coverage_penalty(double beta, int64_t n, const real *attended)
{
    const double least = 1e-4;
    double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += log(fmin(1, fmax(least, (double)attended[j])));
    return beta * sum;
}
