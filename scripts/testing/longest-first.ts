import { existsSync } from 'node:fs'
import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const ROOT = path.join(import.meta.dirname, '..', '..')
/**
 * The files that take longest, the longest first. Begun last, one of them keeps a single core busy while the other
 * waits.
 */
const LONGEST = [
  'backend/testing/crashes/crashes.campaign.test.ts',
  'renderer/testing/pseudo-locale.campaign.test.ts',
  'backend/simulation/seeds.campaign.test.ts',
  'scripts/start.campaign.test.ts',
  'scripts/shell.campaign.test.ts',
  'renderer/testing/access.campaign.test.ts',
  'renderer/testing/slow-answers.campaign.test.ts',
  'renderer/testing/cashier.test.ts',
  'renderer/testing/reach.campaign.test.ts',
  'renderer/testing/first-screen.campaign.test.ts',
  'renderer/testing/returns.test.ts',
  'renderer/testing/manager.test.ts',
  'renderer/testing/outages.campaign.test.ts',
  'backend/provision.campaign.test.ts',
  'delivery/shelf.campaign.test.ts',
  'contracts/i18n/third-language.campaign.test.ts',
  'backend/features/card-payments/card-payments.test.ts',
  'renderer/loading/loading.campaign.test.ts',
  'backend/testing/crashes/offer-states.campaign.test.ts',
  'backend/features/diagnostics/echo-year.campaign.test.ts',
  'backend/devices/tool/tool.campaign.test.ts',
  'scripts/mutants/types.campaign.test.ts',
  'backend/features/member-offers/member-offers.test.ts',
  'renderer/testing/drawer.test.ts',
  'backend/features/member/member.test.ts',
  'renderer/testing/program-offers.test.ts',
  'renderer/testing/basket-offers.test.ts',
  'backend/features/returns/returned-miles.test.ts',
  'backend/testing/crashes/restore.campaign.test.ts',
  'backend/testing/crashes/day-end.campaign.test.ts',
  'renderer/testing/touch.campaign.test.ts',
  'renderer/testing/lost-answers.campaign.test.ts',
  'backend/simulation/days.campaign.test.ts',
  'scripts/lane/bundle-on-lane.campaign.test.ts',
  'hardware/replug-printer.campaign.test.ts',
  'backend/restore.campaign.test.ts',
  'central/main.campaign.test.ts',
  'scripts/package.campaign.test.ts',
  'scripts/start-folder.campaign.test.ts',
  'backend/options.test.ts',
  'hardware/noise.campaign.test.ts',
  'hardware/printer/printer.test.ts',
  'backend/features/shifts/shifts.test.ts',
  'backend/simulation/simulation.test.ts',
]
const gone = LONGEST.filter((file) => !existsSync(path.join(ROOT, file)))
if (gone.length > 0) throw new Error(`The list of the longest test files names what is not there: ${gone.join(', ')}`)

/**
 * A clean checkout knows no durations of earlier runs: Vitest then takes the largest file for the longest, which it is
 * not here.
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
