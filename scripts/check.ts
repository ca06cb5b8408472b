import { checkSources, heading, runStep, VITEST } from './testing/steps.ts'

/**
 * `npm run check`: checks types, lint, module boundaries, layout and language, and runs the tests affected by
 * uncommitted changes. It is fast enough to run every few minutes.
 */
const sources = await checkSources()
heading('tests affected by your changes')
// Campaigns are left out, because they take too long: they play thousands of seeds, kill processes or pack a store.
const tests = await runStep(
  VITEST,
  ['run', '--changed', '--passWithNoTests', '--exclude', '**/*.campaign.test.{ts,tsx}'],
  { show: true },
)
process.exitCode = Object.values(sources).every(Boolean) && tests.ok ? 0 : 1
