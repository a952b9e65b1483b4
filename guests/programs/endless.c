// Never ends by itself, in the way its first argument names; `pool` in the working directory is its memory.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void spin(void)
{
    for (volatile long i = 0;; i++)
        ;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int fd = open("pool", O_RDWR | O_CREAT, 0600);
    ftruncate(fd, 4096);
    volatile char *pool = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (strcmp(how, "spin") == 0) pool[0] = 'x', spin();
    if (strcmp(how, "wait") == 0) {
        char text[64];
        pool[0] = 'x';
        while (read(0, text, sizeof text) > 0)
            ;
    }
    if (strcmp(how, "eat") == 0)
        for (;;) {
            char *more = malloc(1 << 20);
            if (more == NULL) spin();
            memset(more, 1, 1 << 20);
        }
    // A program that ends, and a recovery that does not where only half of it was done.
    if (strcmp(how, "write") == 0)
        for (int line = 0; line < 20; line++) {
            pool[64 * line] = 1;
            __builtin_ia32_clflush((void *)(pool + 64 * line));
        }
    if (strcmp(how, "recover") == 0 && pool[64 * 10] && !pool[64 * 19]) spin();
}
