/* sync.c - what travels behind the gradient: one flag for a failure, one for a signal, and the weight in digits. */
#include "comm/sync.h"

#include "comm/signals.h"

/* A float holds integers up to 2^24 exactly: with digits of 10 bits, sums over up to 2^14 ranks stay exact in any
 * order. Six digits carry weights up to 2^60. */
enum { FAILED, STOP, DIGITS, DIGIT_BITS = 10, N_DIGITS = SYNC_EXTRA - DIGITS, MOST_RANKS = 1 << (24 - DIGIT_BITS) };

static void put(void *grad, size_t i, CommType type, double value)
{
    if (type == COMM_F32)
        ((float *)grad)[i] = (float)value;
    else
        ((double *)grad)[i] = value;
}

static double get(const void *grad, size_t i, CommType type)
{
    return type == COMM_F32 ? (double)((const float *)grad)[i] : ((const double *)grad)[i];
}

static void pack(void *grad, size_t n, CommType type, int64_t weight, bool failed)
{
    put(grad, n + FAILED, type, failed ? 1 : 0);
    put(grad, n + STOP, type, signals_pending() ? 1 : 0);
    for (int i = 0; i < N_DIGITS; i++) {
        const int64_t digit = weight >> (DIGIT_BITS * i) & ((1 << DIGIT_BITS) - 1);
        put(grad, n + DIGITS + (size_t)i, type, (double)digit);
    }
}

static int64_t unpack_weight(const void *grad, size_t n, CommType type)
{
    int64_t weight = 0;
    for (int i = N_DIGITS - 1; i >= 0; i--)
        weight = (weight << DIGIT_BITS) + (int64_t)get(grad, n + DIGITS + (size_t)i, type);
    return weight;
}

static void divide(void *grad, size_t n, CommType type, int64_t weight)
{
    if (type == COMM_F32) {
        const float scale = (float)(1 / (double)weight);
        for (size_t i = 0; i < n; i++) ((float *)grad)[i] *= scale;
    } else {
        const double scale = 1 / (double)weight;
        for (size_t i = 0; i < n; i++) ((double *)grad)[i] *= scale;
    }
}

static Status check_weight(int64_t weight)
{
    REQUIRE(weight >= 0 && weight < INT64_C(1) << (DIGIT_BITS * N_DIGITS), ERR_INTERNAL,
            "the weight of a step is %lld, expected 0 to 2^%d", (long long)weight, DIGIT_BITS * N_DIGITS);
    return OK;
}

Status sync_gradients(Comm *c, const Sync *s, void *grad, size_t n, CommType type, int64_t weight, Status local,
                      SyncResult *out)
{
    *out = (SyncResult){0};
    REQUIRE(comm_size(c) <= MOST_RANKS, ERR_HOST, "%d ranks, at most %d can sum their weights exactly", comm_size(c),
            MOST_RANKS);
    if (local == ERR_COMM) comm_abort(c, local);
    if (local == OK) local = check_weight(weight);
    pack(grad, n, type, local == OK ? weight : 0, local != OK);
    const ReduceDef *how = s && s->how ? s->how : reduce_at(0);
    TRY(reduce_sum(c, how, grad, n + SYNC_EXTRA, type, s ? s->bucket_bytes : 0));
    if (get(grad, n + FAILED, type) != 0) return comm_agree(c, local); /* rare: only now fetch the reason */

    out->stop = get(grad, n + STOP, type) != 0;
    out->weight = unpack_weight(grad, n, type);
    if (out->weight > 0) divide(grad, n, type, out->weight);
    return OK;
}
