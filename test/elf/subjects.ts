/** Programs written for these tests: deep inlining, several ranges per function, and every shape of type. */

export const cSubject = `
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *next; unsigned long key; char tag[6]; unsigned flags : 3, kind : 5; };
union word { unsigned long whole; struct { unsigned low, high; } parts; unsigned char bytes[8]; };
enum color { red, green = 7, blue = -2 };
typedef struct { struct node *head; size_t count; enum color color; union word words[2][3]; int (*visit)(int); } list_t;
struct point { double x, y; };
struct nested { int a; struct { short b; struct point c[2]; }; volatile const char *name; long double wide; int open[]; };

static inline __attribute__((always_inline)) unsigned mix(unsigned x) { x ^= x >> 7; x *= 0x9e3779b1u; return x ^ (x << 3); }
static inline __attribute__((always_inline)) unsigned mix_twice(unsigned x) {
  unsigned y = mix(x);
  if (y & 1) y = mix(y + 1);
  return y;
}
static list_t list;
struct nested *keep_nested;
static void push(list_t *l, unsigned key) {
  struct node *n = malloc(sizeof *n);
  if (!n) abort();
  n->key = mix_twice(key);
  n->next = l->head;
  l->head = n;
  l->count++;
}
static int compare(const void *a, const void *b) {
  const struct point *p = a, *q = b;
  return p->x < q->x ? -1 : p->x > q->x;
}
__attribute__((cold, noinline)) void fail(const char *why) { fprintf(stderr, "%s\\n", why); exit(1); }
int main(int argc, char **argv) {
  struct point points[16];
  for (int i = 0; i < 16; i++) points[i] = (struct point){ mix(i) % 100, i };
  qsort(points, 16, sizeof *points, compare);
  for (int i = 0; i < 100 * argc; i++) push(&list, i);
  unsigned long sum = 0;
  for (struct node *n = list.head; n; n = n->next) sum += n->key + mix_twice(sum);
  if (list.count == 0) fail("empty");
  printf("%lu %f\\n", sum, points[3].x);
  return strlen(argv[0]) == 0;
}
`;

/** Prints each member's place as the compiler sees it, for comparison with what the debug information says. */
export const layoutProbe = `${cSubject.replace("int main(", "int subject_main(")}
#include <stddef.h>
#define MEMBER(type, member) printf("%s %s %zu\\n", #type, #member, offsetof(type, member))
#define SIZE(type) printf("%s sizeof %zu\\n", #type, sizeof(type))
int main(void) {
  MEMBER(struct node, next); MEMBER(struct node, key); MEMBER(struct node, tag[3]);
  MEMBER(list_t, head); MEMBER(list_t, count); MEMBER(list_t, color); MEMBER(list_t, visit);
  MEMBER(list_t, words[1][2].whole); MEMBER(list_t, words[0][1].whole);
  MEMBER(struct nested, a); MEMBER(struct nested, b); MEMBER(struct nested, c[1].y); MEMBER(struct nested, name);
  MEMBER(struct nested, wide); MEMBER(struct nested, open[5]);
  SIZE(struct node); SIZE(list_t); SIZE(union word); SIZE(struct nested); SIZE(enum color); SIZE(long double);
  return 0;
}
`;

export const cppSubject = `
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>
namespace shop {
template <typename T, int N> struct Ring {
  T items[N]; int at = 0;
  Ring &operator<<(const T &item) { items[at++ % N] = item; return *this; }
  template <typename F> auto map(F f) const { Ring<decltype(f(items[0])), N> out; for (auto &i : items) out << f(i); return out; }
  explicit operator bool() const noexcept { return at > 0; }
};
namespace { struct Hidden { virtual ~Hidden() = default; virtual int price(int n) const { return n * 2; } }; }
struct Base { virtual ~Base() {} virtual std::string name() const = 0; int weight = 3; };
struct Apple : Base { std::string label; explicit Apple(std::string l) : label(std::move(l)) {} std::string name() const override { return label + "!"; } };
template <typename... Ts> int total(const Ts &...ts) { return (0 + ... + int(ts)); }
enum class Size : unsigned char { small, large = 9 };
template <Size S> constexpr int cost() { return int(S) * 3; }
int compare(std::function<int(int, Size)> f) { return f(3, Size::large); }
}
static int fold(const std::vector<int> &v) {
  auto add = [sum = 0](int x) mutable { return sum += x; };
  int last = 0;
  for (int x : v) last = add(x);
  return last;
}
int main(int argc, char **argv) {
  using namespace shop;
  Ring<int, 4> ring;
  ring << argc << 2 << 3 << 4;
  auto strings = ring.map([](int x) { return std::to_string(x); });
  std::map<std::string, std::unique_ptr<Base>> basket;
  for (auto &s : strings.items) basket[s] = std::make_unique<Apple>(s);
  std::unordered_map<long, std::vector<double>> table;
  for (long i = 0; i < 50; i++) table[i * 7].push_back(i / 2.0);
  std::vector<int> v(20);
  std::generate(v.begin(), v.end(), [n = 5]() mutable { return n = n * 31 % 97; });
  std::sort(v.begin(), v.end(), [](int a, int b) { return a > b; });
  std::thread worker([&v] { v[0] = fold(v); });
  worker.join();
  Hidden hidden;
  try { if (argc > 9) throw std::runtime_error(argv[0]); } catch (const std::exception &e) { std::cerr << e.what(); }
  std::cout << total(1, 2.5f, 'c') << hidden.price(v[0]) << cost<Size::large>() << basket.begin()->second->name()
            << compare([](int n, Size s) { return n + int(s); }) << table.size() << bool(ring) << "\\n";
}
`;

export const rustSubject = `
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
trait Shape { fn area(&self) -> f64; fn name(&self) -> String { String::from("shape") } }
#[derive(Debug, Clone)] struct Square(f64);
#[derive(Debug)] enum Tree<T> { Leaf, Node(Box<Tree<T>>, T, Box<Tree<T>>) }
impl Shape for Square { fn area(&self) -> f64 { self.0 * self.0 } }
impl<T: Ord + Debug> Tree<T> {
    fn insert(self, value: T) -> Tree<T> {
        match self {
            Tree::Leaf => Tree::Node(Box::new(Tree::Leaf), value, Box::new(Tree::Leaf)),
            Tree::Node(l, v, r) => if value < v { Tree::Node(Box::new(l.insert(value)), v, r) } else { Tree::Node(l, v, Box::new(r.insert(value))) },
        }
    }
}
#[inline(always)] fn mix(x: u32) -> u32 { (x ^ (x >> 7)).wrapping_mul(0x9e3779b1) }
fn apply<F: Fn(u32) -> u32, const N: usize>(f: F, xs: [u32; N]) -> u32 { xs.iter().map(|x| f(*x)).fold(0, |a, b| a ^ mix(b)) }
fn main() {
    let mut tree = Tree::Leaf;
    for i in 0..20u32 { tree = tree.insert(mix(i)); }
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square(2.0))];
    let words: HashMap<String, usize> = std::env::args().map(|a| (a.clone(), a.len())).collect();
    let ordered: BTreeMap<_, _> = words.iter().collect();
    let text = format!("{:?} {:?} {} {}", tree, ordered, shapes[0].area(), shapes[0].name());
    println!("{} {}", text.len(), apply(|x| x + 1, [1, 2, 3]));
    let parsed: Result<i32, _> = text.parse::<i32>();
    std::process::exit(if parsed.is_ok() { 1 } else { 0 });
}
`;
