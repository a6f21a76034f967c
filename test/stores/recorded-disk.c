// For LD_PRELOAD: records what a process asks of the files of one folder, in its order. A write is recorded before it
// begins, and a sync after it has ended: what is on the disk in between is the choice of the disk.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

static void record(int fd, const char *kind, long long at, const void *data, size_t length) {
  static int log = -1;
  const char *folder = getenv("RECORDED_FOLDER");
  char link[64], path[4096], head[4200];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (folder == NULL || size < 0) return;
  path[size] = 0;
  size_t start = strlen(folder);
  if (strncmp(path, folder, start) != 0 || path[start] != '/') return;
  if (log < 0) log = open(getenv("RECORDED_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0600);
  int n = snprintf(head, sizeof head, "%s %s %lld %zu\n", kind, path + start + 1, at, length);
  REAL(ssize_t, "write", int, const void *, size_t)(log, head, n);
  if (length > 0) REAL(ssize_t, "write", int, const void *, size_t)(log, data, length);
}

ssize_t write(int fd, const void *data, size_t length) {
  record(fd, "print", 0, data, length);
  return REAL(ssize_t, "write", int, const void *, size_t)(fd, data, length);
}
ssize_t pwrite64(int fd, const void *data, size_t length, off64_t at) {
  record(fd, "write", at, data, length);
  return REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t)(fd, data, length, at);
}
ssize_t pwrite(int fd, const void *data, size_t length, off_t at) { return pwrite64(fd, data, length, at); }
int ftruncate64(int fd, off64_t length) {
  record(fd, "truncate", length, NULL, 0);
  return REAL(int, "ftruncate64", int, off64_t)(fd, length);
}
int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }
int fsync(int fd) {
  int result = REAL(int, "fsync", int)(fd);
  if (result == 0) record(fd, "sync", 0, NULL, 0);
  return result;
}
int fdatasync(int fd) {
  int result = REAL(int, "fdatasync", int)(fd);
  if (result == 0) record(fd, "sync", 0, NULL, 0);
  return result;
}
