import os from 'node:os'
import type { Exit } from './service.ts'

/**
 * Electron tells how a utility process ended by one number, which on POSIX is what waitpid gave: a signal's number for
 * a process that was killed, so that SIGILL is the 4 of "data is missing". Our own programs therefore end with their
 * exit code raised by this much, above every signal and below a signal with its core dump (129 and more).
 */
const RAISED = 100
const HIGHEST_OWN = 20

/** What a program inside a utility process ends with instead of its own exit code. */
export const raiseExitCode = (code: number): number => (code > 0 && code <= HIGHEST_OWN ? RAISED + code : code)

/** How a utility process ended. Only a raised code is a program's own; whatever else ended it may pass. */
export function readUtilityExit(told: number, platform: NodeJS.Platform = process.platform): Exit {
  if (told === 0) return { code: 0, signal: null }
  // The raw status of a process that ended by itself has its code in the second byte.
  const code = platform !== 'win32' && told > 0xff ? told >> 8 : told
  if (code > RAISED && code <= RAISED + HIGHEST_OWN) return { code: code - RAISED, signal: null }
  if (platform === 'win32' || told > 0xff || told === 1) return { code: 1, signal: null }
  const number = told & 0x7f
  const signal = Object.entries(os.constants.signals).find(([, value]) => value === number)?.[0]
  return signal === undefined ? { code: 1, signal: null } : { code: null, signal }
}
