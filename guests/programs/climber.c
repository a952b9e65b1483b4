// Tries to leave a granted directory by changing what a name in it means while something still holds what it meant.
// climber HOW GRANTED OUTSIDE: gets hold of a directory in GRANTED, makes its name lead to OUTSIDE, and goes through it.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void say(const char *what, long result)
{
    printf("%s: %s\n", what, result < 0 ? strerrorname_np(errno) : "done");
}

static int directory(const char *name)
{
    mkdir(name, 0755);
    return open(name, O_RDONLY | O_DIRECTORY);
}

static int by_removing(const char *outside)
{
    int held = directory("a");
    rmdir("a");
    symlink(outside, "a");
    return held;
}

static int by_renaming_over(const char *outside)
{
    int held = directory("a");
    mkdir("b", 0755);
    rename("b", "a");
    rmdir("a");
    symlink(outside, "a");
    return held;
}

static int by_moving(const char *outside)
{
    mkdir("a", 0755);
    int held = directory("a/inner");
    rename("a", "c");
    symlink(outside, "a");
    return held;
}

static int as_working_directory(const char *outside)
{
    char granted[4096];
    char name[4200];
    getcwd(granted, sizeof granted);
    mkdir("a", 0755);
    chdir("a");
    snprintf(name, sizeof name, "%s/a", granted);
    rmdir(name);
    symlink(outside, name);
    return AT_FDCWD;
}

static int by_name(const char *outside)
{
    symlink(outside, "a");
    return open("a", O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

static void go_through(int held)
{
    char text[64] = "";
    int fd = openat(held, "victim", O_RDWR);
    say("open", fd);
    say("read", read(fd, text, sizeof text - 1));
    printf("the guest sees %s\n", text);
    say("write", pwrite(fd, "CHANGED", 7, 0));
    say("ftruncate", ftruncate(fd, 3));
    say("fchmod", fchmod(fd, 0777));
    say("create", openat(held, "new", O_CREAT | O_WRONLY, 0644));
    say("mkdir", mkdirat(held, "folder", 0755));
    say("symlink", symlinkat("victim", held, "soft"));
    say("link", linkat(held, "victim", held, "hard", 0));
    say("chmod", fchmodat(held, "other", 0777, 0));
    say("utimens", utimensat(held, "other", NULL, 0));
    say("rename", renameat(held, "other", held, "victim"));
    say("rename into", renameat(AT_FDCWD, "own", held, "other"));
    say("unlink", unlinkat(held, "doomed", 0));
    say("rmdir", unlinkat(held, "empty", AT_REMOVEDIR));
    char entries[4096];
    long count = syscall(SYS_getdents64, held, entries, sizeof entries);
    printf("names: %s\n", count < 0 ? strerrorname_np(errno) : count > 48 ? "some" : "none");
}

static const struct {
    const char *name;
    int (*hold)(const char *outside);
} ways[] = {
    {"removing", by_removing},
    {"renaming-over", by_renaming_over},
    {"moving", by_moving},
    {"working-directory", as_working_directory},
    {"name", by_name},
};

// Opens, writes and removes GRANTED/turn/victim over and over, while somebody else makes `turn` a directory and a link by turns.
static void race(long times)
{
    long written = 0;
    for (long i = 0; i < times; i++) {
        int fd = open("turn/victim", O_RDWR | O_NOFOLLOW);
        if (fd >= 0 && pwrite(fd, "CHANGED", 7, 0) == 7) written++;
        close(fd);
        chmod("turn/other", 0700);
        rename("turn/victim", "turn/moved");
        rename("turn/moved", "turn/victim");
        close(open("turn/new", O_CREAT | O_WRONLY, 0644));
        unlink("turn/new");
    }
    fprintf(stderr, "written %ld times\n", written);
}

// Run natively beside `race`: exchanges the directory `turn` and the link `other-turn` until it is killed.
static void swap(const char *outside)
{
    mkdir("turn", 0755);
    close(open("turn/victim", O_CREAT | O_WRONLY, 0644));
    symlink(outside, "other-turn");
    puts("ready");
    for (;;) renameat2(AT_FDCWD, "turn", AT_FDCWD, "other-turn", RENAME_EXCHANGE);
}

static void set_ids(void)
{
    close(open("set", O_CREAT | O_WRONLY, 06777));
    say("chmod", chmod("set", 06777));
    int fd = open("set", O_WRONLY);
    say("fchmod", fchmod(fd, 06777));
    say("mkdir", mkdir("set-folder", 06777));
    say("chmod folder", chmod("set-folder", 07777));
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc < 4 || chdir(argv[2]) < 0) return 2;
    if (strcmp(argv[1], "race") == 0) return race(2000), 0;
    if (strcmp(argv[1], "swap") == 0) swap(argv[3]);
    if (strcmp(argv[1], "set-ids") == 0) return set_ids(), 0;
    close(open("own", O_CREAT | O_WRONLY, 0644));
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(argv[1], ways[i].name) == 0) return go_through(ways[i].hold(argv[3])), 0;
    return 2;
}
