/* A phone book in persistent memory: a hash map of names, on libpmemobj. */
#include <libpmemobj.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAYOUT "phone_book"
#define BUCKETS 16
#define NAME 32
#define NUMBER 24

POBJ_LAYOUT_BEGIN(phone_book);
POBJ_LAYOUT_ROOT(phone_book, struct book);
POBJ_LAYOUT_TOID(phone_book, struct entry);
POBJ_LAYOUT_END(phone_book);

struct entry {
	char name[NAME];
	char number[NUMBER];
	TOID(struct entry) next;
};

struct book {
	uint64_t count;
	TOID(struct entry) bucket[BUCKETS];
	char note_ready;
	char pad[63];
	char note[64];
};

static PMEMobjpool *pop;
static TOID(struct book) book_toid;

static unsigned
hash(const char *name)
{
	unsigned h = 5381;
	while (*name)
		h = h * 33 + (unsigned char)*name++;
	return h % BUCKETS;
}

static TOID(struct entry)
find(const char *name)
{
	TOID(struct entry) at = D_RO(book_toid)->bucket[hash(name)];
	while (!TOID_IS_NULL(at) && strcmp(D_RO(at)->name, name) != 0)
		at = D_RO(at)->next;
	return at;
}

static void
add(const char *name, const char *number)
{
	struct book *book = D_RW(book_toid);
	unsigned slot = hash(name);
	TX_BEGIN(pop) {
		TOID(struct entry) fresh = TX_ZNEW(struct entry);
		strncpy(D_RW(fresh)->name, name, NAME - 1);
		strncpy(D_RW(fresh)->number, number, NUMBER - 1);
		D_RW(fresh)->next = book->bucket[slot];
		TX_ADD_DIRECT(&book->bucket[slot]);
		book->bucket[slot] = fresh;
		/* the mistake: the count is not added to the transaction */
		book->count++;
	} TX_ONABORT {
		fprintf(stderr, "cannot add %s\n", name);
		abort();
	} TX_END
}

static void
change(const char *name, const char *number)
{
	TOID(struct entry) at = find(name);
	if (TOID_IS_NULL(at))
		return;
	TX_BEGIN(pop) {
		TX_ADD_FIELD(at, number);
		memset(D_RW(at)->number, 0, NUMBER);
		strncpy(D_RW(at)->number, number, NUMBER - 1);
	} TX_END
}

static void
drop(const char *name)
{
	TOID(struct entry) *link = &D_RW(book_toid)->bucket[hash(name)];
	while (!TOID_IS_NULL(*link) && strcmp(D_RO(*link)->name, name) != 0)
		link = &D_RW(*link)->next;
	if (TOID_IS_NULL(*link))
		return;
	TX_BEGIN(pop) {
		TOID(struct entry) gone = *link;
		TX_ADD_DIRECT(link);
		*link = D_RO(gone)->next;
		TX_FREE(gone);
		TX_ADD_FIELD(book_toid, count);
		D_RW(book_toid)->count--;
	} TX_END
}

static void
leave_note(const char *text)
{
	struct book *book = D_RW(book_toid);
	/* the wrong order: the flag is persisted before the text it stands for */
	book->note_ready = 1;
	pmemobj_persist(pop, &book->note_ready, sizeof book->note_ready);
	strncpy(book->note, text, sizeof book->note - 1);
	pmemobj_persist(pop, book->note, sizeof book->note);
}

static int
check(void)
{
	uint64_t entries = 0;
	for (int slot = 0; slot < BUCKETS; slot++) {
		TOID(struct entry) at = D_RO(book_toid)->bucket[slot];
		for (; !TOID_IS_NULL(at); at = D_RO(at)->next)
			entries++;
	}
	if (entries != D_RO(book_toid)->count) {
		fprintf(stderr, "the book counts %lu entries and has %lu\n",
			(unsigned long)D_RO(book_toid)->count, (unsigned long)entries);
		return 1;
	}
	if (D_RO(book_toid)->note_ready && D_RO(book_toid)->note[0] == '\0') {
		fprintf(stderr, "the note is ready and empty\n");
		return 1;
	}
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc != 3)
		return fprintf(stderr, "usage: book create|fill|change|drop|check FILE\n"), 2;
	if (strcmp(argv[1], "create") == 0)
		pop = pmemobj_create(argv[2], LAYOUT, PMEMOBJ_MIN_POOL, 0600);
	else
		pop = pmemobj_open(argv[2], LAYOUT);
	if (pop == NULL)
		return perror(argv[2]), 2;
	book_toid = POBJ_ROOT(pop, struct book);
	int failed = 0;
	if (strcmp(argv[1], "fill") == 0) {
		add("ada", "+44 20 1815");
		leave_note("call ada");
	} else if (strcmp(argv[1], "check") == 0)
		failed = check();
	else if (strcmp(argv[1], "change") == 0)
		change("ada", "+44 20 1852");
	else if (strcmp(argv[1], "drop") == 0)
		drop("ada");
	pmemobj_close(pop);
	return failed;
}
