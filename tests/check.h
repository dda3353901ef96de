/* check.h - what every test in C stands on: cmocka, and checks that speak of Status and of numbers. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "comm/status.h"

/* The condition holds, or the test ends with the printf-like message. */
#define CHECK(cond, ...)                                                                                               \
    do {                                                                                                               \
        if (!(cond)) {                                                                                                 \
            print_error("%s:%d: not true: %s: ", __FILE__, __LINE__, #cond);                                           \
            fail_msg(__VA_ARGS__);                                                                                     \
        }                                                                                                              \
    } while (0)
#define CHECK_OK(call)                                                                                                 \
    do {                                                                                                               \
        const Status check_status_ = (call);                                                                           \
        if (check_status_ != OK) fail_msg("%s gave %d: %s", #call, (int)check_status_, status_text());                 \
    } while (0)
#define CHECK_FAILS(call, code)                                                                                        \
    do {                                                                                                               \
        const Status check_status_ = (call);                                                                           \
        if (check_status_ != (code))                                                                                   \
            fail_msg("%s gave %d instead of %d: %s", #call, (int)check_status_, (int)(code), status_text());           \
    } while (0)
/* The call fails with this code and exactly this message (without the trace). */
#define CHECK_SAYS(call, code, text)                                                                                   \
    do {                                                                                                               \
        CHECK_FAILS(call, code);                                                                                       \
        assert_string_equal(status_message(), (text));                                                                 \
    } while (0)
/* |a - b| <= tolerance * max(1, |b|) */
#define CHECK_NEAR(a, b, tolerance)                                                                                    \
    do {                                                                                                               \
        const double check_a_ = (double)(a), check_b_ = (double)(b);                                                   \
        const double check_scale_ = fabs(check_b_) > 1 ? fabs(check_b_) : 1;                                           \
        if (!(fabs(check_a_ - check_b_) <= (tolerance)*check_scale_))                                                  \
            fail_msg("%s = %.17g, but %s = %.17g (difference %.3g, allowed %.3g)", #a, check_a_, #b, check_b_,         \
                     check_a_ - check_b_, (double)(tolerance)*check_scale_);                                           \
    } while (0)

#define TEST(name) static void name(void **state __attribute__((unused)))
#define RUN(name)  cmocka_unit_test(name)

#endif
