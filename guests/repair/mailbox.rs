//! Two mailboxes in a mapped file, written by raw pointers and an atomic, flushed by bare intrinsics. `--cfg bug="..."` picks a mistake.
use core::arch::x86_64::*;
use std::fs::OpenOptions;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU64, Ordering};

extern "C" {
    fn mmap(at: *mut u8, length: usize, protection: i32, flags: i32, file: i32, offset: i64) -> *mut u8;
}

#[repr(C, align(64))]
struct Line<T>(T);

#[repr(C)]
struct Mailbox {
    letter: Line<u64>,
    stamp: Line<AtomicU64>,
    sent: Line<u64>,
}

unsafe fn send(to: *mut Mailbox, letter: u64) {
    let place = &raw mut (*to).letter.0;
    place.write_volatile(letter);
    #[cfg(not(any(bug = "MISSING_FLUSH", bug = "MISSING_BOTH")))]
    _mm_clflush(place as *const u8);
    stamped(&(*to).stamp.0, letter);
    (*to).sent.0 = letter;
    _mm_clflush(&raw const (*to).sent.0 as *const u8);
    _mm_sfence();
}

fn stamped(stamp: &AtomicU64, letter: u64) {
    match letter {
        0 => (),
        _ => stamp.store(letter + 1, Ordering::Release),
    }
    #[cfg(not(bug = "MISSING_BOTH"))]
    unsafe {
        _mm_clflush(stamp.as_ptr() as *const u8);
        _mm_sfence();
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&words[1]).unwrap();
    file.set_len(4096).unwrap();
    let boxes = unsafe { mmap(std::ptr::null_mut(), 4096, 3, 1, file.as_raw_fd(), 0) as *mut Mailbox };
    for index in 0..2 {
        let mailbox = unsafe { boxes.add(index) };
        if words.len() == 2 {
            unsafe { send(mailbox, 7) };
        } else if unsafe { (*mailbox).sent.0 == 7 && ((*mailbox).letter.0 != 7 || (*mailbox).stamp.0.load(Ordering::Relaxed) != 8) } {
            std::process::exit(1);
        }
    }
}
