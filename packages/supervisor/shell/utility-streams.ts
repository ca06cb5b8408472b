import { PassThrough, type Readable } from 'node:stream'
import type { Exit, ServiceProcess } from '../service.ts'
import os from 'node:os'

export interface UtilityChild {
  readonly pid?: number | undefined
  readonly stdout: NodeJS.ReadableStream | null
  readonly stderr: NodeJS.ReadableStream | null
  once(event: 'exit', listener: (code: number) => void): unknown
  postMessage(message: unknown): void
}

const LAST_OUTPUT_MS = 1_000

/**
 * Adapts a utility process to the supervision. When the process ends, Electron removes every listener from its output,
 * and with them the last lines, which have the reason; they are attached again here. The relayed output always ends,
 * and `exited` waits for it.
 */
export function adaptUtility(child: UtilityChild): ServiceProcess {
  const stdout = relay(child.stdout)
  const stderr = relay(child.stderr)
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code) => {
      for (const output of [stdout, stderr]) {
        output.pause()
        process.nextTick(output.listen)
        setTimeout(output.end, LAST_OUTPUT_MS)
      }
      // `exited` resolves one event loop iteration later, so that readers get the last line first.
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
    // Asks by message and not by `kill`, which becomes SIGKILL on POSIX after two seconds, possibly during the backup
    // at closing.
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
 * Relays one output stream. Electron types the streams as nullable; with `pipe` they exist. A missing stream becomes
 * one that ends.
 */
function relay(source: NodeJS.ReadableStream | null): Relay {
  const received = new PassThrough()
  const forward = (bytes: Buffer): void => {
    if (!received.writableEnded) received.write(bytes)
  }
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const end = (): void => {
    received.end(resolve)
  }
  const listen = (): void => {
    source?.off('data', forward).off('end', end).on('data', forward).once('end', end).resume()
  }
  listen()
  // A paused stream buffers its data while it has no listener.
  return { received, listen, end, ended, pause: () => void source?.pause() }
}

/**
 * Offset that this project’s programs add to their exit code in a utility process. Electron reports the end of such a
 * process as one number, which on POSIX is the status of waitpid: the number of a signal for a killed process, so that
 * SIGILL equals exit code 4, "data is missing". The offset is above every signal and below a signal with core dump (129
 * and more).
 */
const RAISED = 100
const HIGHEST_OWN = 20

/** Returns the exit code that a program inside a utility process must use. */
export const raiseExitCode = (code: number): number => (code > 0 && code <= HIGHEST_OWN ? RAISED + code : code)

/** Reads how a utility process ended. Only a code with the offset is a program’s own; other causes may be temporary. */
export function readUtilityExit(status: number, platform: NodeJS.Platform = process.platform): Exit {
  if (status === 0) return { code: 0, signal: null }
  // The raw status of a process that has exited has its exit code in the second byte.
  const code = platform !== 'win32' && status > 0xff ? status >> 8 : status
  if (code > RAISED && code <= RAISED + HIGHEST_OWN) return { code: code - RAISED, signal: null }
  if (platform === 'win32' || status > 0xff || status === 1) return { code: 1, signal: null }
  const number = status & 0x7f
  const signal = Object.entries(os.constants.signals).find(([, value]) => value === number)?.[0]
  return signal === undefined ? { code: 1, signal: null } : { code: null, signal }
}
