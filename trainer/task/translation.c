/* translation.c - a sequence of words for a sequence of words: cross-entropy of each word, given the true words before
 * it. Whatever a corpus of sources and targets means: translations, summaries, corrections, answers. */
#include "trainer/op/op.h"
#include "trainer/task/task.h"

typedef struct Translation {
    double label_smoothing;
} Translation;

static const Field fields[] = {
    FIELD(Translation, label_smoothing, .preset = "0", .min = 0, .max = 0.9,
          .help = "Share of each target word that is spread evenly over all words."),
};

static Node *loss(Task *t, Tape *tape, const ModelOutput *out, const int32_t *target)
{
    const Translation *set = t->settings;
    const ModelTokens *k = out->tokens;
    return op_output_loss(tape, k->x, k->w, k->bias, target, set->label_smoothing, k->loss);
}

static const char *const metrics[] = {"loss", "perplexity", "tokens", "sequences", NULL};

const TaskDef task_translation = {
    .component = {"translation", "A sequence of words for each sequence: translations, summaries, corrections.",
                  "Sutskever et al. 2014", fields, COUNT(fields), sizeof(Translation)},
    .target = "target",
    .levels = 1,
    .metrics = metrics,
    .measure = "loss",
    .loss = loss,
};
