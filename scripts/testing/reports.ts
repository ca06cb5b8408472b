import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { z } from 'zod'

/** Counts of a test runner’s report. A skipped test without a reason counts as failed. */
export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly skipped: readonly { readonly name: string; readonly reason: string }[]
  readonly problems: readonly string[]
  /** Failed tests with the first lines of their messages, because often only the end of a log is available. */
  readonly failures: readonly string[]
  readonly took: readonly { readonly file: string; readonly seconds: number }[]
}

const VitestTest = z.object({
  status: z.string(),
  fullName: z.string(),
  failureMessages: z.array(z.string()).nullable().optional(),
})
const VitestReport = z.object({
  success: z.boolean(),
  numTotalTests: z.int(),
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      startTime: z.number(),
      endTime: z.number(),
      message: z.string().optional(),
      assertionResults: z.array(VitestTest),
    }),
  ),
})
const RunNotes = z.object({
  skipped: z.array(z.object({ name: z.string(), reason: z.string().nullable() })),
  loose: z.array(z.string()),
  underWay: z.array(z.string()),
})

const PlaywrightTest = z.object({
  status: z.enum(['expected', 'unexpected', 'flaky', 'skipped']),
  results: z
    .array(z.object({ duration: z.number(), error: z.object({ message: z.string().optional() }).optional() }))
    .default([]),
  annotations: z.array(z.object({ type: z.string(), description: z.string().optional() })).default([]),
})
const PlaywrightSpec = z.object({ title: z.string(), file: z.string(), tests: z.array(PlaywrightTest) })
interface PlaywrightSuite {
  title: string
  specs?: z.infer<typeof PlaywrightSpec>[] | undefined
  suites?: PlaywrightSuite[] | undefined
}
const PlaywrightSuite: z.ZodType<PlaywrightSuite> = z.lazy(() =>
  z.object({
    title: z.string(),
    specs: z.array(PlaywrightSpec).optional(),
    suites: z.array(PlaywrightSuite).optional(),
  }),
)
const PlaywrightReport = z.object({
  suites: z.array(PlaywrightSuite),
  errors: z.array(z.object({ message: z.string().optional() })).default([]),
})

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))

/** Reads Vitest’s JSON report and the notes of the run. Throws without a report. */
export function readVitest(reportFile: string, notesFile: string): Tally {
  const { skipped, loose, underWay } = RunNotes.parse(readJson(notesFile))
  if (!existsSync(reportFile) && underWay.length > 0) throw new Error(`running at its end: ${underWay.join(', ')}`)
  const report = VitestReport.parse(readJson(reportFile))
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  )
  const problems = [
    ...broken.map((file) => `${file.name} could not be run`),
    ...loose.map((message) => `an error outside of any test: ${message}`),
  ]
  if (!report.success && report.numFailedTests + problems.length === 0)
    problems.push('Vitest reports a failed run without a reason')
  const failures = report.testResults.flatMap((file) =>
    file.assertionResults
      .filter((test) => test.status === 'failed')
      .map((test) => failure(`${path.basename(file.name)} › ${test.fullName}`, test.failureMessages?.[0])),
  )
  const took = report.testResults.map(({ name, startTime, endTime }) => ({
    file: path.basename(name),
    seconds: (endTime - startTime) / 1000,
  }))
  return tally({ passed: report.numPassedTests, failed: report.numFailedTests, skipped, problems, failures, took })
}

/** Reads Playwright's JSON report. A flaky test failed once and counts as failed. Throws without a report. */
export function readPlaywright(reportFile: string): Tally {
  const report = PlaywrightReport.parse(readJson(reportFile))
  const tests = report.suites.flatMap((suite) => testsOf(suite, []))
  const count = (...states: string[]): number => tests.filter((test) => states.includes(test.status)).length
  const skipped = tests
    .filter((test) => test.status === 'skipped')
    .map(({ name, annotations }) => ({
      name,
      reason:
        annotations.find((note) => ['skip', 'fixme'].includes(note.type) && note.description !== undefined)
          ?.description ?? null,
    }))
  const problems = report.errors.map(
    (error) => `Playwright: ${(error.message ?? 'an error outside of any test').split('\n')[0]}`,
  )
  const failures = tests
    .filter((test) => ['unexpected', 'flaky'].includes(test.status))
    .map((test) => failure(test.name, test.results.find((result) => result.error !== undefined)?.error?.message))
  const took = report.suites.map((suite) => ({
    file: suite.title,
    seconds: testsOf(suite, []).reduce((sum, { results }) => sum + secondsOf(results), 0),
  }))
  return tally({ passed: count('expected'), failed: count('unexpected', 'flaky'), skipped, problems, failures, took })
}

const secondsOf = (results: readonly { readonly duration: number }[]): number =>
  results.reduce((sum, { duration }) => sum + duration / 1000, 0)

const MESSAGE_LINES = 8

function failure(name: string, message: string | undefined): string {
  const lines = stripVTControlCharacters(message ?? 'no message').split('\n')
  const shown = lines.filter((line) => line.trim() !== '' && !line.includes('node_modules')).slice(0, MESSAGE_LINES)
  return `${name}: ${shown.join('\n    ')}`
}

function testsOf(
  suite: PlaywrightSuite,
  above: readonly string[],
): (z.infer<typeof PlaywrightTest> & { name: string })[] {
  const titles = [...above, suite.title]
  return [
    ...(suite.specs ?? []).flatMap((spec) =>
      spec.tests.map((test) => ({ ...test, name: [...titles, spec.title].join(' › ') })),
    ),
    ...(suite.suites ?? []).flatMap((inner) => testsOf(inner, titles)),
  ]
}

interface Counted {
  readonly passed: number
  readonly failed: number
  readonly skipped: readonly { readonly name: string; readonly reason: string | null }[]
  readonly problems: readonly string[]
  readonly failures: readonly string[]
  readonly took: Tally['took']
}

function tally({ passed, failed, skipped, problems, failures, took }: Counted): Tally {
  const reasoned = skipped.flatMap(({ name, reason }) => (reason === null ? [] : [{ name, reason }]))
  const unreasoned = skipped
    .filter(({ reason }) => reason === null)
    .map(({ name }) => `${name} is skipped without a reason`)
  const all = [...problems, ...unreasoned]
  return { passed, failed: failed + all.length, skipped: reasoned, problems: all, failures, took }
}
