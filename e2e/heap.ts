import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChildProcess } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'

/** Searches a program's memory: V8 collects garbage and then writes a heap snapshot on request. */
export interface Heap {
  readonly environment: Readonly<Record<string, string>>
  /**
   * Returns, for each wanted text, the heap strings that contain it. `alive` resolves once the program answers again,
   * which it does not do while it writes the snapshot.
   */
  textsWith(child: ChildProcess, wanted: readonly string[], alive: () => Promise<unknown>): Promise<string[][]>
}

/**
 * Makes one folder for the heap snapshots of all scenarios of a test file. A program gets this folder at its start and
 * cannot change it later.
 */
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
