// The phone book again, in C++: entries behind pointers of a template, updates in transactions that are blocks.
#include "persistent.hpp"

#include <cstdio>
#include <cstring>
#include <string>

namespace {

constexpr unsigned buckets = 16;

struct Entry {
	char name[32];
	char number[24];
	persistent::pointer<Entry> next;
};

struct Book {
	uint64_t count;
	persistent::pointer<Entry> bucket[buckets];
	char note_ready;
	char pad[63];
	char note[64];
};

class PhoneBook {
public:
	explicit PhoneBook(PMEMobjpool *pop)
	    : pop_(pop), book_(pmemobj_root(pop, sizeof(Book)))
	{
	}

	void
	add(const std::string &name, const std::string &number)
	{
		persistent::transaction(pop_, [&] {
			auto &head = book_->bucket[slot(name)];
			auto fresh = persistent::make<Entry>();
			std::strncpy(fresh->name, name.c_str(), sizeof fresh->name - 1);
			std::strncpy(fresh->number, number.c_str(), sizeof fresh->number - 1);
			fresh->next = head;
			pmemobj_tx_add_range_direct(&head, sizeof head);
			head = fresh;
			// The mistake: the count is not added to the transaction.
			book_->count += 1;
		});
	}

	void
	leave_note(const char *text)
	{
		// The wrong order: the flag is persisted before the text it stands for.
		book_->note_ready = 1;
		pmemobj_persist(pop_, &book_->note_ready, sizeof book_->note_ready);
		std::strncpy(book_->note, text, sizeof book_->note - 1);
		pmemobj_persist(pop_, book_->note, sizeof book_->note);
	}

	int
	check() const
	{
		uint64_t entries = 0;
		for (auto &head : book_->bucket)
			for (auto at = head; at; at = at->next)
				entries++;
		if (entries != book_->count) {
			std::fprintf(stderr, "the book counts %lu entries and has %lu\n",
				     (unsigned long)book_->count, (unsigned long)entries);
			return 1;
		}
		if (book_->note_ready && book_->note[0] == '\0') {
			std::fprintf(stderr, "the note is ready and empty\n");
			return 1;
		}
		return 0;
	}

private:
	static unsigned
	slot(const std::string &name)
	{
		unsigned hash = 5381;
		for (unsigned char letter : name)
			hash = hash * 33 + letter;
		return hash % buckets;
	}

	PMEMobjpool *pop_;
	persistent::pointer<Book> book_;
};

} // namespace

int
main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	const std::string what = argv[1];
	PMEMobjpool *pop = what == "create" ? pmemobj_create(argv[2], "book", PMEMOBJ_MIN_POOL, 0600)
					    : pmemobj_open(argv[2], "book");
	if (pop == nullptr)
		return 2;
	PhoneBook book(pop);
	int failed = 0;
	if (what == "fill") {
		book.add("ada", "+44 20 1815");
		book.leave_note("call ada");
	} else if (what == "check")
		failed = book.check();
	pmemobj_close(pop);
	return failed;
}
