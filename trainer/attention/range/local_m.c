/* local_m.c - positions t - D .. t + D at position t: source and target are taken to run side by side (Luong 2015).
 *
 * Of the window that part counts which lies in the source. Behind its end less and less does, and from D positions
 * behind its last one on nothing: the weights and the context are then 0. With past_end hold the middle stays at the
 * last position instead, so that a query always sees something. */
#include "trainer/attention/range/range.h"

typedef enum PastEnd { PAST_CUT, PAST_HOLD } PastEnd;

typedef struct Monotonic {
    int64_t window; /* as in WindowSettings */
    PastEnd past_end;
} Monotonic;

static const char *past_name(int i) { return (const char *const[]){"cut", "hold", NULL}[i]; }

static const Field fields[] = {
    RANGE_WINDOW(Monotonic),
    FIELD(Monotonic, past_end, .preset = "cut", .choice = past_name,
          .help =
              "Behind the end of what is looked at: cut, the window goes on (Luong 2015) and is at last empty: weights "
              "and context are then 0; hold, its middle stays at the last position."),
};

static void forward(RangeRun *r, const RangeBlock *b)
{
    const int64_t D = range_window(r->range);
    const bool hold = ((const Monotonic *)r->range->settings)->past_end == PAST_HOLD;
    for (int64_t i = 0; i < b->rows; i++) {
        const int64_t S = range_keys(r, b, i), t = range_position(b, i), p = hold && t >= S ? S - 1 : t;
        const int64_t first = p > D ? p - D : 0, end = p + D < S ? p + D + 1 : S;
        b->n[i] = end > first ? end - first : 0;
        b->first[i] = b->n[i] > 0 ? first : 0;
    }
}

const RangeDef range_local_m = {
    .component = {.name = "local_m",
                  .help = "positions t - D .. t + D of the keys at position t of the queries.",
                  .source = "Luong 2015",
                  ROWS(fields, Monotonic)},
    .window = true,
    .positions = true,
    .forward = forward};
