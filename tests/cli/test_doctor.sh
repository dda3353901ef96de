#!/bin/bash
# What doctor says of the ranks: that their heartbeats arrive, which do not, and that a stranger sends some too.
. "$SOURCE/tests/expect.sh"
: "${dir:?}" "${bad:?}" # expect.sh makes them
cat >net.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
/* NET=mute: nothing leaves this rank. NET=stranger: every message is followed by one of another socket, without the key. */
ssize_t sendto(int fd, const void *bytes, size_t n, int flags, const struct sockaddr *to, socklen_t size)
{
    ssize_t (*real)(int, const void *, size_t, int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "sendto");
    const char *net = getenv("NET"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (!net || !rank || strcmp(rank, "1") != 0 || to->sa_family != AF_INET) return real(fd, bytes, n, flags, to, size);
    if (strcmp(net, "mute") == 0) {
        errno = EPERM;
        return -1;
    }
    if (strcmp(net, "stranger") != 0) return real(fd, bytes, n, flags, to, size);
    char copy[512];
    memcpy(copy, bytes, n);
    copy[n - 1] ^= 1;
    const int other = socket(AF_INET, SOCK_DGRAM, 0);
    real(other, copy, n, flags, to, size);
    close(other);
    return real(fd, bytes, n, flags, to, size);
}
C
cc -shared -fPIC -o net.so net.c -ldl
ranks() { # NET: doctor on three ranks
    timeout -s KILL 60 mpirun --oversubscribe -np 3 -x OPENBLAS_NUM_THREADS=1 -x NET="$1" -x LD_PRELOAD="$dir/net.so" "$MNEME" doctor >out 2>err
    code=$?
}
says() { grep -q "$1" out || fail "doctor does not say '$1': $(cat out err)"; }

# The number of cores is this machine's: 0 where they are enough, else 2.
ranks none
{ [ $code = 0 ] || [ $code = 2 ]; } && ! grep -q "^FAULT.*\(heartbeats\|messages\)" out || fail "doctor: exit $code: $(cat out err)"
says '^good   heartbeats (UDP) arrive between 3 ranks$'
says '^good   0 messages of strangers among them$'
ranks mute
[ $code = 2 ] || fail "a rank that is not heard: exit $code"
says '^FAULT  heartbeats (UDP) of rank 1 do not arrive at rank 0: a firewall? Without them a rank that stops is not named$'
ranks stranger
[ $code = 2 ] || fail "a stranger: exit $code"
says '^good   heartbeats (UDP) arrive between 3 ranks$'
says '^FAULT  20 messages that this run has not signed, the first from 127.0.0.1:[0-9]*: they are passed over, but somebody sends them$'
must 1 doctor
! "$MNEME" doctor | grep -q heartbeats || fail "one rank has no heartbeats"
exit $bad
