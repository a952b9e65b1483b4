/*
 * malloc and its kin from a file of persistent memory at a fixed address; blackout preloads it (docs/pm-heap.md). Always:
 * - Nothing of its own lies in persistent memory: no header, no list, no flush, no fence. What a crash leaves there is the program's
 *   doing alone, and no fence of ours completes a flush of the program's. (A lock, once there are several threads, does.)
 * - Memory that an earlier run was given is never given again: the file's length says how far that went. So whatever the program
 *   can still reach stays its own, and what it has lost is lost.
 * - A piece that was never given holds a byte that was persisted before, over and over: no allocator promises zeros.
 */
#define _GNU_SOURCE
#include "../include/blackout.h"
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  chunk_bytes = 65536,
  growth_bytes = 1 << 20,
  roots_bytes = BLACKOUT_ROOTS * BLACKOUT_ROOT_BYTES,
  most_chunks = 16384,
  classes = 24,
  early_bytes = 65536,
};
/* Of a chunk: of an earlier run or none, the first of a large piece, a later one; else a size class from 0 on. */
enum { unknown = 255, large = 254, rest_of_large = 253 };

/* 16, 32, 48, 64, 96, 128, 192, ... up to half a chunk; those that are powers of two are aligned to their own size. */
static size_t class_bytes[classes];
static int class_count;
static struct { void **pieces; size_t count, room; } freed[classes];
static struct { char *next, *end; } open_chunk[classes];

static unsigned char chunk_class[most_chunks];
static unsigned chunk_length[most_chunks];
static char *const base = (char *)BLACKOUT_HEAP_BASE;
static size_t next_chunk, end_chunk, file_bytes;
/* What new memory holds; the roots are zero. */
static unsigned char fill_byte;
static int heap_file = -1;
static volatile int taken;

/* Before the heap is there, and for what the linker asks for then. */
static char early[early_bytes] __attribute__((aligned(16)));
static size_t early_used;

static void lock(void) {
  if (__libc_single_threaded) return;
  while (__atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE)) sched_yield();
}
static void unlock(void) {
  if (!__libc_single_threaded) __atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
}

