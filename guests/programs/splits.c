// Cuts one mapping into as many as it can get: splits private|shared PAGES.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    long count = argc > 2 ? atol(argv[2]) : 0;
    int is_shared = strcmp(argv[1], "shared") == 0;
    int fd = is_shared ? open("splits-pool", O_RDWR | O_CREAT, 0600) : -1;
    if (is_shared) ftruncate(fd, 2 * count * 4096);
    char *area = mmap(NULL, 2 * count * 4096, PROT_READ | PROT_WRITE,
                      is_shared ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
    if (area == MAP_FAILED) return 1;
    long split = 0;
    while (split < count && mprotect(area + 2 * split * 4096, 4096, PROT_READ) == 0) split++;
    // Other mappings of the process, by a library or two, are not the same everywhere.
    printf("%ld thousand splits, %s\n", (split + 500) / 1000, split < count ? strerrorname_np(errno) : "all done");
    long holes = 0;
    while (holes < count && munmap(area + (2 * holes + 1) * 4096, 4096) == 0) holes++;
    printf("%ld holes\n", holes);
}
