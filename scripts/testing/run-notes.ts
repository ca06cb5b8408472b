import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/**
 * Names the file that the notes go to: { skipped: [{ name, reason }], loose: [message], underWay: [file] }. It is there
 * from the start: of a run that never ends, `underWay` tells which files were run at its end.
 */
export const RUN_NOTES_FILE = 'MILEPOST_RUN_NOTES'

/**
 * What Vitest's JSON report leaves out: why a test was skipped (`context.skip(reason)`), and errors outside of any
 * test, with which that report still calls the run a success.
 */
export default class RunNotes implements Reporter {
  readonly #underWay = new Set<string>()

  onTestModuleQueued(module: TestModule): void {
    this.#underWay.add(module.relativeModuleId)
    this.#write([], [])
  }

  onTestModuleEnd(module: TestModule): void {
    this.#underWay.delete(module.relativeModuleId)
    this.#write([], [])
  }

  onTestRunEnd(modules: readonly TestModule[], loose: readonly SerializedError[]): void {
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map((test) => {
        const result = test.result()
        const reason = result.state === 'skipped' ? result.note : undefined
        return { name: `${module.relativeModuleId} › ${test.fullName}`, reason: reason ?? null }
      }),
    )
    this.#write(
      skipped,
      loose.map((error) => error.message),
    )
  }

  #write(skipped: readonly { name: string; reason: string | null }[], loose: readonly string[]): void {
    const file = process.env[RUN_NOTES_FILE]
    if (file === undefined) return
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify({ skipped, loose, underWay: [...this.#underWay] }))
  }
}
