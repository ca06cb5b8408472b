import { checkSources, heading, runStep, VITEST } from './testing/steps.ts'

/**
 * `npm run check`: checks types, lint, module boundaries, layout and language, and runs the tests affected by
 * uncommitted changes. It is short for a file that few others import, and as long as `npm test` for a central one.
 */
const sources = await checkSources()
heading('tests of the whole repository')
// These tests read sources and documents from the disk, so Vitest does not know which changes reach them.
const REPOSITORY_TESTS = [
  'boundaries',
  'documents',
  'language/language',
  'licences',
  'line-length',
  'lockfile',
  'log-fields',
  'log-messages',
  'observability',
].map((name) => `scripts/${name}.test.ts`)
const repository = await runStep(VITEST, ['run', ...REPOSITORY_TESTS], { show: true })
heading('tests affected by your changes')
// Campaigns are left out, because they take too long: they play thousands of seeds, kill processes or pack a store.
const tests = await runStep(
  VITEST,
  ['run', '--changed', '--passWithNoTests', '--exclude', '**/*.campaign.test.{ts,tsx}'],
  { show: true },
)
process.exitCode = Object.values(sources).every(Boolean) && repository.ok && tests.ok ? 0 : 1
