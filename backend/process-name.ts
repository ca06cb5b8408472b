import { writeFileSync } from 'node:fs'

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
