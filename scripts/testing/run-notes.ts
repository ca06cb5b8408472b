import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/**
 * Environment variable with the file of the notes: { skipped: [{ name, reason }], loose: [message], underWay: [file] }.
 * The file exists from the start, so that `underWay` names the running test files of a killed run.
 */
export const RUN_NOTES_FILE = 'MILEPOST_RUN_NOTES'

/**
 * A Vitest reporter that records data which the JSON report omits: reasons of skipped tests (`context.skip(reason)`),
 * and errors outside of any test, although the report then has `success: true`.
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
