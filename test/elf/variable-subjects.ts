/** Programs whose variables are compared with what gdb says: registers, pieces, lists of places, inlined functions. */

export const cVariables = `
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *next; unsigned long key; char tag[6]; unsigned flags : 3, kind : 5; };
struct pair { unsigned long first, second; };
struct store { unsigned long count; struct node *head; struct pair pairs[8]; };
static struct store *root;
int calls;
static inline unsigned long mix(unsigned long x) { unsigned long y = x ^ (x >> 7); y *= 0x9e3779b1u; return y ^ (y << 3); }
__attribute__((noinline)) static unsigned long total(struct pair p, int scale) { static int uses; uses++; return (p.first + p.second) * scale + uses; }
__attribute__((noinline)) static struct node *push(struct store *store, unsigned long key, char letter) {
  struct node *n = calloc(1, sizeof *n);
  if (!n) abort();
  n->key = mix(key);
  n->next = store->head;
  memset(n->tag, letter, sizeof n->tag);
  store->head = n;
  for (int i = 0; i < 3; i++) { unsigned long m = mix(key + i); store->pairs[i].second += m; }
  calls++;
  return n;
}
__attribute__((noinline)) static int sum(const struct store *s, int limit) {
  int result = 0;
  for (const struct node *n = s->head; n && limit > 0; n = n->next, limit--) {
    struct pair p = { n->key, mix(n->key) };
    result += total(p, 3) + (n->key & 1 ? n->tag[2] : -n->tag[1]);
  }
  return result;
}
int main(int argc, char **argv) {
  root = calloc(1, sizeof *root);
  int local[4] = { argc, 2, 3, 4 };
  for (int i = 0; i < 4; i++) { char c = 'a' + i; push(root, local[i] * 77, c); }
  unsigned n = 5 * argc;
  char vla[n]; memset(vla, 0, n); vla[argc] = 7;
  printf("%d %d %s\\n", sum(root, argc + 2), vla[1], argv[0]);
  return 0;
}
`;

export const cppVariables = `
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>
namespace shop {
struct Item { long id; int price[3]; };
class Shelf {
 public:
  explicit Shelf(int room) : room_(room) { items_.reserve(room); }
  virtual ~Shelf() = default;
  __attribute__((noinline)) virtual int add(const Item &item, int times) {
    int added = 0;
    for (int i = 0; i < times && added < room_; i++) {
      items_.push_back(item);
      added += touch(items_.back(), i);
    }
    return added;
  }
 private:
  static int touch(Item &item, int by) { item.id += by; item.price[by % 3] = by; return 1; }
  int room_;
  std::vector<Item> items_;
};
static Item stock[4];
template <typename T> __attribute__((noinline)) T largest(const T *from, unsigned count) {
  T best = from[0];
  for (unsigned i = 1; i < count; i++) { T candidate = from[i]; if (best < candidate) best = candidate; }
  return best;
}
}
int main(int argc, char **argv) {
  shop::Shelf shelf(5 * argc);
  shop::Item item{argc, {1, 2, 3}};
  long ids[3] = {argc, 9, 4};
  auto twice = [&](long x) { long y = x * 2; return y + argc; };
  shop::stock[argc].id = twice(ids[0]);
  int added = shelf.add(item, 3) + shelf.add(shop::stock[1], 2);
  std::printf("%d %ld %s\\n", added, shop::largest(ids, 3), std::string(argv[0]).c_str());
  return 0;
}
`;
