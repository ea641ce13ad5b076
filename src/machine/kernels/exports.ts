/** What every module exports for its host. */
export { allocate, isExhausted, keepAll, mark, release, releaseAll } from './memory'
export { setThreads, stopThreads, work } from './pool'
