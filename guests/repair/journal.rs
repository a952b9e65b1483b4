//! A journal in a mapped file: entries, and the count that says how many of them hold. `--cfg bug="..."` picks a seeded mistake.
use std::arch::asm;
use std::arch::x86_64::_mm_sfence;
use std::fs::OpenOptions;
use std::os::fd::AsRawFd;

extern "C" {
    fn mmap(at: *mut u8, length: usize, protection: i32, flags: i32, file: i32, offset: i64) -> *mut u8;
}

#[repr(C, align(64))]
struct Entry {
    key: u64,
    inverse: u64,
    text: [u8; 16],
}

#[repr(C)]
struct Journal {
    entries: [Entry; 4],
    count: u64,
}

fn flush(place: *const u8, bytes: usize) {
    let mut line = place as usize & !63;
    while line < place as usize + bytes {
        unsafe { asm!("clwb [{}]", in(reg) line) };
        line += 64;
    }
}

fn fence() {
    unsafe { _mm_sfence() }
}

fn persist(place: *const u8, bytes: usize) {
    flush(place, bytes);
    fence();
}

impl Journal {
    fn append(&mut self, key: u64) {
        let entry = &mut self.entries[self.count as usize];
        entry.key = key;
        entry.inverse = !key;
        entry.text.copy_from_slice(b"sixteen of bytes");
        #[cfg(not(bug = "MISSING_FLUSH"))]
        flush(entry as *const Entry as *const u8, std::mem::size_of::<Entry>());
        #[cfg(not(bug = "MISSING_FENCE"))]
        fence();
        self.count += 1;
        persist(&self.count as *const u64 as *const u8, 8);
    }

    fn check(&self) -> bool {
        let held = &self.entries[..self.count as usize];
        held.iter().all(|one| one.inverse == !one.key && one.text[15] == b's')
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&words[1]).unwrap();
    file.set_len(4096).unwrap();
    let journal = unsafe { &mut *(mmap(std::ptr::null_mut(), 4096, 3, 1, file.as_raw_fd(), 0) as *mut Journal) };
    if words.len() > 2 {
        std::process::exit(if journal.check() { 0 } else { 1 });
    }
    for key in 1..=3 {
        journal.append(key);
    }
}
