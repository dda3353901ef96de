/* All levels of the kernels of memory networks against plain loops, at widths on both sides of a vector's. */
#include "check.h"
#include "trainer/core/kernel.h"

enum { V = 9, TIMES = 3, ROWS = 5, MOST = 140, GUARD = 20 };

#define EACH_LEVEL(k)                                                                                                  \
    for (int level_ = CPU_BASE; level_ <= CPU_V4; level_++)                                                            \
        for (const Kernels *k = kernels_at((CpuLevel)level_); k; k = NULL)

static real number(int64_t i) { return (real)sin(1.3 * (double)i + 0.7); }

/* Sentences of 3, 0, 1, 4 and 2 words. */
static const int64_t begin[ROWS] = {0, 3, 3, 4, 8}, end[ROWS] = {3, 3, 4, 8, 10};
static const int32_t id[] = {1, 4, 1, 0, 2, 4, 4, 3, 8, 0}, row_time[ROWS] = {2, 1, 1, 0, 2};

typedef enum Encoding { BAG, POSITION, CENTRED } Encoding;
enum { LONGEST = 6 }; /* words of the longest sentence, for the centred encoding */

/* j and k from 0, the formulas' from 1 */
static double encode(Encoding e, int64_t j, int64_t J, int64_t k, int64_t d)
{
    const double share = (double)(j + 1) / (double)J, column = (double)(k + 1);
    if (e == CENTRED)
        return 1 + 4 * (column - (double)(d + 1) / 2) * ((double)(j + 1) - (LONGEST + 1) / 2.0) / ((double)d * LONGEST);
    return e == POSITION ? (1 - share) - column / (double)d * (1 - 2 * share) : 1;
}

static SentenceRows sentences(Encoding e)
{
    return (SentenceRows){.n = ROWS,
                          .begin = begin,
                          .end = end,
                          .id = id,
                          .time = row_time,
                          .position = e != BAG,
                          .centred = e == CENTRED ? LONGEST : 0};
}

static void check_sum(const Kernels *k, int64_t d, Encoding e, const real *kappa)
{
    static real table[V * MOST], times[TIMES * MOST], out[ROWS * MOST + GUARD];
    const SentenceRows s = sentences(e);
    for (int64_t i = 0; i < V * d; i++) table[i] = number(i);
    for (int64_t i = 0; i < TIMES * d; i++) times[i] = number(i + 77);
    for (int64_t i = 0; i < ROWS * d + GUARD; i++) out[i] = 99;
    k->sentence_sum(&s, d, kappa, table, times, out);
    for (int64_t r = 0; r < ROWS; r++)
        for (int64_t c = 0; c < d; c++) {
            double want = (double)times[row_time[r] * d + c];
            for (int64_t j = begin[r]; j < end[r]; j++)
                want += encode(e, j - begin[r], end[r] - begin[r], c, d) * (double)table[id[j] * d + c];
            CHECK_NEAR(out[r * d + c], want, 2e-6);
        }
    for (int64_t i = ROWS * d; i < ROWS * d + GUARD; i++) CHECK(out[i] == 99, "%s: written beyond the end", k->level);
}

