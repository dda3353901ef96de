/* The processor's mode for numbers next to 0. */
#include <float.h>
#include <pthread.h>

#include "check.h"
#include "trainer/core/cpu.h"

/* Half of the least normal number, and that times 2: both 0 when such numbers are flushed. */
static float halved(void)
{
    volatile float least = FLT_MIN, half = 0.5f;
    return least * half;
}

static float doubled(float tiny)
{
    volatile float x = tiny, two = 2;
    return x * two;
}

static void *in_thread(void *result)
{
    *(float *)result = halved();
    return NULL;
}

TEST(subnormal_numbers_are_kept_until_they_are_flushed_here_and_in_threads_started_from_here)
{
    const float kept = halved();
    CHECK(kept > 0 && doubled(kept) == FLT_MIN, "the processor flushes before it was told");
    if (!cpu_flush_subnormals()) skip();
    CHECK(halved() == 0, "a result below %g is %g", (double)FLT_MIN, (double)halved());
    CHECK(doubled(kept) == 0, "an operand below %g is not taken for 0", (double)FLT_MIN);
    pthread_t thread;
    float result = 1;
    CHECK(pthread_create(&thread, NULL, in_thread, &result) == 0, "no thread");
    CHECK(pthread_join(thread, NULL) == 0 && result == 0, "a thread started later made %g", (double)result);
    volatile float normal = FLT_MIN;
    CHECK(normal == FLT_MIN && normal > 0, "the least normal number is gone");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(subnormal_numbers_are_kept_until_they_are_flushed_here_and_in_threads_started_from_here)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
