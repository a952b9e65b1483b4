/*
 * Writes WRITTEN KiB of a mapping of MAPPED MiB of a file of SIZE MiB, each line flushed:
 * written POOL SIZE MAPPED WRITTEN [flush|keep|look]. With `keep` nothing is flushed; with `look` nothing is written.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 6) return 2;
    size_t size = strtoul(argv[2], NULL, 10) << 20, mapped = strtoul(argv[3], NULL, 10) << 20;
    size_t written = strtoul(argv[4], NULL, 10) << 10;
    int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, size)) return 3;
    long *pool = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (pool == MAP_FAILED) return perror("mmap"), 4;
    if (argv[5][0] == 'l') return pool[0] < 0;
    for (size_t at = 0; at < written / sizeof *pool; at++) {
        pool[at] = at;
        if (argv[5][0] == 'f' && at % 8 == 7) __builtin_ia32_clflush(&pool[at]);
    }
    __builtin_ia32_sfence();
    return write(1, "done\n", 5) != 5;
}
