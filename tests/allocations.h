/* allocations.h - each allocation of a call fails in turn: the outcome is a status, never a crash or half a result. */
#ifndef TESTS_ALLOCATIONS_H
#define TESTS_ALLOCATIONS_H
#include "check.h"
#include "comm/arena.h"

/* call works in `failing`, a new one each time; close (a statement) gives back what it opened, also after a failure. */
#define EACH_ALLOCATION_FAILS(call, close)                                                                             \
    for (long nth_ = 1, reached_ = 1; reached_; nth_++) {                                                              \
        Arena failing = {.fail_in = nth_};                                                                             \
        const Status st_ = (call);                                                                                     \
        reached_ = failing.fail_in == 0;                                                                               \
        failing.fail_in = 0;                                                                                           \
        CHECK(reached_ ? st_ == ERR_HOST : st_ == OK, "allocation %ld: %d, %s", nth_, (int)st_, status_message());     \
        close;                                                                                                         \
        arena_close(&failing);                                                                                         \
    }

#endif
