import { DAY_COUNTS, testCampaigns } from './testing/test-sets.ts'
import { heading } from './testing/steps.ts'
import { createSummary } from './testing/summary.ts'

/**
 * `npm run test:campaigns`: runs the slow tests and campaigns that are due today, for some minutes. With
 * `MILEPOST_CAMPAIGN=1` each runs in its longest form, all night. `--after-tests`: adds the counts of the preceding
 * `npm test`. `--all`: also runs the campaigns of other days.
 */
const summary = createSummary()
if (process.argv.includes('--after-tests')) summary.addSaved('npm test', DAY_COUNTS)
await testCampaigns(summary, process.argv.includes('--all'))
heading('summary')
summary.print()
