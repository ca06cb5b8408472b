import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Tally } from './reports.ts'

interface Saved {
  readonly passed: number
  readonly failed: number
  readonly skipped: readonly { readonly name: string; readonly reason: string }[]
  readonly notes: readonly string[]
  readonly took: Tally['took']
}

const LONGEST = 20

/** Collects the results of several steps of a test run. A failed step without a report counts as one failure. */
export type Summary = ReturnType<typeof createSummary>

export function createSummary() {
  let passed = 0
  let failed = 0
  const skipped: { name: string; reason: string }[] = []
  const notes: string[] = []
  const took: { file: string; seconds: number }[] = []
  const began = performance.now()

  function fail(note: string): void {
    failed++
    notes.push(note)
  }

  return {
    fail,
    /** Adds a test runner’s report. A missing or empty report counts as a failure. */
    add(runner: string, ok: boolean, read: () => Tally): void {
      let tally: Tally
      try {
        tally = read()
      } catch (error) {
        const why = error instanceof Error ? error.message.split('\n')[0] : String(error)
        fail(`${runner} left no readable report (${why})`)
        return
      }
      passed += tally.passed
      failed += tally.failed
      skipped.push(...tally.skipped)
      took.push(...tally.took)
      notes.push(...tally.failures, ...tally.problems)
      if (tally.passed + tally.failed + tally.skipped.length === 0) fail(`${runner} ran no test`)
      else if (!ok && tally.failed === 0) fail(`${runner} ended with an error, but no test of its report failed`)
    },
    save(file: string): void {
      writeFileSync(file, JSON.stringify({ passed, failed, skipped, notes, took } satisfies Saved))
    },
    /**
     * Adds the stored counts of an earlier run and removes their file. Missing counts are a failure: the earlier run
     * did not end.
     */
    addSaved(runner: string, file: string): void {
      try {
        const saved = JSON.parse(readFileSync(file, 'utf8')) as Saved
        rmSync(file)
        passed += saved.passed
        failed += saved.failed
        skipped.push(...saved.skipped)
        took.push(...saved.took)
        notes.push(...saved.notes)
      } catch {
        fail(`${runner} did not end: it left no counts`)
      }
    },
    print(): void {
      for (const { file, seconds } of took.toSorted((one, other) => other.seconds - one.seconds).slice(0, LONGEST))
        console.log(`took ${Math.round(seconds)} s: ${file}`)
      for (const { name, reason } of skipped) console.log(`skipped: ${name}: ${reason}`)
      for (const note of notes) console.log(`failed: ${note}`)
      console.log(`${Math.round((performance.now() - began) / 1000)} s`)
      console.log(`tests: ${passed} passed, ${failed} failed, ${skipped.length} skipped`)
      process.exitCode = failed === 0 ? 0 : 1
    },
  }
}
