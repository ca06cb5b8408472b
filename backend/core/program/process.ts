import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Logger } from '../log.ts'

/** Name of the program in the system's list of processes, by which the holder of a port is found. */
export const PROCESS_NAME = 'milepost'

/**
 * Sets the program's name on Linux, where the holder of a port is found by it. Not by `process.title`, which would
 * overwrite the command line by which people find a lane's process.
 */
export function nameProcess(): void {
  if (process.platform !== 'linux') return
  try {
    writeFileSync('/proc/self/comm', PROCESS_NAME)
  } catch {
    // Without a writable /proc the holder of a port cannot be found either, so the error is ignored.
  }
}

const Package = z.object({ name: z.literal('milepost'), version: z.string().min(1) })

export function programVersion(): string {
  for (const up of ['../../..', '../../../..']) {
    try {
      return Package.parse(JSON.parse(readFileSync(join(import.meta.dirname, up, 'package.json'), 'utf8'))).version
    } catch {
      continue
    }
  }
  return '0.0.0'
}

export type Stop = (reason: string, exitCode?: number) => void

export function stopOf(close: () => Promise<void>, log: Logger): Stop {
  let stopping = false
  return (reason, exitCode = 0) => {
    if (stopping) return
    stopping = true
    log.info({ reason }, 'stopping')
    close().then(
      () => process.exit(exitCode),
      (error: unknown) => {
        log.error({ err: error }, 'did not stop cleanly')
        process.exit(1)
      },
    )
  }
}

export function stopOnRequest(stop: Stop, atEndOfStdin: boolean): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    // Not `once`: without a listener, a second signal would kill the process while it closes.
    process.on(signal, () => {
      stop(signal)
    })
  if (atEndOfStdin)
    process.stdin.resume().once('end', () => {
      stop('standard input ended')
    })
}
