/** The map of the first 64 KiB of a machine's memory, in bytes. Read by the kernels and by their host; no address is written anywhere else. */

// Words that threads wait for or change, each in a cache line of its own.
/** Number of the loop that runs; incremented once more when the pool ends. i32 */
export const GENERATION = 64
/** Loop, and end and beginning of its unclaimed pieces. u64 */
export const CLAIM = 128
/** Pieces done; the host makes it negative when a thread has failed. i32 */
export const DONE = 192
/** 1 if threads are to end. i32 */
export const STOP = 256
/** Threads that sleep between loops. i32 */
export const SLEEPERS = 320
/** 1 while the caller sleeps. i32 */
export const CALLER_SLEEPS = 384
/** Number of the thread that started last. i32 */
export const LAST_THREAD = 400
/** Pieces done by other threads than the caller, in total. i32 */
export const HELPED = 448
/** End of the list that all threads append to. usize */
export const LIST_END = 512
/** Scratch memory of the threads while a loop runs: its address, and the bytes of each thread. usize */
export const SCRATCH = 520
export const SCRATCH_SIZE = 524
/** 1 if an allocation has failed. In memory, because globals are per thread. i32 */
export const EXHAUSTED = 576
/** Threads that sleep within a piece. i32 */
export const PIECE_SLEEPERS = 640
/** Pages of the memory, as any thread has last seen it. i32 */
export const PAGES = 704

/** Results of the last call of a kernel that has more than one. f64 each */
export const RESULTS = 768
export const MAX_RESULTS = 8

/** Arguments of the loop that runs, or of the kernel that is called: a record of its own type. */
export const ARGUMENTS = 1024

/** Sums of the pieces of a loop, up to eight f64 a piece. */
export const SUMS = 4096
/** Maximum number of pieces of a loop with sums; the cut depends on the input alone, so sums have the same bits for any number of threads. */
export const MAX_PIECES = 256

/** Number of steps done with each piece, for pieces that wait for those of the step before. 32 bytes a piece, so that two share a
 *  cache line: neighbours are mostly written by one thread. */
export const PROGRESS = 20480
/** Claimed steps of ranges of neighbouring pieces, a cache line each. */
export const TAKEN = 28672

/** The first byte that is free for allocation. Static data of a module would begin at 32768; there is none. */
export const RESERVED = 65536
