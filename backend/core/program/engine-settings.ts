import { setFlagsFromString } from 'node:v8'

/**
 * How V8 works in this process, in place of what suits a program that is alone on its machine. Set here, since neither
 * the shell nor an installed browser's start can pass flags to it. Import it before anything else: what the engine has
 * grown by then it keeps. What each is worth, in memory and in pace: docs/decisions/0012-memory-of-the-backend.md.
 *
 * New objects get a megabyte, which is cleared in less than a millisecond, and not up to 32 that stay resident; and
 * what lives longer is cleared of garbage when there is some, not when the heap has doubled.
 *
 * Two of V8's three compilers that work on threads of their own stay off them: Node waits at its exit for what they
 * compile, and they may wait for the main thread to collect garbage (nodejs/node#54918): such a program never ends, and
 * a lane that does not end is not started again. The third stays, for the pace: whoever supervises ends what hangs.
 */
setFlagsFromString('--semi-space-growth-factor=1')
setFlagsFromString('--optimize-for-size')
setFlagsFromString('--no-maglev')
setFlagsFromString('--no-concurrent-sparkplug')
