/* All levels of the element-wise and row kernels against the C library and plain loops. */
#include <float.h>

#include "check.h"
#include "trainer/core/kernel.h"

enum { N = 1003, GUARD = 7 };

/* Every level that this processor has. */
#define EACH_LEVEL(k)                                                                                                  \
    for (int level_ = CPU_BASE; level_ <= CPU_V4; level_++)                                                            \
        for (const Kernels *k = kernels_at((CpuLevel)level_); k; k = NULL)

static real number(int64_t i) { return (real)sin(1.7 * (double)i + 0.3); }

typedef void Map(int64_t n, const real *x, real *y);

/* Largest error over [from, to], in units of the last place of the exact result, or absolute. */
static double worst(Map *map, double (*exact)(double), double from, double to, bool absolute)
{
    static real x[N], y[N];
    double most = 0;
    for (int round = 0; round < 500; round++) {
        for (int i = 0; i < N; i++) x[i] = (real)(from + (to - from) * ((double)i + (double)round / 500) / N);
        map(N, x, y);
        for (int i = 0; i < N; i++) {
            const double right = exact((double)x[i]), error = fabs((double)y[i] - right);
            const double unit = fabs(right) * FLT_EPSILON;
            const double scaled = absolute ? error : unit > 0 ? error / unit : error;
            if (!(scaled <= most)) most = scaled;
        }
    }
    return most;
}

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

TEST(exp_tanh_and_sigmoid_keep_their_stated_error)
{
    EACH_LEVEL(k)
    {
        double e = worst(k->exp, exp, -86.98, 88.72, false);
        CHECK(e <= 2, "%s: exp is %.2f ulp away", k->level, e);
        e = worst(k->tanh, tanh, -12, 12, false);
        CHECK(e <= 5, "%s: tanh is %.2f ulp away", k->level, e);
        e = worst(k->tanh, tanh, -1e-3, 1e-3, false);
        CHECK(e <= 5, "%s: tanh near 0 is %.2f ulp away", k->level, e);
        e = worst(k->sigmoid, sigmoid, -100, 100, true);
        CHECK(e <= 2e-7, "%s: sigmoid is %.3g away", k->level, e);
    }
}

TEST(the_edges_of_exp_tanh_and_sigmoid_are_exact)
{
    EACH_LEVEL(k)
    {
        real x[6] = {-INFINITY, INFINITY, NAN, 0, -1000, 1000}, y[6];
        k->exp(6, x, y);
        CHECK(y[0] == 0 && isinf(y[1]) && isnan(y[2]) && y[3] == 1 && y[4] == 0 && isinf(y[5]), "%s: exp", k->level);
        k->tanh(6, x, y);
        CHECK(y[0] == -1 && y[1] == 1 && isnan(y[2]) && y[3] == 0 && y[4] == -1 && y[5] == 1, "%s: tanh", k->level);
        k->sigmoid(6, x, y);
        CHECK(y[0] == 0 && y[1] == 1 && isnan(y[2]) && y[3] == (real)0.5 && y[4] == 0 && y[5] == 1, "%s: sigmoid",
              k->level);
    }
}

/* The same element at any place of a row of any length, and nothing beyond the row is touched. */
static void check_places(const char *level, Map *map, real *x)
{
    real one[N], y[N + GUARD];
    for (int i = 0; i < 100; i++) map(1, x + i, one + i);
    for (int n = 0; n < 80; n++)
        for (int start = 0; start < 5; start++) {
            for (int i = 0; i < N + GUARD; i++) y[i] = 77;
            map(n, x + start, y + 1);
            CHECK(y[0] == 77 && y[n + 1] == 77, "%s: wrote outside of %d elements", level, n);
            CHECK(memcmp(y + 1, one + start, (size_t)n * sizeof(real)) == 0, "%s: length %d changes bits", level, n);
        }
}

TEST(an_element_does_not_depend_on_its_place)
{
    real x[N];
    for (int i = 0; i < N; i++) x[i] = 3 * number(i);
    EACH_LEVEL(k)
    {
        check_places(k->level, k->exp, x);
        check_places(k->level, k->tanh, x);
        check_places(k->level, k->sigmoid, x);
    }
}

