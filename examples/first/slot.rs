// The same in Rust: a message in a mapped file, and the flag that says it is there.
use std::arch::x86_64::{_mm_clflush, _mm_sfence};
use std::fs::OpenOptions;
use std::os::fd::AsRawFd;

extern "C" {
    fn mmap(at: *mut u8, length: usize, protection: i32, flags: i32, file: i32, offset: i64) -> *mut u8;
}

#[repr(C)]
struct Slot {
    text: [u8; 64],
    full: u64,
}

fn persist(place: *const u8) {
    unsafe {
        _mm_clflush(place);
        _mm_sfence();
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&words[1]).unwrap();
    file.set_len(4096).unwrap();
    let slot = unsafe { &mut *(mmap(std::ptr::null_mut(), 4096, 3, 1, file.as_raw_fd(), 0) as *mut Slot) };
    if words.len() > 2 {
        if slot.full == 1 && slot.text[0] == 0 {
            println!("full, but there is no text");
            std::process::exit(1);
        }
        return;
    }
    slot.text[..5].copy_from_slice(b"hello");
    slot.full = 1;
    persist(&slot.full as *const u64 as *const u8);
}