static void give_up(const char *what, const char *path) {
  const char *reason = strerror(errno);
  const char *const words[] = {"blackout: the heap ", path, " ", what, ": ", reason, "\n"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (write(2, words[i], strlen(words[i])) < 0) break;
  _exit(2);
}

/* Standard streams get buffers elsewhere: nobody means them to be persistent. */
static void keep_streams_out(void) {
  static char buffers[2][BUFSIZ];
  setvbuf(stdin, buffers[0], isatty(0) ? _IOLBF : _IOFBF, BUFSIZ);
  setvbuf(stdout, buffers[1], isatty(1) ? _IOLBF : _IOFBF, BUFSIZ);
}

__attribute__((constructor(101))) static void start(void) {
  const char *path = getenv("BLACKOUT_PM_HEAP"), *bytes = getenv("BLACKOUT_PM_HEAP_BYTES");
  const char *fill = getenv("BLACKOUT_PM_HEAP_FILL");
  if (path == NULL || bytes == NULL) return;
  if (fill != NULL) fill_byte = (unsigned char)strtoul(fill, NULL, 10);
  for (size_t size = 16; size <= chunk_bytes / 2; size *= 2) {
    class_bytes[class_count++] = size;
    if (size >= 32 && size < chunk_bytes / 2) class_bytes[class_count++] = size + size / 2;
  }
  memset(chunk_class, unknown, sizeof chunk_class);
  end_chunk = strtoul(bytes, NULL, 10) / chunk_bytes;
  if (end_chunk > most_chunks) end_chunk = most_chunks;
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  struct stat found;
  if (fd < 0 || fstat(fd, &found) != 0) give_up("cannot be opened", path);
  file_bytes = (size_t)found.st_size;
  if (file_bytes < roots_bytes) {
    file_bytes = roots_bytes;
    if (ftruncate(fd, (off_t)file_bytes) != 0) give_up("cannot be made", path);
  }
  size_t whole = end_chunk * chunk_bytes;
  if (mmap(base, whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0) != base)
    give_up("cannot be mapped at its address", path);
  next_chunk = (file_bytes + chunk_bytes - 1) / chunk_bytes;
  keep_streams_out();
  heap_file = fd;
}

/* By calls, whose bytes are persisted; where they are zeros, the file is long enough. */
static int fill_file(size_t from, size_t end) {
  static char bytes[4096];
  if (fill_byte == 0) return 1;
  memset(bytes, fill_byte, sizeof bytes);
  for (size_t at = from; at < end;) {
    size_t left = end - at < sizeof bytes ? end - at : sizeof bytes;
    ssize_t done = pwrite(heap_file, bytes, left, (off_t)at);
    if (done <= 0) return 0;
    at += (size_t)done;
  }
  return 1;
}

/* So many chunks that were never given to anyone, as they were filled; NULL when there are no more. */
static char *take_chunks(size_t count, unsigned char kind) {
  if (count > end_chunk - next_chunk || next_chunk > end_chunk) return NULL;
  size_t end = (next_chunk + count) * chunk_bytes;
  if (end > file_bytes) {
    size_t wanted = (end + growth_bytes - 1) / growth_bytes * growth_bytes;
    if (wanted > end_chunk * chunk_bytes) wanted = end_chunk * chunk_bytes;
    if (ftruncate(heap_file, (off_t)wanted) != 0 || !fill_file(file_bytes, wanted)) return NULL;
    file_bytes = wanted;
  }
  size_t first = next_chunk;
  next_chunk += count;
  chunk_class[first] = kind;
  chunk_length[first] = (unsigned)count;
  for (size_t i = 1; i < count; i++) chunk_class[first + i] = rest_of_large;
  return base + first * chunk_bytes;
}

static int class_for(size_t size, size_t alignment) {
  for (int i = 0; i < class_count; i++)
    if (class_bytes[i] >= size && class_bytes[i] % alignment == 0) return i;
  return -1;
}

/* A piece, and whether it holds zeros. */
static void *take(size_t size, size_t alignment, int *is_zero) {
  int class = class_for(size, alignment);
  *is_zero = fill_byte == 0;
  if (class < 0) {
    if (size > end_chunk * (size_t)chunk_bytes) return NULL;
    size_t extra = alignment > chunk_bytes ? alignment / chunk_bytes : 0;
    char *start = take_chunks((size + chunk_bytes - 1) / chunk_bytes + extra, large);
    if (start == NULL || extra == 0) return start;
    return (void *)(((uintptr_t)start + alignment - 1) & ~(uintptr_t)(alignment - 1));
  }
  if (freed[class].count > 0) {
    *is_zero = 0;
    return freed[class].pieces[--freed[class].count];
  }
  if (open_chunk[class].next == open_chunk[class].end) {
    char *start = take_chunks(1, (unsigned char)class);
    if (start == NULL) return NULL;
    open_chunk[class].next = start;
    open_chunk[class].end = start + chunk_bytes / class_bytes[class] * class_bytes[class];
  }
  char *piece = open_chunk[class].next;
  open_chunk[class].next += class_bytes[class];
  return piece;
}

static int is_ours(const void *piece) {
  return (uintptr_t)piece - BLACKOUT_HEAP_BASE < end_chunk * (uintptr_t)chunk_bytes;
}
static size_t chunk_of(const void *piece) { return ((uintptr_t)piece - BLACKOUT_HEAP_BASE) / chunk_bytes; }

static void *take_early(size_t size, size_t alignment) {
  size_t start = (early_used + alignment - 1) & ~(alignment - 1);
  if (size > early_bytes || start > early_bytes - size) return NULL;
  early_used = start + size;
  return early + start;
}

static void *allocate(size_t size, size_t alignment, int *is_zero) {
  void *piece;
  *is_zero = 1;
  if (heap_file < 0) piece = take_early(size, alignment);
  else {
    lock();
    piece = take(size == 0 ? 1 : size, alignment, is_zero);
    unlock();
  }
  if (piece == NULL) errno = ENOMEM;
  return piece;
}

void *malloc(size_t size) {
  int is_zero;
  return allocate(size, 16, &is_zero);
}

void *calloc(size_t count, size_t size) {
  size_t bytes;
  int is_zero;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  void *piece = allocate(bytes, 16, &is_zero);
  if (piece != NULL && !is_zero) memset(piece, 0, bytes);
  return piece;
}

/* Pieces of an earlier run stay as they are: how long they were is not known. */
void free(void *piece) {
  if (piece == NULL || !is_ours(piece)) return;
  unsigned char class = chunk_class[chunk_of(piece)];
  if (class >= classes) return;
  int before = errno;
  lock();
  if (freed[class].count == freed[class].room) {
    size_t room = freed[class].room == 0 ? 512 : 2 * freed[class].room;
    void *pieces = mmap(NULL, room * sizeof(void *), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pieces != MAP_FAILED) {
      memcpy(pieces, freed[class].pieces, freed[class].count * sizeof(void *));
      if (freed[class].room > 0) munmap(freed[class].pieces, freed[class].room * sizeof(void *));
      freed[class].pieces = pieces;
      freed[class].room = room;
    }
  }
  if (freed[class].count < freed[class].room) freed[class].pieces[freed[class].count++] = piece;
  unlock();
  errno = before;
}

/* For a piece of an earlier run, what could be read of it at most. */
size_t malloc_usable_size(void *piece) {
  if (piece == NULL) return 0;
  if (!is_ours(piece)) return (size_t)(early + early_bytes - (char *)piece);
  size_t chunk = chunk_of(piece);
  unsigned char class = chunk_class[chunk];
  if (class < classes) return class_bytes[class];
  if (class == large) return chunk_length[chunk] * (size_t)chunk_bytes - ((uintptr_t)piece - BLACKOUT_HEAP_BASE) % chunk_bytes;
  return file_bytes - ((uintptr_t)piece - BLACKOUT_HEAP_BASE);
}

void *realloc(void *piece, size_t size) {
  if (piece == NULL) return malloc(size);
  if (size == 0) {
    free(piece);
    return NULL;
  }
  size_t old = malloc_usable_size(piece);
  int is_known = is_ours(piece) && chunk_class[chunk_of(piece)] != unknown;
  if (is_known && size <= old && size > old / 4) return piece;
  void *other = malloc(size);
  if (other == NULL) return NULL;
  memcpy(other, piece, old < size ? old : size);
  free(piece);
  return other;
}

void *reallocarray(void *piece, size_t count, size_t size) {
  size_t bytes;
  if (!__builtin_mul_overflow(count, size, &bytes)) return realloc(piece, bytes);
  errno = ENOMEM;
  return NULL;
}

static int is_alignment(size_t alignment) { return alignment != 0 && (alignment & (alignment - 1)) == 0; }

void *memalign(size_t alignment, size_t size) {
  int is_zero;
  if (is_alignment(alignment)) return allocate(size, alignment < 16 ? 16 : alignment, &is_zero);
  errno = EINVAL;
  return NULL;
}
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void **into, size_t alignment, size_t size) {
  if (!is_alignment(alignment) || alignment % sizeof(void *) != 0) return EINVAL;
  int before = errno;
  void *piece = memalign(alignment, size);
  errno = before;
  if (piece == NULL) return ENOMEM;
  *into = piece;
  return 0;
}
void *valloc(size_t size) { return memalign(4096, size); }
void *pvalloc(size_t size) { return memalign(4096, (size + 4095) & ~(size_t)4095); }
