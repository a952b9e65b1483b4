/* No library at all: writes a line and ends. Small, so that most of its file is headers. */
static long call(long number, long first, const void *second, long third) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(first), "S"(second), "d"(third) : "rcx", "r11", "memory");
  return result;
}

void _start(void) {
  static const char line[] = "tiny\n";
  call(1, 1, line, sizeof line - 1);
  call(231, 0, 0, 0);
}