TEST(sums_agree_with_plain_loops)
{
    static real x[20011], y[20011];
    for (int i = 0; i < 20011; i++) x[i] = number(i), y[i] = number(3 * i + 1);
    const int lengths[] = {0, 1, 5, 15, 16, 17, 63, 64, 65, 200, 1003, 4096, 20011};
    EACH_LEVEL(k)
    {
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            const int n = lengths[l];
            double dot = 0, squares = 0;
            for (int i = 0; i < n; i++) dot += (double)x[i] * (double)y[i], squares += (double)x[i] * (double)x[i];
            /* n / 64 roundings in each partial sum, of sums below n */
            CHECK_NEAR(k->dot(n, x, y), dot, 1e-6 * (1 + n / 64.0));
            CHECK_NEAR(k->sum_squares(n, x), squares, 2e-6);
        }
    }
}

TEST(softmax_and_its_gradient_agree_with_plain_loops)
{
    EACH_LEVEL(k)
    {
        for (int n = 1; n < 70; n++) {
            real x[70], y[70 + 1], dy[70], dx[70];
            double sum = 0, mean = 0, p[70];
            for (int i = 0; i < n; i++) x[i] = 30 * number(i), dy[i] = number(i + 9), dx[i] = 1;
            for (int i = 0; i < n; i++) sum += exp((double)x[i]);
            for (int i = 0; i < n; i++) p[i] = exp((double)x[i]) / sum, mean += p[i] * (double)dy[i];
            y[n] = 77;
            CHECK_NEAR(k->softmax(n, x, y), log(sum), 1e-6);
            k->softmax_backward(n, y, dy, dx);
            for (int i = 0; i < n; i++) CHECK_NEAR(y[i], p[i], 1e-6);
            for (int i = 0; i < n; i++) CHECK_NEAR(dx[i], 1 + p[i] * ((double)dy[i] - mean), 1e-6);
            CHECK(y[n] == 77, "%s: wrote beyond %d", k->level, n);
        }
    }
}

TEST(rows_are_fetched_added_and_summed)
{
    enum { ROWS = 9, WIDTH = 37, LD = 40 };
    const int32_t index[ROWS] = {3, 0, 3, 5, 1, 1, 3, 8, 0};
    EACH_LEVEL(k)
    {
        for (int width = 1; width <= WIDTH; width++) {
            real table[ROWS * LD], x[ROWS * LD], added[ROWS * LD], sum[LD] = {0};
            for (int i = 0; i < ROWS * LD; i++) table[i] = number(i), added[i] = table[i];
            k->gather(ROWS, width, table, LD, index, x, LD);
            k->scatter_add(ROWS, width, x, LD, index, added, LD);
            k->column_sums(ROWS, width, x, LD, sum);
            for (int c = 0; c < width; c++) {
                double total = 0, want[ROWS];
                for (int r = 0; r < ROWS; r++) want[r] = (double)table[r * LD + c];
                for (int r = 0; r < ROWS; r++) {
                    CHECK(x[r * LD + c] == table[index[r] * LD + c], "%s: row %d", k->level, r);
                    want[index[r]] += (double)x[r * LD + c];
                    total += (double)x[r * LD + c];
                }
                CHECK_NEAR(sum[c], total, 2e-6);
                for (int r = 0; r < ROWS; r++) CHECK_NEAR(added[r * LD + c], want[r], 2e-6);
            }
            CHECK(added[width] == table[width] || width == LD, "%s: added beyond the row", k->level);
        }
    }
}

