// Threads: mutexes, condition variables, atomics of every width, thread-local storage, once, barriers of our own.
#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <iostream>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

static thread_local int own = 5;
static std::once_flag once;
static std::atomic<int> starts;

template <typename T> static void atomics(const char *name) {
  std::atomic<T> value{0};
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; i++)
    workers.emplace_back([&value] {
      for (int j = 0; j < 500; j++) {
        value.fetch_add(3);
        T seen = value.load();
        while (!value.compare_exchange_weak(seen, T(seen ^ 1))) {
        }
        seen = value.load();
        while (!value.compare_exchange_strong(seen, T(seen ^ 1))) {
        }
      }
    });
  for (auto &worker : workers) worker.join();
  std::cout << name << ' ' << (value.load() & 1 ? "odd" : "even") << '\n';
}

struct Queue {
  std::mutex lock;
  std::condition_variable ready;
  std::deque<int> items;
  void push(int item) {
    std::lock_guard guard(lock);
    items.push_back(item);
    ready.notify_one();
  }
  int pop() {
    std::unique_lock guard(lock);
    ready.wait(guard, [this] { return !items.empty(); });
    int item = items.front();
    items.pop_front();
    return item;
  }
};

int main() {
  Queue work, results;
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; i++)
    workers.emplace_back([&, i] {
      own += i;
      std::call_once(once, [] { starts++; });
      for (int item; (item = work.pop()) >= 0;) results.push(item * item);
      results.push(-own);
    });
  for (int i = 0; i < 300; i++) work.push(i);
  for (int i = 0; i < 4; i++) work.push(-1);
  long sum = 0, owns = 0;
  for (int i = 0; i < 304; i++) {
    int result = results.pop();
    (result < 0 ? owns : sum) += result;
  }
  for (auto &worker : workers) worker.join();
  std::cout << "sum " << sum << " own " << owns << " main's own " << own << " once " << starts << '\n';
  atomics<unsigned char>("8");
  atomics<unsigned short>("16");
  atomics<unsigned>("32");
  atomics<unsigned long>("64");
  std::vector<std::future<long>> parts;
  for (long part = 0; part < 8; part++)
    parts.push_back(std::async(std::launch::async, [part] {
      std::vector<long> numbers(1000);
      std::iota(numbers.begin(), numbers.end(), part * 1000);
      return std::accumulate(numbers.begin(), numbers.end(), 0L);
    }));
  long all = 0;
  for (auto &part : parts) all += part.get();
  std::cout << "futures " << all << '\n';
}
