import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Logger } from '../log.ts'

/** The terminal's name in the system's list of processes: who has a port is told by it. */
export const PROCESS_NAME = 'milepost'

/**
 * Takes that name on Linux, the one system where a port's holder can be told. Not by `process.title`, which writes over
 * the command line: people look for a lane's process by it.
 */
export function nameProcess(): void {
  if (process.platform !== 'linux') return
  try {
    writeFileSync('/proc/self/comm', PROCESS_NAME)
  } catch {
    // Without /proc nobody can be told who holds a port, either.
  }
}

const Package = z.object({ name: z.literal('milepost'), version: z.string().min(1) })

/** The version stands in package.json, beside this folder in the sources and one further up when built. */
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

/** Ends the process in order, once. */
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
    // Not once: without a listener a second signal kills the process in the middle of its close.
    process.on(signal, () => {
      stop(signal)
    })
  if (atEndOfStdin)
    process.stdin.resume().once('end', () => {
      stop('standard input ended')
    })
}
