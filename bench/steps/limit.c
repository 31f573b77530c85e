/*
 * The limit: the system calls of a send, a claim and a whole lifecycle with nothing around them.
 *
 *   limit send|claim|lifecycle ROOT QUEUE MESSAGE COUNT
 *
 * prints the nanoseconds of processor time a message took. The folders are there already; paths are made before the clock starts.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static char message[4096], buffer[4096];
static size_t length;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static char **paths(const char *folder, const char *below, int first, int count) {
  char **all = malloc(sizeof(char *) * count);
  for (int i = 0; i < count; i++)
    if (asprintf(&all[i], "%s%s/20250704T103000Z-%08x-from-claude-to-gemini.md", folder, below, first + i) < 0)
      fail("asprintf");
  return all;
}

static void renamenew(const char *from, const char *to) {
  if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1 /* RENAME_NOREPLACE */) != 0) fail("renameat2");
}

static void send_one(const char *draft, const char *to) {
  int fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) fail("open");
  if (write(fd, message, length) != (ssize_t)length) fail("write");
  close(fd);
  renamenew(draft, to);
}

static void move_one(const char *from, const char *to, const char *status) {
  int fd = open(from, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) fail("open");
  ssize_t got = pread(fd, buffer, sizeof buffer, 0);
  char *at = got < 0 ? NULL : memmem(buffer, got, "\nstatus: ", 9);
  if (!at) fail("status");
  renamenew(from, to);
  if (pwrite(fd, status, 10, at + 9 - buffer) != 10) fail("pwrite");
  close(fd);
}

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  const char step = argv[1][0], *queue = argv[3];
  int count = atoi(argv[5]), first = step == 'l' ? count : 0;
  FILE *file = fopen(argv[4], "r");
  if (!file) fail(argv[4]);
  length = fread(message, 1, sizeof message, file);
  char **draft = paths(argv[2], "/.signalbox/engine/tmp", first, count);
  char **pending = paths(queue, "/pending", first, count);
  char **taken = paths(queue, "/processing", first, count);
  char **done = paths(queue, "/completed", first, count);
  struct timespec a, b;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
  for (int i = 0; i < count; i++) {
    if (step != 'c') send_one(draft[i], pending[i]);
    if (step != 's') move_one(pending[i], taken[i], "processing");
    if (step == 'l') move_one(taken[i], done[i], "completed ");
  }
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
  printf("%.1f\n", ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / count);
  return 0;
}
