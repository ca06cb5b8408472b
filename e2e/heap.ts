import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChildProcess } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'

/** What a program's memory holds: V8 writes it down when the program is told to, after it has collected its garbage. */
export interface Heap {
  /** Of the program that is looked at: it must be started with these. */
  readonly environment: Readonly<Record<string, string>>
  /**
   * Texts of the heap as it is now that hold this one; `alive`: resolves once the program answers, which it does not
   * while it writes.
   */
  textsWith(child: ChildProcess, wanted: readonly string[], alive: () => Promise<unknown>): Promise<string[][]>
}

/** Where a snapshot becomes a file is settled at the start: each scenario has a folder of its own. */
export function watchHeap(): Heap {
  const folder = mkdtempSync(join(tmpdir(), 'milepost-heap-'))
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    environment: { NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${folder}` },
    async textsWith(child, wanted, alive) {
      const before = new Set(readdirSync(folder))
      child.kill('SIGUSR2')
      const written = (): string | undefined => readdirSync(folder).find((file) => !before.has(file))
      while (written() === undefined) await setTimeout(20)
      await alive()
      const texts = textsOf(join(folder, written() ?? ''))
      return wanted.map((one) => texts.filter((text) => text.includes(one)))
    },
  }
}

const textsOf = (file: string): string[] =>
  (JSON.parse(readFileSync(file, 'utf8')) as { readonly strings: string[] }).strings
