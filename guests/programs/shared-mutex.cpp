// Readers and writers on a shared mutex, timed locks, a semaphore and a latch (C++20).
#include <atomic>
#include <barrier>
#include <chrono>
#include <iostream>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>
#include <vector>

int main() {
  std::shared_mutex lock;
  long first = 0, second = 0;
  std::atomic<int> torn{0}, inside{0}, crowded{0};
  std::counting_semaphore<2> two(2);
  std::latch started(6);
  std::barrier together(6);
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; i++)
    threads.emplace_back([&, i] {
      started.arrive_and_wait();
      for (int j = 0; j < 200; j++) {
        if (i < 2) {
          std::unique_lock write(lock);
          first++;
          if (j % 20 == 0) std::this_thread::yield();
          second++;
        } else {
          std::shared_lock read(lock);
          if (first != second) torn++;
        }
      }
      together.arrive_and_wait();
      two.acquire();
      if (++inside > 2) crowded++;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      inside--;
      two.release();
    });
  for (auto &thread : threads) thread.join();
  std::cout << first << ' ' << second << " torn " << torn << " crowded " << crowded << '\n';
  std::timed_mutex timed;
  timed.lock();
  std::thread late([&] { std::cout << "timed " << timed.try_lock_for(std::chrono::milliseconds(20)) << '\n'; });
  late.join();
  std::recursive_mutex recursive;
  std::scoped_lock both(recursive, lock);
  std::cout << "recursive " << recursive.try_lock() << " shared " << lock.try_lock_shared() << '\n';
}
