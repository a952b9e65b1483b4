// Classes, references, templates and inheritance in a mapped file.
#include <atomic>
#include <cstdint>
#include <cstring>
#include <new>
#include "../flush.h"

#define OUTLINE __attribute__((noipa))

namespace pm {
struct Header { uint64_t magic; std::atomic<uint64_t> version; };
template <typename T, unsigned N> struct Table : Header {
  uint64_t used;
  T rows[N];
  OUTLINE T &add(const T &row) {
    T &place = rows[used % N];
    place = row;                            // name: place.… or this->rows[…].…; pm::Row.…, pm::Table<pm::Row, 4>.rows[…].…
    used++;                                 // name: this->used; pm::Table<pm::Row, 4>.used
    return place;
  }
};
struct Row {
  long id;
  double weight;
  OUTLINE void touch(double by) {
    weight += by;                           // name: this->weight; pm::Row.weight
  }
};
class Pool {
 public:
  OUTLINE void begin() {
    table_.magic = 42;                      // name: this->table_.magic; pm::Pool.table_.magic, pm::Table<pm::Row, 4>.magic, pm::Header.magic
    table_.version.store(1, std::memory_order_release); // name: this->table_.version._M_i or this->_M_i; pm::Pool.table_.version._M_i, pm::Header.version._M_i
  }
  OUTLINE void rename(const char *name) {
    std::strncpy(name_, name, sizeof name_); // name: this->name_…; pm::Pool.name_…
    asm volatile("");                       // no tail call
  }
  Table<Row, 4> &table() { return table_; }
 private:
  Table<Row, 4> table_;
  char name_[32];
};
}

OUTLINE static void change(pm::Row &row, long id) {
  row.id = id;                              // name: row.id; pm::Row.id
}

int main(int argc, char **argv) {
  auto *pool = static_cast<pm::Pool *>(map_pool(argc > 1 ? argv[1] : "/tmp/pool", 16384));
  pool->begin();
  pool->rename("a pool with a name");
  pm::Row &row = pool->table().add(pm::Row{argc, 0.5});
  change(row, 9);
  row.touch(1.5);
  return 0;
}
