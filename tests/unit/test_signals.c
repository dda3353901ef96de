/* Every signal that asks for a stop is remembered; only a second SIGINT ends the process. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "comm/signals.h"

/* How a child ends that receives these signals: its exit code is the number that is pending. */
static int child_status(int first, int second)
{
    const pid_t pid = fork();
    if (pid == 0) {
        if (signals_install() != OK) _exit(99);
        raise(first);
        if (second) raise(second);
        _exit(signals_pending());
    }
    int status = -1;
    waitpid(pid, &status, 0);
    return status;
}

TEST(a_signal_is_pending_and_ends_nothing)
{
    const int numbers[] = {SIGTERM, SIGINT, SIGUSR1, SIGUSR2};
    const char *const names[] = {"SIGTERM", "SIGINT", "SIGUSR1", "SIGUSR2"};
    for (int i = 0; i < 4; i++) {
        const int status = child_status(numbers[i], numbers[i] == SIGINT ? 0 : numbers[i]);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == numbers[i], "%s: status %x", names[i], (unsigned)status);
        assert_string_equal(signals_name(numbers[i]), names[i]);
    }
    assert_string_equal(signals_name(0), "no signal");
}

TEST(a_second_interrupt_ends_at_once)
{
    const int status = child_status(SIGINT, SIGINT), after_term = child_status(SIGTERM, SIGINT);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT, "status %x", (unsigned)status);
    CHECK(WIFEXITED(after_term), "the first SIGINT after SIGTERM is not the second: status %x", (unsigned)after_term);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUN(a_signal_is_pending_and_ends_nothing), RUN(a_second_interrupt_ends_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