TEST(pooling_kernels_agree_with_plain_loops)
{
    enum { T = 7, MOST = 100 };
    EACH_LEVEL(k)
    {
        for (int d = 1; d <= MOST; d += 3) {
            static real u[T * MOST], keep[T * MOST], b[MOST], v[MOST], score[T], dv[MOST], y[MOST], dw[T], dx[T * MOST];
            for (int i = 0; i < T * d; i++) u[i] = keep[i] = number(i), dx[i] = 0;
            for (int i = 0; i < d; i++) b[i] = number(i + 5), v[i] = number(i + 11), dv[i] = 0;
            k->tanh_score(T, d, u, b, v, score);
            for (int r = 0; r < T; r++) {
                double want = 0;
                for (int i = 0; i < d; i++) want += tanh((double)keep[r * d + i] + (double)b[i]) * (double)v[i];
                CHECK_NEAR(score[r], want, 1e-5);
                dw[r] = 0;
            }
            k->weighted_sum(T, d, score, keep, d, y);
            k->weighted_sum_backward(T, d, score, keep, d, v, dw, dx, d);
            for (int i = 0; i < d; i++) {
                double want = 0;
                for (int r = 0; r < T; r++) want += (double)score[r] * (double)keep[r * d + i];
                CHECK_NEAR(y[i], want, 1e-5);
            }
            for (int r = 0; r < T; r++) {
                double want = 0;
                for (int i = 0; i < d; i++) want += (double)keep[r * d + i] * (double)v[i];
                CHECK_NEAR(dw[r], want, 1e-5);
                for (int i = 0; i < d; i++) CHECK_NEAR(dx[r * d + i], (double)score[r] * (double)v[i], 1e-5);
            }
            k->tanh_score_backward(T, d, u, v, score, dv);
            for (int i = 0; i < d; i++) {
                double want = 0;
                for (int r = 0; r < T; r++) {
                    const double t = tanh((double)keep[r * d + i] + (double)b[i]);
                    want += (double)score[r] * t;
                    CHECK_NEAR(u[r * d + i], (double)score[r] * (double)v[i] * (1 - t * t), 1e-5);
                }
                CHECK_NEAR(dv[i], want, 1e-5);
            }
        }
    }
}

TEST(block_maxima_and_log_sum_are_those_of_plain_loops)
{
    enum { LENGTHS = 300 };
    static real x[LENGTHS];
    EACH_LEVEL(k)
    {
        for (int n = 1; n <= LENGTHS; n++) {
            for (int i = 0; i < n; i++) x[i] = 9 * number(i * n);
            x[n / 2] = n % 5 == 0 ? (real)NAN : x[n / 2]; /* is never the largest */
            real got[LENGTHS / KERNEL_BLOCK + 1], most = (real)-INFINITY;
            k->block_maxima(n, x, got);
            for (int b = 0; b * KERNEL_BLOCK < n; b++) {
                real want = (real)-INFINITY;
                for (int i = b * KERNEL_BLOCK; i < n && i < (b + 1) * KERNEL_BLOCK; i++)
                    want = x[i] > want ? x[i] : want;
                CHECK(got[b] == want, "%s: block %d of %d numbers", k->level, b, n);
                most = want > most ? want : most;
            }
            if (n % 5 == 0) {
                CHECK(isnan(k->log_sum(n, x, most)), "%s: a NaN is lost", k->level);
                continue;
            }
            double sum = 0;
            for (int i = 0; i < n; i++) sum += exp((double)x[i]);
            CHECK_NEAR(k->log_sum(n, x, most), log(sum), 4e-7); /* a few ulp of the float sum */
        }
    }
}

/* A number far above all others at each place in turn: found there, and nothing overflows. */
TEST(the_largest_is_found_wherever_it_is)
{
    enum { LENGTHS = 200 };
    static real x[LENGTHS];
    EACH_LEVEL(k)
    {
        for (int n = 1; n <= LENGTHS; n += n < 70 ? 1 : 13)
            for (int at = 0; at < n; at++) {
                for (int i = 0; i < n; i++) x[i] = number(i * 7 + n);
                x[at] = 500;
                int64_t best = -1;
                const double sum = k->log_sum_exp(n, x, &best);
                CHECK(best == at && sum == 500, "%s: %d of %d: best %lld, %g", k->level, at, n, (long long)best, sum);
                double mean;
                CHECK(k->softmax_gradient(n, 1, 0, x, &mean) == sum, "%s: %d of %d: another sum", k->level, at, n);
                for (int i = 0; i < n; i++)
                    CHECK(x[i] == (real)(i == at), "%s: %d of %d: share %d is %g", k->level, at, n, i, (double)x[i]);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(the_largest_is_found_wherever_it_is),

                                       RUN(exp_tanh_and_sigmoid_keep_their_stated_error),
                                       RUN(the_edges_of_exp_tanh_and_sigmoid_are_exact),
                                       RUN(an_element_does_not_depend_on_its_place),
                                       RUN(sums_agree_with_plain_loops),
                                       RUN(softmax_and_its_gradient_agree_with_plain_loops),
                                       RUN(rows_are_fetched_added_and_summed),
                                       RUN(pooling_kernels_agree_with_plain_loops),
                                       RUN(block_maxima_and_log_sum_are_those_of_plain_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
