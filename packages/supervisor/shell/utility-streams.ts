import { PassThrough, type Readable } from 'node:stream'
import type { Exit, ServiceProcess } from '../service.ts'
import os from 'node:os'

/** The part of Electron's UtilityProcess that is used here. */
export interface UtilityChild {
  readonly pid?: number | undefined
  readonly stdout: NodeJS.ReadableStream | null
  readonly stderr: NodeJS.ReadableStream | null
  once(event: 'exit', listener: (code: number) => void): unknown
  postMessage(message: unknown): void
}

/** How long the output of a process that has ended may take to arrive. */
const LAST_WORDS_MS = 1_000

/**
 * A utility process as the supervision sees it. Electron drops every listener on the child's output the moment that the
 * child has ended, and with them its last words, which are why it ended: they are listened for again. The output that
 * is handed out always ends, and `exited` waits for it.
 */
export function adaptUtility(child: UtilityChild): ServiceProcess {
  const stdout = relay(child.stdout)
  const stderr = relay(child.stderr)
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code) => {
      for (const output of [stdout, stderr]) {
        output.pause()
        process.nextTick(output.listen)
        setTimeout(output.end, LAST_WORDS_MS)
      }
      // One turn more for whoever reads: the last line is theirs before the end is.
      void Promise.all([stdout.ended, stderr.ended]).then(() => setImmediate(resolve, readUtilityExit(code)))
    })
  })
  return {
    get pid() {
      return child.pid
    },
    stdout: stdout.received,
    stderr: stderr.received,
    exited,
    // Not `kill`, which on POSIX becomes SIGKILL after two seconds, in the middle of a closing backup.
    stop: () => child.postMessage('stop'),
    kill: () => {
      if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL')
    },
  }
}

interface Relay {
  readonly received: Readable
  readonly listen: () => void
  readonly pause: () => void
  readonly end: () => void
  readonly ended: Promise<void>
}

/**
 * Electron types its streams as possibly absent; with `pipe` they are there. A stream that ends keeps the types honest.
 */
function relay(source: NodeJS.ReadableStream | null): Relay {
  const received = new PassThrough()
  const hear = (bytes: Buffer): void => {
    if (!received.writableEnded) received.write(bytes)
  }
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const end = (): void => {
    received.end(resolve)
  }
  const listen = (): void => {
    source?.off('data', hear).off('end', end).on('data', hear).once('end', end).resume()
  }
  listen()
  // Paused, a stream keeps what arrives while nobody listens.
  return { received, listen, end, ended, pause: () => void source?.pause() }
}

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
