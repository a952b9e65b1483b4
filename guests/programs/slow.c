/*
 * Ways to keep the host busy with few instructions, each without an end but for those that fill memory: by its name.
 * In the machine none of them is to keep the alarm waiting (src/machine/cpu/alarm.ts).
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define MiB (1ul << 20)

static char *room(size_t bytes) {
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static int file(const char *name) { return open(name, O_CREAT | O_RDWR, 0600); }

/* Bytes that calls move. */

static void pwrites(void) {
    char *bytes = room(64 * MiB);
    for (int fd = file("/tmp/x");;) pwrite(fd, bytes, 64 * MiB, 0);
}

static void preads(void) {
    char *bytes = room(64 * MiB);
    int fd = file("/tmp/x");
    ftruncate(fd, 64 * MiB);
    for (;;) pread(fd, bytes, 64 * MiB, 0);
}

static void vectors(void) {
    char *bytes = room(MiB);
    struct iovec parts[1024];
    for (int i = 0; i < 1024; i++) parts[i] = (struct iovec){bytes, 64 << 10};
    for (int fd = file("/tmp/x");;) pwritev(fd, parts, 1024, 0);
}

static void pipes(void) {
    int ends[2];
    pipe(ends);
    char *bytes = room(MiB);
    for (;;) {
        write(ends[1], bytes, 65536);
        read(ends[0], bytes, 65536);
    }
}

static void copies(void) {
    int from = file("/tmp/x"), to = file("/tmp/y");
    write(from, room(64 * MiB), 64 * MiB);
    for (;;) {
        off_t in = 0, out = 0;
        copy_file_range(from, &in, to, &out, 64 * MiB, 0);
    }
}

static void randoms(void) {
    char *bytes = room(64 * MiB);
    for (;;) syscall(SYS_getrandom, bytes, 64 * MiB, 0);
}

/* Other calls. */

static void protects(void) {
    char *bytes = room(2000 * MiB);
    for (;;) {
        mprotect(bytes, 2000 * MiB, PROT_READ);
        mprotect(bytes, 2000 * MiB, PROT_READ | PROT_WRITE);
    }
}

static void shares(void) {
    int fd = file("/tmp/x");
    ftruncate(fd, 512 * MiB);
    for (;;) {
        char *bytes = mmap(NULL, 512 * MiB, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        for (size_t at = 0; at < 512 * MiB; at += 4096) bytes[at]++;
        msync(bytes, 512 * MiB, MS_SYNC);
        munmap(bytes, 512 * MiB);
    }
}

static void touches(void) {
    for (;;) {
        char *bytes = room(512 * MiB);
        for (size_t at = 0; at < 512 * MiB; at += 4096) bytes[at] = 1;
        munmap(bytes, 512 * MiB);
    }
}

static void paths(void) {
    char path[400] = "/tmp";
    struct stat stat_;
    mkdir("/tmp/a", 0700);
    symlink("/tmp/a/../a", "/tmp/a/a");
    for (int i = 0; i < 30; i++) strcat(path, "/a/a/..");
    for (;;) stat(path, &stat_);
}

static void lists(void) {
    char path[40];
    for (int i = 0; i < 5000; i++) {
        sprintf(path, "/tmp/f%d", i);
        close(file(path));
    }
    for (;;) {
        DIR *folder = opendir("/tmp");
        while (readdir(folder)) {}
        closedir(folder);
    }
}

static void truncates(void) {
    for (int fd = file("/tmp/x");;) {
        ftruncate(fd, 0);
        posix_fallocate(fd, 0, 512 * MiB);
    }
}

/* Single instructions. */

static void fills(void) {
    for (char *bytes = room(256 * MiB);;) {
        void *to = bytes;
        size_t count = 256 * MiB;
        __asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(1) : "memory");
    }
}

static void scans(void) {
    for (char *bytes = room(256 * MiB);;) {
        void *at = bytes;
        size_t count = 256 * MiB;
        __asm__ volatile("repe scasb" : "+D"(at), "+c"(count) : "a"(0) : "memory");
    }
}

static void sines(void) {
    for (;;) __asm__ volatile("fldpi; fsin; fstp %%st(0)" ::: "memory");
}

static void logarithms(void) {
    for (;;) __asm__ volatile("fldpi; fldpi; fyl2x; fstp %%st(0)" ::: "memory");
}

static void decimals(void) {
    char digits[10];
    for (;;) __asm__ volatile("fldpi; fbstp %0" : "=m"(digits));
}

static void saves(void) {
    static char image[512] __attribute__((aligned(16)));
    for (;;) __asm__ volatile("fxsave %0; fxrstor %0" : "+m"(image));
}

static void rewrites(void) {
    unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    code[0] = 0xb8; /* mov eax, i; ret */
    code[5] = 0xc3;
    for (unsigned i = 0;; i++) {
        memcpy(code + 1, &i, sizeof i);
        ((int (*)(void))code)();
    }
}

static sigjmp_buf back;
static void caught(int number) { siglongjmp(back, number); }

static void faults(void) {
    struct sigaction action = {.sa_handler = caught};
    sigaction(SIGSEGV, &action, NULL);
    for (;;)
        if (!sigsetjmp(back, 1)) *(volatile char *)8 = 1;
}

/* What only fills memory: 900 MiB of it. */

static void memfds(void) {
    int fd = memfd_create("m", 0);
    for (int i = 0; i < 14; i++) write(fd, room(64 * MiB), 64 * MiB);
}

static void write_of_all(void) { write(memfd_create("m", 0), room(900 * MiB), 900 * MiB); }

static void full_pipes(void) {
    char *bytes = room(MiB);
    for (int i = 0; i < 900; i++) {
        int ends[2];
        pipe(ends);
        fcntl(ends[1], F_SETPIPE_SZ, MiB);
        write(ends[1], bytes, MiB);
    }
}

#define way(name) {#name, name}
static const struct {
    const char *name;
    void (*run)(void);
} ways[] = {
    way(pwrites), way(preads),    way(vectors), way(pipes),      way(copies),   way(randoms), way(protects), way(shares),
    way(touches), way(paths),     way(lists),   way(truncates),  way(fills),    way(scans),   way(sines),    way(logarithms),
    way(decimals), way(saves),    way(rewrites), way(faults),    way(memfds),   way(write_of_all), way(full_pipes),
};

int main(int count, char **words) {
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (count < 2)
            puts(ways[i].name);
        else if (strcmp(words[1], ways[i].name) == 0)
            ways[i].run();
    return 0;
}
