//! Filling a slice with several threads. Each slot is computed from its own index alone, so the result is the same for
//! any number of threads. How many threads to use is the caller's choice, never read from the machine here.

/// No more threads than this are started.
const MOST_WORKERS: usize = 256;

/// Splits `slots` into one run per worker and calls `fill(index of the run's first slot, run)` on each, in parallel.
///
/// `fill` must give every slot the same value however the runs are cut.
pub fn fill_runs<T: Send>(slots: &mut [T], workers: usize, fill: impl Fn(usize, &mut [T]) + Sync) {
    let workers = workers.clamp(1, MOST_WORKERS).min(slots.len());
    if workers <= 1 {
        fill(0, slots);
        return;
    }
    let length = slots.len().div_ceil(workers);
    let fill = &fill;
    std::thread::scope(|scope| {
        let mut runs = slots.chunks_mut(length).enumerate();
        let own = runs.next();
        for (number, run) in runs {
            scope.spawn(move || fill(number * length, run));
        }
        if let Some((_, run)) = own {
            fill(0, run);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::fill_runs;

    #[test]
    fn every_slot_is_filled_once_for_any_number_of_workers() {
        for workers in [0, 1, 2, 3, 7, 100, usize::MAX] {
            for length in [0, 1, 2, 10, 101] {
                let mut slots = vec![0; length];
                fill_runs(&mut slots, workers, |first, run| {
                    for (offset, slot) in run.iter_mut().enumerate() {
                        *slot += first + offset + 1;
                    }
                });
                assert!(slots.iter().enumerate().all(|(index, slot)| *slot == index + 1));
            }
        }
    }
}
