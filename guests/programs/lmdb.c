/* LMDB in one of its modes: transactions that put, change and delete, one that aborts, and what a new environment finds. */
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DO(call) do { int code = (call); if (code) { printf("%s: %s\n", #call, mdb_strerror(code)); exit(1); } } while (0)

static MDB_env *begin(unsigned flags) {
  MDB_env *env;
  DO(mdb_env_create(&env));
  DO(mdb_env_set_mapsize(env, 4 << 20));
  DO(mdb_env_set_maxdbs(env, 4));
  DO(mdb_env_open(env, ".", flags, 0644));
  return env;
}

static void put(MDB_txn *txn, MDB_dbi table, int number, const char *what) {
  char name[32], text[200];
  MDB_val key = {(size_t)sprintf(name, "key-%05d", number * 7919 % 3000), name};
  MDB_val value = {(size_t)sprintf(text, "%s %d %0*d", what, number, number % 150 + 1, number), text};
  DO(mdb_put(txn, table, &key, &value, 0));
}

static void work(MDB_env *env) {
  MDB_txn *txn;
  MDB_dbi table;
  for (int round = 0; round < 8; round++) {
    DO(mdb_txn_begin(env, NULL, 0, &txn));
    DO(mdb_dbi_open(txn, round % 2 ? "odd" : NULL, MDB_CREATE, &table));
    for (int i = 0; i < 300; i++) put(txn, table, round * 200 + i, round % 2 ? "odd" : "even");
    for (int i = 0; i < 40; i++) {
      char name[32];
      MDB_val key = {(size_t)sprintf(name, "key-%05d", (round * 200 + 3 * i) * 7919 % 3000), name};
      int code = mdb_del(txn, table, &key, NULL);
      if (code && code != MDB_NOTFOUND) DO(code);
    }
    if (round == 5) mdb_txn_abort(txn);
    else DO(mdb_txn_commit(txn));
  }
}

static void show(MDB_env *env) {
  MDB_txn *txn;
  MDB_dbi table;
  MDB_stat stat;
  DO(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn));
  for (int odd = 0; odd < 2; odd++) {
    DO(mdb_dbi_open(txn, odd ? "odd" : NULL, 0, &table));
    DO(mdb_stat(txn, table, &stat));
    printf("%zu entries, depth %u, %zu leaves\n", stat.ms_entries, stat.ms_depth, stat.ms_leaf_pages);
    MDB_cursor *cursor;
    MDB_val key, value;
    unsigned long sum = 5381;
    DO(mdb_cursor_open(txn, table, &cursor));
    while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0) {
      for (size_t i = 0; i < key.mv_size; i++) sum = sum * 33 + ((unsigned char *)key.mv_data)[i];
      for (size_t i = 0; i < value.mv_size; i++) sum = sum * 33 + ((unsigned char *)value.mv_data)[i];
    }
    printf("sum %lx\n", sum);
    mdb_cursor_close(cursor);
  }
  mdb_txn_abort(txn);
}

int main(int argc, char **argv) {
  unsigned flags = argc > 1 && strcmp(argv[1], "writemap") == 0 ? MDB_WRITEMAP : 0;
  if (argc > 2) flags |= MDB_MAPASYNC;
  MDB_env *env = begin(flags);
  work(env);
  show(env);
  DO(mdb_env_sync(env, 1));
  mdb_env_close(env);
  env = begin(flags);
  show(env);
  mdb_env_close(env);
  return 0;
}
