import { runStep } from './testing/steps.ts'

/**
 * `npm run screens [-- FIXTURE…]`: takes pictures of a real sale, then of the named screen fixtures or of all. See
 * `e2e/screens.ts` and `renderer/testing/screens.ts`.
 */
const shown = { show: true, deadlineMs: 60 * 60_000 } as const
const sale = await runStep('e2e/screens.ts', [], shown)
const fixtures = sale.ok && (await runStep('renderer/testing/screens.ts', process.argv.slice(2), shown)).ok
process.exitCode = fixtures ? 0 : 1