/* Segments of 2, 0 and 3 rows, dense gradient and two outer products. */
static void check_scatter(const Kernels *k, int64_t d, Encoding e, bool zero_row, const real *kappa)
{
    static const int64_t offset[] = {0, 2, 2, 5};
    static real dense[ROWS * MOST], weight[2][ROWS], vector[2][3 * MOST], dtable[V * MOST + GUARD], dtime[TIMES * MOST];
    static double want[V * MOST], want_time[TIMES * MOST];
    const SentenceRows s = sentences(e);
    for (int64_t i = 0; i < ROWS * d; i++) dense[i] = number(i + 5);
    for (int64_t i = 0; i < ROWS; i++) weight[0][i] = number(i + 3), weight[1][i] = number(i + 13);
    for (int64_t i = 0; i < 3 * d; i++) vector[0][i] = number(i + 1), vector[1][i] = number(i + 2);
    for (int64_t i = 0; i < V * d + GUARD; i++) dtable[i] = number(i);
    for (int64_t i = 0; i < V * d; i++) want[i] = (double)number(i);
    for (int64_t i = 0; i < TIMES * d; i++) want_time[i] = 0, dtime[i] = 0;
    const RowsGradient g = {dense, 2, {weight[0], weight[1]}, {vector[0], vector[1]}, 3, offset};
    k->sentence_scatter(&s, d, kappa, &g, zero_row, dtable, dtime);
    for (int64_t r = 0; r < ROWS; r++)
        for (int64_t c = 0; c < d; c++) {
            const int64_t at = (r < 2 ? 0 : 2) * d + c;
            const double dm = (double)dense[r * d + c] + (double)weight[0][r] * (double)vector[0][at] +
                              (double)weight[1][r] * (double)vector[1][at];
            want_time[row_time[r] * d + c] += dm;
            for (int64_t j = begin[r]; j < end[r]; j++)
                if (!zero_row || id[j] != 0)
                    want[id[j] * d + c] += encode(e, j - begin[r], end[r] - begin[r], c, d) * dm;
        }
    for (int64_t i = 0; i < V * d; i++) CHECK_NEAR(dtable[i], want[i], 2e-6);
    for (int64_t i = 0; i < TIMES * d; i++) CHECK_NEAR(dtime[i], want_time[i], 2e-6);
    for (int64_t i = V * d; i < V * d + GUARD; i++)
        CHECK(dtable[i] == number(i), "%s: written beyond the end", k->level);
}

static const int width[] = {1, 3, 4, 7, 15, 16, 17, 20, 48, 50, 63, 64, 65, 100, 129};

TEST(sums_of_sentences_agree_with_plain_loops)
{
    EACH_LEVEL(k)
    for (size_t i = 0; i < sizeof width / sizeof *width; i++)
        for (int e = BAG; e <= CENTRED; e++) {
            real kappa[MOST];
            const double shift = e == CENTRED ? (width[i] + 1) / 2.0 : 0;
            for (int c = 0; c < width[i]; c++) kappa[c] = (real)((c + 1 - shift) / width[i]);
            check_sum(k, width[i], (Encoding)e, kappa);
            check_scatter(k, width[i], (Encoding)e, false, kappa);
            check_scatter(k, width[i], (Encoding)e, true, kappa);
        }
}

TEST(products_of_rows_agree_with_plain_loops)
{
    enum { N = 11, GAP = 2 };
    static real x[N * (MOST + GAP)], y[MOST], w[N], out[N];
    EACH_LEVEL(k)
    for (size_t i = 0; i < sizeof width / sizeof *width; i++) {
        const int64_t d = width[i], ld = d + GAP;
        for (int64_t j = 0; j < N * ld; j++) x[j] = number(j);
        for (int64_t j = 0; j < d; j++) y[j] = number(j + 31);
        for (int64_t j = 0; j < N; j++) w[j] = number(j + 8);
        k->rows_dot(N, d, x, ld, y, out);
        k->outer_add(N, d, w, y, x, ld);
        for (int64_t r = 0; r < N; r++) {
            double want = 0;
            for (int64_t c = 0; c < d; c++) {
                want += (double)number(r * ld + c) * (double)y[c];
                CHECK_NEAR(x[r * ld + c], (double)number(r * ld + c) + (double)w[r] * (double)y[c], 1e-6);
            }
            CHECK_NEAR(out[r], want, 1e-5);
            for (int64_t c = d; c < ld; c++) CHECK(x[r * ld + c] == number(r * ld + c), "written between the rows");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(sums_of_sentences_agree_with_plain_loops),
                                       RUN(products_of_rows_agree_with_plain_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
