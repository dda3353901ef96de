/* A command that is told to stop before its first instruction: helper_pending SIGNAL COMMAND [ARGUMENT...]. The signal
 * is sent while it is blocked, and is pending when the command begins. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 3) return 64;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, atoi(argv[1]));
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(atoi(argv[1]));
    execv(argv[2], argv + 2);
    return 69;
}
