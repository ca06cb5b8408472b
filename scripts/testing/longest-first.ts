import { existsSync } from 'node:fs'
import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const ROOT = path.join(import.meta.dirname, '..', '..')
/**
 * The slowest test files, slowest first. A slow file that starts last would keep one core busy while the others idle.
 */
const LONGEST = [
  'packages/lab/simulation/days.campaign.test.ts',
  'hardware/card-terminal/faults.campaign.test.ts',
  'packages/lab/simulation/seeds.campaign.test.ts',
  'packages/lab/testing/crashes/crashes.campaign.test.ts',
  'backend/payments/returns/reservations.campaign.test.ts',
  'packages/lab/testing/crashes/interrupted-restores.campaign.test.ts',
  'renderer/testing/pseudo-locale.campaign.test.ts',
  'scripts/start.campaign.test.ts',
  'scripts/shell.campaign.test.ts',
  'renderer/testing/access.campaign.test.ts',
  'renderer/testing/slow-answers.campaign.test.ts',
  'renderer/testing/cashier.test.ts',
  'renderer/testing/touch-targets.campaign.test.ts',
  'renderer/testing/first-screen.campaign.test.ts',
  'renderer/testing/returns.campaign.test.ts',
  'renderer/testing/manager.campaign.test.ts',
  'renderer/testing/outages.campaign.test.ts',
  'backend/operations/provision.campaign.test.ts',
  'packages/delivery/bundle-store.campaign.test.ts',
  'contracts/i18n/third-language.campaign.test.ts',
  'backend/payments/tenders/card-payments.test.ts',
  'renderer/core/loading/loading.campaign.test.ts',
  'packages/lab/testing/crashes/offer-states.campaign.test.ts',
  'backend/operations/diagnostics/echo-year.campaign.test.ts',
  'backend/operations/devices/tool/tool.campaign.test.ts',
  'packages/lab/mutants/types.campaign.test.ts',
  'backend/loyalty/member/member-offers.test.ts',
  'backend/loyalty/member/member.test.ts',
  'backend/payments/returns/returned-miles.test.ts',
  'packages/lab/testing/crashes/restore.campaign.test.ts',
  'packages/lab/testing/crashes/day-end.campaign.test.ts',
  'renderer/testing/touch.campaign.test.ts',
  'renderer/testing/lost-answers.campaign.test.ts',
  'packages/delivery/commands/bundle-on-lane.campaign.test.ts',
  'hardware/replug-printer.campaign.test.ts',
  'backend/operations/restore/restore.campaign.test.ts',
  'packages/central/main.campaign.test.ts',
  'packages/delivery/packaging/package.campaign.test.ts',
  'scripts/start-folder.campaign.test.ts',
  'backend/core/program/options.campaign.test.ts',
  'hardware/noise.campaign.test.ts',
  'hardware/printer/printer.test.ts',
  'backend/day/shifts.test.ts',
  'packages/lab/simulation/simulation.campaign.test.ts',
]
const gone = LONGEST.filter((file) => !existsSync(path.join(ROOT, file)))
if (gone.length > 0) throw new Error(`Files in scripts/testing/longest-first.ts do not exist: ${gone.join(', ')}`)

/**
 * This order is needed because Vitest, without durations of earlier runs, starts with the largest file, which is not
 * the slowest one here.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const known = LONGEST.findIndex((file) => moduleId.endsWith(`/${file}`))
      return known === -1 ? LONGEST.length : known
    }
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other))
  }
}
