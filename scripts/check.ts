import { checkSources, heading, runStep, VITEST } from './testing/steps.ts'

/**
 * `npm run check`: types, lint, boundaries, layout, and the tests that the uncommitted changes can reach. For every few
 * minutes of work.
 */
const sources = await checkSources()
heading('tests that your changes reach')
// What builds and packs everything, kills processes or plays thousands of seeds and bytes belongs to npm test.
const LONG = [
  'scripts/package.test.ts',
  'backend/testing/crashes/**',
  'backend/testing/load/**',
  'backend/simulation/**',
  'central/random-run.test.ts',
  'hardware/{fuzz,replug,noise}.test.ts',
]
const tests = await runStep(
  VITEST,
  ['run', '--changed', '--passWithNoTests', ...LONG.flatMap((files) => ['--exclude', files])],
  { show: true },
)
process.exitCode = sources.types && sources.lint && sources.layout && tests.ok ? 0 : 1
