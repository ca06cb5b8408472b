import { setFlagsFromString } from 'node:v8'

/**
 * V8 settings for a process that shares its machine. Set here because neither the shell nor an installed browser's
 * start can pass flags. Import this module first, because V8 keeps memory that it already allocated. For the effect of
 * each see docs/decisions/0012-memory-of-the-backend.md.
 *
 * New objects get one megabyte, collected in less than a millisecond, instead of up to 32 resident ones; older objects
 * are collected when there is garbage, not when the heap has doubled.
 *
 * Two of V8's three concurrent compilers are disabled: at exit Node waits for their jobs, which may wait for a garbage
 * collection on the main thread (nodejs/node#54918), so the process would hang and not be restarted. The third stays
 * enabled for speed; the supervisor kills a hanging process.
 */
setFlagsFromString('--semi-space-growth-factor=1')
setFlagsFromString('--optimize-for-size')
setFlagsFromString('--no-maglev')
setFlagsFromString('--no-concurrent-sparkplug')
