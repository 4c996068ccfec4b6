// Frames of Rust: traits, closures, generics, inlined functions, a panic that is caught.
use std::hint::black_box;

#[inline(never)]
fn leaf(n: i32) -> i32 {
    black_box(n + 1)
}

#[inline(always)]
fn inner(n: i32) -> i32 {
    leaf(n) + black_box(1)
}

#[inline(always)]
fn outer(n: i32) -> i32 {
    inner(n) * black_box(2)
}

trait Story {
    fn climb(&self, n: i32) -> i32;
}

struct Attic;

impl Story for Attic {
    #[inline(never)]
    fn climb(&self, n: i32) -> i32 {
        black_box(outer(n))
    }
}

#[inline(never)]
fn recur(n: i32) -> i32 {
    if n == 0 {
        return leaf(3);
    }
    black_box(recur(n - 1)) + 1
}

#[inline(never)]
fn each<F: Fn(i32) -> i32>(f: F) -> i32 {
    black_box(f(4)) + black_box(f(5))
}

fn main() {
    let story: Box<dyn Story> = black_box(Box::new(Attic));
    black_box(story.climb(1));
    black_box(recur(3));
    black_box(each(|n| black_box(leaf(n)) + 1));
}
