import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isWholeCampaign } from '../campaign.ts'

/** Number of kills of `npm run lab -- updates`: a hundred in the nightly campaign, a few here. */
const KILLS = isWholeCampaign ? 100 : 3

test(`an update killed ${KILLS} times at random loses no record, and the lane sells after each start`, () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...process.execArgv, join(import.meta.dirname, 'kill-test.ts'), '--kills', String(KILLS)],
    { encoding: 'utf8' },
  )
  expect(status, stdout + stderr).toBe(0)
  expect(stdout).toContain(
    `${KILLS} kills, each followed by a start, a sale and a graceful stop; no journal entry lost`,
  )
}, 3_600_000)
