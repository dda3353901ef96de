/* The lanes of a batch are its examples, each once, with all that belongs to them. */
#include "fields.h"
#include "trainer/parallel/lanes.h"

enum { B = 11 };

/* Example e has e % 4 sentences; sentence s has s % 3 words; numbers tell where they belong. */
static Batch make(Arena *a)
{
    int64_t *example = arena_zeros(a, B, sizeof *example), *sentences = arena_zeros(a, B + 1, sizeof *sentences);
    int64_t *words = arena_zeros(a, B * 4 + 1, sizeof *words);
    int32_t *id = arena_zeros(a, B * 16, sizeof *id), *label = arena_zeros(a, B, sizeof *label);
    float *feature = arena_zeros(a, B * 4, sizeof *feature);
    int64_t n = 0, m = 0;
    for (int e = 0; e < B; e++) {
        example[e] = 100 + e;
        label[e] = e * e;
        for (int s = 0; s < e % 4; s++, n++) {
            feature[n] = (float)(e * 10 + s);
            for (int w = 0; w < s % 3; w++) id[m++] = e * 100 + s * 10 + w;
            words[n + 1] = m;
        }
        sentences[e + 1] = n;
    }
    Batch b = {.B = B, .all = B, .example = example, .n_fields = 3};
    b.field[0] = (Ragged){test_field_of("text"), {B, n, m}, {sentences, words}, id, NULL};
    b.field[1] = (Ragged){test_field_of("label"), {B}, {NULL}, label, NULL};
    b.field[2] = (Ragged){test_field_of("features"), {B, n}, {sentences}, NULL, feature};
    return b;
}

static void check_lane(const Batch *b, int64_t lane, int64_t lanes)
{
    CHECK(b->B == (B - lane + lanes - 1) / lanes && b->all == B, "%lld examples", (long long)b->B);
    const Ragged *text = &b->field[0], *label = &b->field[1], *feature = &b->field[2];
    int64_t n = 0, m = 0;
    for (int64_t i = 0; i < b->B; i++) {
        const int64_t e = lane + i * lanes;
        CHECK(b->example[i] == 100 + e && label->id[i] == e * e, "example %lld", (long long)i);
        CHECK(text->offset[0][i] == n && feature->offset[0][i] == n, "offset of example %lld", (long long)i);
        for (int64_t s = 0; s < e % 4; s++, n++) {
            CHECK_NEAR(feature->value[n], e * 10 + s, 0);
            CHECK(text->offset[1][n] == m, "offset of sentence %lld", (long long)n);
            for (int64_t w = 0; w < s % 3; w++, m++)
                CHECK(text->id[m] == e * 100 + s * 10 + w, "word %lld", (long long)m);
        }
    }
    CHECK(text->count[1] == n && text->count[2] == m && text->offset[0][b->B] == n && text->offset[1][n] == m, "ends");
    CHECK(text->field == test_field_of("text") && !text->value && !feature->id, "kinds");
}

TEST(each_example_comes_in_one_lane_with_all_that_belongs_to_it)
{
    Arena a = {0};
    const Batch all = make(&a);
    for (int64_t lanes = 1; lanes < 14; lanes++)
        for (int64_t lane = 0; lane < lanes; lane++) {
            Batch b;
            CHECK_OK(lanes_batch(&all, lane, lanes, &a, &b));
            if (lane < B)
                check_lane(&b, lane, lanes);
            else
                CHECK(b.B == 0 && b.field[0].count[2] == 0, "a lane behind the last example");
        }
    arena_close(&a);
}

TEST(every_allocation_may_fail)
{
    for (long n = 1;; n++) {
        Arena a = {0};
        const Batch all = make(&a);
        a.fail_in = n;
        Batch b;
        const Status st = lanes_batch(&all, 1, 3, &a, &b);
        const bool reached = a.fail_in == 0;
        arena_close(&a);
        if (!reached) {
            CHECK(st == OK && n > 5, "%ld allocations", n);
            return;
        }
        CHECK_FAILS(st, ERR_HOST);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(each_example_comes_in_one_lane_with_all_that_belongs_to_it),
                                       RUN(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
