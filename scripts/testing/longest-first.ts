import { existsSync } from 'node:fs'
import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const ROOT = path.join(import.meta.dirname, '..', '..')
/**
 * The files that take longest, the longest first. Begun last, one of them keeps a single core busy while the other
 * waits.
 */
const LONGEST = [
  'backend/testing/crashes/crashes.test.ts',
  'scripts/start.test.ts',
  'renderer/testing/slow-answers.test.ts',
  'backend/simulation/simulation.test.ts',
  'renderer/testing/cashier.test.ts',
  'renderer/testing/returns.test.ts',
  'renderer/testing/first-screen.test.ts',
  'scripts/shell.test.ts',
  'renderer/testing/reach.test.ts',
  'backend/provision.test.ts',
  'backend/features/queue/queue.test.ts',
  'renderer/testing/access.test.ts',
  'backend/features/member/member.test.ts',
  'renderer/testing/outages.test.ts',
  'backend/features/returns/returns.test.ts',
  'renderer/testing/manager.test.ts',
  'hardware/noise.test.ts',
  'backend/devices/tool/tool.test.ts',
  'backend/features/returns/returned-miles.test.ts',
  'renderer/loading/loading.test.ts',
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
