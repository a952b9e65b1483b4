// execve(2): what is refused and how, what a script becomes, and what of a process outlives its program.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

static void
write_file(const char *name, const char *text, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		exit(9);
	close(fd);
	chmod(name, mode);
}

static void
refused(const char *name)
{
	char *argv[] = {"refused", NULL};
	int result = execve(name, argv, NULL);
	printf("%s: %d %s\n", name, result, strerror(errno));
}

static void
on_signal(int number)
{
	printf("signal %d\n", number);
}

static void
show(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		printf("argument %d: %s\n", i, argv[i]);
	for (char **variable = environ; *variable; variable++)
		printf("variable: %s\n", *variable);
	char kept[8] = "";
	ssize_t length = pread(10, kept, 4, 0);
	printf("descriptor 10: %zd %s; 11: %d %s\n", length, kept, fcntl(11, F_GETFD), strerror(errno));
	struct sigaction action;
	sigaction(SIGUSR1, NULL, &action);
	printf("SIGUSR1 %s\n", action.sa_handler == SIG_IGN ? "ignored" : "not ignored");
	sigaction(SIGUSR2, NULL, &action);
	printf("SIGUSR2 %s\n", action.sa_handler == SIG_DFL ? "default" : "not default");
	sigset_t mask, pending;
	sigprocmask(SIG_SETMASK, NULL, &mask);
	sigpending(&pending);
	printf("SIGHUP blocked %d, pending %d\n", sigismember(&mask, SIGHUP), sigismember(&pending, SIGHUP));
	struct itimerval timer;
	getitimer(ITIMER_REAL, &timer);
	printf("timer %s\n", timer.it_value.tv_sec > 1000 ? "runs" : "stopped");
	int *data = calloc(1, 1 << 20);
	data[1000] = 7;
	printf("memory %d\n", data[1000] + data[2000]);
	char name[32] = "";
	FILE *comm = fopen("/proc/self/comm", "r");
	printf("command %s", comm && fgets(name, sizeof name, comm) ? name : "?\n");
	unsigned char page;
	printf("old mapping %s\n", mincore((void *)0x300000000000, 4096, &page) ? strerror(errno) : "there");
}

int
main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "of a script") == 0) {
		show(argc, argv);
		char *again[] = {argv[0], "again", NULL};
		fflush(stdout);
		execve("/proc/self/exe", again, environ);
		return 8;
	}
	if (argc > 1) {
		printf("%s, pid %s\n", argv[1], getpid() > 1 ? "as before" : "?");
		return 5;
	}
	mkdir("folder", 0700);
	write_file("plain", "no program\n", 0700);
	write_file("private", "#!/bin/sh\n", 0600);
	write_file("lost", "#!/no/such/interpreter\n", 0700);
	write_file("loop", "#!./loop\n", 0700);
	write_file("blank", "#!  \n", 0700);
	const char *names[] = {"missing", "folder", "plain", "private", "lost", "loop", "blank", "plain/below"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		refused(names[i]);
	char **volatile nowhere = (char **)8;
	int result = execve("plain", nowhere, NULL);
	printf("%d %s\n", result, strerror(errno));
	char line[4096];
	snprintf(line, sizeof line, "#! %s of a script  \nignored\n", argv[0]);
	write_file("script", line, 0700);
	write_file("outer", "#!./script more\n", 0700);
	dup2(open("plain", O_RDONLY), 10);
	fcntl(dup2(10, 11), F_SETFD, FD_CLOEXEC);
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, on_signal);
	sigset_t mask;
	sigemptyset(&mask);
	sigaddset(&mask, SIGHUP);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	raise(SIGHUP);
	struct itimerval timer = {.it_value = {.tv_sec = 5000}};
	setitimer(ITIMER_REAL, &timer, NULL);
	char *given[] = {"outer", "one", "two words", NULL};
	char *environment[] = {"A=1", "B=", NULL};
	fflush(stdout);
	execve("outer", given, environment);
	perror("execve");
	return 7;
}
