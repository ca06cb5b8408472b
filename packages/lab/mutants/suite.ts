import { spawn } from 'node:child_process'
import type { Mutant } from './mutant.ts'

export interface Suite {
  readonly name: string
  readonly mutants: readonly Mutant[]
  readonly folders: readonly string[]
  /** Checks the copy without a mutant. Throws if the suite cannot run or fails. */
  readonly checkUnchanged: (tree: string) => Promise<void>
  /**
   * Checks the copy with one mutant. Returns the failed check; null if the mutant was not detected. Throws if the suite
   * cannot run.
   */
  readonly checkMutant: (tree: string) => Promise<string | null>
}

/**
 * Runs a program in the copied tree and returns the JSON that it prints. The program is killed after `deadlineMs`,
 * because a mutant may make it hang.
 */
export function jsonFrom<Report>(tree: string, args: readonly string[], deadlineMs: number): Promise<Report> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: tree, stdio: ['ignore', 'pipe', 'pipe'] })
    const late = setTimeout(() => child.kill('SIGTERM'), deadlineMs)
    let [out, err] = ['', '']
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString()
    })
    child.on('close', () => {
      clearTimeout(late)
      try {
        resolve(JSON.parse(out) as Report)
      } catch {
        reject(new Error(err.split('\n').find((line) => line.trim() !== '') ?? 'the program printed no report'))
      }
    })
  })
}
