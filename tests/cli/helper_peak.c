/* helper_peak.c - runs a program and prints the largest memory that it had, in KiB: helper_peak PROGRAM [WORD]... */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int status = 0;
    struct rusage usage;
    if (argc < 2) return 64;
    const pid_t child = fork();
    if (child < 0) return 69;
    if (child == 0) {
        execv(argv[1], argv + 1);
        _exit(66);
    }
    if (waitpid(child, &status, 0) != child || getrusage(RUSAGE_CHILDREN, &usage) != 0) return 70;
    printf("%ld\n", usage.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 70;
}
