// Rust: collections, formatting, panics caught, threads with channels, files.
use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, Write};
use std::sync::{mpsc, Arc, Mutex, RwLock};

fn main() {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for word in "the power goes out and the power comes back and the light returns".split(' ') {
        *counts.entry(word.to_string()).or_default() += 1;
    }
    let sorted: BTreeMap<_, _> = counts.into_iter().collect();
    println!("{sorted:?}");
    println!("{:>8.3}|{:<6}|{:+e}|{:#x}|{:?}", 3.14159, "left", 1234.5, 255, f64::NAN);
    let (sender, receiver) = mpsc::channel();
    let total = Arc::new(Mutex::new(0u64));
    let table = Arc::new(RwLock::new(vec![0u8; 16]));
    let threads: Vec<_> = (0..4u64)
        .map(|id| {
            let (sender, total, table) = (sender.clone(), total.clone(), table.clone());
            std::thread::spawn(move || {
                for i in 0..100 {
                    *total.lock().unwrap() += i * id;
                    table.write().unwrap()[id as usize] += 1;
                    sender.send(i).unwrap();
                }
            })
        })
        .collect();
    drop(sender);
    println!("received {}", receiver.iter().sum::<u64>());
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    println!("total {} {:?}", total.lock().unwrap(), &table.read().unwrap()[..5]);
    std::panic::set_hook(Box::new(|_| {}));
    let caught = std::panic::catch_unwind(|| [1, 2, 3].iter().map(|n| 6 / (n - 3)).sum::<i32>());
    println!("caught {}", caught.is_err());
    let mut file = std::fs::File::create("rust.txt").unwrap();
    writeln!(file, "{}", u128::MAX).unwrap();
    for line in std::io::stdin().lock().lines() {
        println!("{}", line.unwrap().to_uppercase().chars().rev().collect::<String>());
    }
    std::process::exit(4);
}
