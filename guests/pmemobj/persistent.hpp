// Pointers into a pool of libpmemobj, and transactions as blocks: as a project's own header has them.
#pragma once
#include <libpmemobj.h>
#include <stdexcept>

namespace persistent {

template <typename T>
class pointer {
public:
	pointer() : oid_(OID_NULL) {}
	explicit pointer(PMEMoid oid) : oid_(oid) {}

	T *
	get() const
	{
		return static_cast<T *>(pmemobj_direct(oid_));
	}

	T *
	operator->() const
	{
		return get();
	}

	explicit operator bool() const
	{
		return !OID_IS_NULL(oid_);
	}

private:
	PMEMoid oid_;
};

template <typename T>
pointer<T>
make()
{
	return pointer<T>(pmemobj_tx_zalloc(sizeof(T), 1));
}

template <typename Work>
void
transaction(PMEMobjpool *pop, Work work)
{
	if (pmemobj_tx_begin(pop, nullptr, TX_PARAM_NONE) != 0)
		throw std::runtime_error("no transaction");
	work();
	pmemobj_tx_commit();
	pmemobj_tx_end();
}

} // namespace persistent
