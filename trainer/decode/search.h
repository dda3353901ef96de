/* search.h - inside of trainer/decode: hypotheses of many examples, step by step.
 *
 * A step: the model makes logits for all rows (the live hypotheses, those of an example side by side); a chooser names
 * the candidates of each example, best first; a candidate that is the end closes its hypothesis, the others are the
 * rows of the next step. Examples without rows are out of the batch: the model does no work for
 * them. Of equal candidates the one with the lower word stands first, then the one whose parent stood first.
 *
 * When a search ends. With stop: beam (as in GroundHog, Nematus, Marian) each output leaves the beam narrower by one,
 * so that work falls while outputs come, and nothing is left when there are as many as the beam was wide. With stop:
 * bound the beam stays as wide. Either way a live hypothesis is dropped once its log p, which only falls, divided by
 * the length penalty of the longest output allowed, which none exceeds, is no better than the worst output that is
 * kept: no continuation of it can be one of the outputs, so that dropping it loses nothing. */
#ifndef TRAINER_DECODE_SEARCH_H
#define TRAINER_DECODE_SEARCH_H
#include "trainer/decode/decode.h"
#include "trainer/decode/top.h"

typedef struct Candidate {
    double total, log_p; /* of the whole, and of its last word */
    int32_t word, row;   /* row: its parent among the rows of this step */
    bool cut;            /* an end that is forced */
} Candidate;

/* The rows of one step, for the model and for tracing back. */
typedef struct SearchStep {
    int64_t rows;
    int32_t *sentence, *parent, *word; /* as in GenerateStep */
    int32_t *origin;                   /* which of the example's first rows it comes from */
    int32_t *look;                     /* where the step before looked when it made the word; -1: unknown */
    double *log_p, *total;             /* of the word; of all words so far */
    real **attended;                   /* each (source): sum of weights so far; NULL: not needed */
} SearchStep;

typedef struct SearchSentence {
    int64_t source, most; /* length of what the model reads; words that an output may have */
    int64_t first, rows;  /* its rows of this step */
    int64_t width;        /* hypotheses that may still be followed */
    double divisor;       /* the length penalty of the longest output: no live hypothesis can have a larger one */
    GenerateWords given;
    DecodeOutput *out;
} SearchSentence;

typedef struct Search {
    Model *m;
    const DecodeSettings *set;
    const DecodeRequest *request;
    Arena *arena;
    int64_t n, words, step; /* examples; V; the step */
    int64_t longest;        /* most words of an output of any example */
    int64_t kept;           /* outputs of an example */
    SearchSentence *sentence;
    SearchStep *history; /* (longest + 2) [t]: the rows of step t */
    GenerateOut out;
    Generation made; /* by the model */
    bool sample;
    bool narrows; /* an output that ended leaves the beam narrower */
    int64_t n_candidates;
    Candidate *candidate; /* of one example */
    int64_t n_top;
    Top *top;       /* of one row */
    real *block;    /* maxima of a row */
    int32_t *trace; /* (longest + 1) words of one hypothesis */
} Search;

typedef Status SearchChoose(Search *s, SearchSentence *x);

/* Names the candidates of an example in s->candidate, s->n_candidates, best first. */
SearchChoose choose_beam, choose_sample, choose_given;

/* The words of a row's hypothesis, s->step of them. */
void finish_trace(const Search *s, int64_t row, int32_t *word);

/* --- finish.c: hypotheses that are closed. --- */
/* c is the end of its row's hypothesis: into the outputs, if it is one of the best. */
NODISCARD Status finish_close(Search *s, SearchSentence *x, const Candidate *c);
/* Can a hypothesis of that total still become one of the outputs? */
bool finish_hopeful(const Search *s, const SearchSentence *x, double total);

#endif
