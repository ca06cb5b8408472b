import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { runStep, VITEST } from './testing/steps.ts'

/**
 * `npm test -w packages/central [-- FILTER]`: runs the tests of one workspace package without its campaigns. npm starts
 * it in the folder of the package.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = path.relative(root, process.cwd())
const args = ['run', '--no-isolate', '--dir', folder, '--exclude', '**/*.campaign.test.ts', ...process.argv.slice(2)]
const { ok } = await runStep(VITEST, args, { show: true, deadlineMs: 25 * 60_000 })
process.exitCode = ok ? 0 : 1
