// System calls on files that are nearly all holes, in the directory of its first argument: each is over at once, natively too.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_SIZE (1L << 43)
static const char *name(long result) { return result < 0 ? strerrorname_np(errno) : "done"; }

int main(int argc, char **argv)
{
    if (argc < 2 || chdir(argv[1])) return 2;
    int fd = open("sparse", O_RDWR | O_CREAT, 0600);
    printf("grow: %s\n", name(ftruncate(fd, HUGE_SIZE)));
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) return 3;
    page[0] = 1;
    printf("data from 0: %ld, from 1 MiB: %s\n", (long)lseek(fd, 0, SEEK_DATA), name(lseek(fd, 1 << 20, SEEK_DATA)));
    printf("hole from 1 MiB: %ld, behind the end: %s\n", (long)lseek(fd, 1 << 20, SEEK_HOLE), name(lseek(fd, HUGE_SIZE, SEEK_HOLE)));
    printf("write at the end: %ld\n", (long)pwrite(fd, "x", 1, HUGE_SIZE - 1));
    printf("data from 1 MiB: %ld\n", (long)lseek(fd, 1 << 20, SEEK_DATA));
    int punch = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    printf("punch all: %s\n", name(fallocate(fd, punch, 0, HUGE_SIZE)));
    printf("punch beyond: %s\n", name(fallocate(fd, punch, HUGE_SIZE * 2, 1L << 40)));
    printf("punch nothing: %s, before the start: %s\n", name(fallocate(fd, punch, 0, 0)), name(fallocate(fd, punch, -1, 5)));
    printf("page: %d\n", page[0]);
    printf("shrink: %s\n", name(ftruncate(fd, 0)));
    printf("grow again: %s, data: %s\n", name(ftruncate(fd, HUGE_SIZE)), name(lseek(fd, 0, SEEK_DATA)));
    unlink("sparse");
}
