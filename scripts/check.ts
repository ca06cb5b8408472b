import { checkSources, heading, runStep, VITEST } from './testing/steps.ts'

/**
 * `npm run check`: types, lint, boundaries, layout, and the tests that the uncommitted changes can reach. For every few
 * minutes of work.
 */
const sources = await checkSources()
heading('tests that your changes reach')
// What plays thousands of seeds, kills processes or packs a store is a campaign.
const tests = await runStep(
  VITEST,
  ['run', '--changed', '--passWithNoTests', '--exclude', '**/*.campaign.test.{ts,tsx}'],
  { show: true },
)
process.exitCode = sources.types && sources.lint && sources.layout && tests.ok ? 0 : 1
