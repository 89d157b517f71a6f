/* Preloaded into a worker: the whole process stands still (SIGSTOP) right before the first byte of
 * its first mail, which is after it has compared the lease with its clock. Nothing else changes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

static void stand_still_before(const void *bytes, size_t length)
{
    static atomic_flag stood_still = ATOMIC_FLAG_INIT;
    static const char post[] = "POST /v3/mail/send ";
    if (length >= sizeof post - 1 && memcmp(bytes, post, sizeof post - 1) == 0
        && !atomic_flag_test_and_set(&stood_still))
        /* Sent to this very thread, so that it cannot go on before the signal has come. */
        raise(SIGSTOP);
}

ssize_t send(int fd, const void *bytes, size_t length, int flags)
{
    ssize_t (*next)(int, const void *, size_t, int) = dlsym(RTLD_NEXT, "send");
    stand_still_before(bytes, length);
    return next(fd, bytes, length, flags);
}

ssize_t writev(int fd, const struct iovec *pieces, int count)
{
    ssize_t (*next)(int, const struct iovec *, int) = dlsym(RTLD_NEXT, "writev");
    if (count > 0)
        stand_still_before(pieces[0].iov_base, pieces[0].iov_len);
    return next(fd, pieces, count);
}
