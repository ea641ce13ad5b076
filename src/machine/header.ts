/** The map of the first 64 KiB of a machine's memory, in bytes. Read by the kernels and by their host; no address is written anywhere else. */

// Words that threads wait for or change, each in a cache line of its own.
/** Number of the loop that runs, or of the end of the pool. i32 */
export const GENERATION = 64
/** Loop, end of the pieces that no thread has claimed yet, and the first of them. u64 */
export const CLAIM = 128
/** Pieces done; the host makes it negative when a thread has failed. i32 */
export const DONE = 192
/** 1 when threads shall end. i32 */
export const STOP = 256
/** Threads that sleep between loops. i32 */
export const SLEEPERS = 320
/** 1 while the caller sleeps. i32 */
export const CALLER_SLEEPS = 384
/** Number of the thread that has started last. i32 */
export const LAST_THREAD = 400
/** Pieces that other threads than the caller have done, ever. i32 */
export const HELPED = 448
/** End of the list that all threads append to. usize */
export const LIST_END = 512
/** Memory that every thread has for itself while a loop runs: its beginning, and the share of each thread. usize */
export const SCRATCH = 520
export const SCRATCH_SIZE = 524
/** 1 when an allocation has failed. In memory, because a global is seen by its own thread only. i32 */
export const EXHAUSTED = 576
/** Threads that sleep within a piece. i32 */
export const PIECE_SLEEPERS = 640
/** Pages of the memory, as far as any thread knows. i32 */
export const PAGES = 704

/** Results of the last call of a kernel that has more than one. f64 each */
export const RESULTS = 768
export const MAX_RESULTS = 8

/** Arguments of the loop that runs: a record of the loop's own type. */
export const ARGUMENTS = 1024

/** Sums that the pieces of a loop give back, up to eight f64 a piece. */
export const SUMS = 4096
/** Pieces a loop with sums may be cut into; the cut depends on the input alone, so sums have the same bits for any number of threads. */
export const MAX_PIECES = 256

/** How many steps are done with each piece, where pieces of one step wait for those of the step before. 32 bytes a piece, so that two
 *  share a cache line: neighbours are mostly written by one thread. */
export const PROGRESS = 20480
/** Claims of runs of neighbouring pieces, a cache line each. */
export const TAKEN = 28672

/** The first byte that is free for allocation. Static data of a module would begin at 32768; there is none. */
export const RESERVED = 65536
