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
  'scripts/start.campaign.test.ts',
  'renderer/testing/slow-answers.campaign.test.ts',
  'backend/simulation/simulation.test.ts',
  'backend/simulation/seeds.campaign.test.ts',
  'renderer/testing/cashier.test.ts',
  'renderer/testing/returns.test.ts',
  'renderer/testing/first-screen.campaign.test.ts',
  'renderer/testing/pseudo-locale.campaign.test.ts',
  'scripts/shell.campaign.test.ts',
  'renderer/testing/reach.campaign.test.ts',
  'backend/provision.campaign.test.ts',
  'backend/features/queue/queue.test.ts',
  'renderer/testing/access.campaign.test.ts',
  'backend/features/member/member.test.ts',
  'renderer/testing/outages.campaign.test.ts',
  'backend/features/returns/returns.test.ts',
  'renderer/testing/manager.test.ts',
  'hardware/noise.campaign.test.ts',
  'backend/devices/tool/tool.campaign.test.ts',
  'backend/features/returns/returned-miles.test.ts',
  'renderer/loading/loading.campaign.test.ts',
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
