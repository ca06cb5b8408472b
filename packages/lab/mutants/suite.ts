import { spawn } from 'node:child_process'
import type { Mutant } from './mutant.ts'

/** A suite of checks that has to notice each of its mutants. */
export interface Suite {
  readonly name: string
  readonly mutants: readonly Mutant[]
  /** What of the tree it needs: copied before anything is broken. */
  readonly parts: readonly string[]
  /** Looks at the copy as it is. Throws where it cannot be judged at all. */
  readonly sound: (tree: string) => Promise<void>
  /**
   * Judges the copy with one mutant in it: who noticed, in words; null where nobody did. Throws where it cannot be
   * judged.
   */
  readonly judge: (tree: string) => Promise<string | null>
}

/** What a program prints as JSON, run in the copy. A mutant may make it hang: it is ended after `deadlineMs`. */
export function jsonFrom<Report>(tree: string, args: readonly string[], deadlineMs: number): Promise<Report> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: tree, stdio: ['ignore', 'pipe', 'pipe'] })
    const late = setTimeout(() => child.kill('SIGTERM'), deadlineMs)
    let [out, err] = ['', '']
    child.stdout.on('data', (part: Buffer) => {
      out += part.toString()
    })
    child.stderr.on('data', (part: Buffer) => {
      err += part.toString()
    })
    child.on('close', () => {
      clearTimeout(late)
      try {
        resolve(JSON.parse(out) as Report)
      } catch {
        reject(new Error(err.split('\n').find((line) => line.trim() !== '') ?? 'it printed no report'))
      }
    })
  })
}
