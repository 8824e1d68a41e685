// SPDX-License-Identifier: MIT
//
// Preloaded into a process (LD_PRELOAD), it makes the threads of the process pause at random when they
// free memory, and all threads after one has called `exit`, so that races at exit become likely.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static atomic_int is_leaving;
static _Thread_local unsigned seed, pauses, is_started;

static void sleep_for(long nanoseconds) {
    struct timespec time = {0, nanoseconds};
    nanosleep(&time, NULL);
}

static void pause_sometimes(void) {
    int leaves = atomic_load(&is_leaving);
    if ((!leaves && !is_started) || pauses > 400) return;
    if (seed == 0) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        seed = (unsigned)now.tv_nsec | 1;
    }
    seed = seed * 1103515245 + 12345;
    if ((seed >> 16) % (leaves ? 8 : 60) != 0) return;
    pauses++;
    sleep_for((seed >> 8) % 1000000);
}

#define REAL(result, name, ...)                     \
    static result (*real)(__VA_ARGS__);             \
    if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, #name)

extern void __libc_free(void *memory);

void free(void *memory) {
    pause_sometimes();
    __libc_free(memory);
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    REAL(int, pthread_rwlock_unlock, pthread_rwlock_t *);
    pause_sometimes();
    return real(lock);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
    REAL(int, pthread_rwlock_wrlock, pthread_rwlock_t *);
    pause_sometimes();
    int status = real(lock);
    pause_sometimes();
    return status;
}

void exit(int code) {
    REAL(void, exit, int);
    atomic_store(&is_leaving, 1);
    real(code);
    _exit(code);
}

typedef struct work {
    void *(*body)(void *);
    void *argument;
} work;

static void *run(void *pointer) {
    work work = *(struct work *)pointer;
    free(pointer);
    is_started = 1;
    void *result = work.body(work.argument);
    // Its thread-local storage is freed after this, concurrently with any exit handlers.
    for (int round = 0; round < 30 && !atomic_load(&is_leaving); round++) sleep_for(100000);
    return result;
}

int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument
) {
    REAL(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    work *work = malloc(sizeof *work);
    if (work == NULL) return 12;
    work->body = body;
    work->argument = argument;
    int status = real(thread, attributes, run, work);
    if (status != 0) free(work);
    return status;
}
