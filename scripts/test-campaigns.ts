import { DAY_COUNTS, testCampaigns } from './testing/parts.ts'
import { heading } from './testing/steps.ts'
import { createSummary } from './testing/summary.ts'

/**
 * `npm run test:campaigns`: the tests whose files are named `*.campaign.test.ts` and `*.campaign.spec.ts`, some
 * minutes. With `MILEPOST_CAMPAIGN=1` each takes its longest form, and the run a night. `--after-tests`: the counts of
 * the `npm test` before it are in its own. `--all`: also those that rest today.
 */
const summary = createSummary()
if (process.argv.includes('--after-tests')) summary.addSaved('npm test', DAY_COUNTS)
await testCampaigns(summary, process.argv.includes('--all'))
heading('summary')
summary.print()
