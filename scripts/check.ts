import { checkSources, heading, runStep, VITEST } from './testing/steps.ts'

/** `npm run check`: types, lint, boundaries, and the tests that the uncommitted changes can reach. For every few minutes of work. */
const sources = await checkSources()
heading('tests that your changes reach')
// The package test builds and packs everything: it belongs to npm test.
const tests = await runStep(VITEST, ['run', '--changed', '--passWithNoTests', '--exclude', 'scripts/package.test.ts'], { show: true })
process.exitCode = sources.types && sources.lint && tests.ok ? 0 : 1
