import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

/** Where the reasons go: a JSON list of { name, reason }. */
export const SKIP_REASONS_FILE = 'MILEPOST_SKIP_REASONS'

/** Vitest's JSON report leaves out why a test was skipped: this one keeps `context.skip(reason)`. */
export default class SkipReasons implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const file = process.env[SKIP_REASONS_FILE]
    if (file === undefined) return
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')].map((test) => {
      const result = test.result()
      const reason = result.state === 'skipped' ? result.note : undefined
      return { name: `${module.relativeModuleId} › ${test.fullName}`, reason: reason ?? null }
    }))
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify(skipped))
  }
}
