import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isWholeCampaign } from '../campaign.ts'

/** As `npm run lab updates`: a hundred kills by night, some of them here. */
const KILLS = isWholeCampaign ? 100 : 3

test(`an update that is killed ${KILLS} times at random moments loses nothing, and every next start sells`, () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...process.execArgv, join(import.meta.dirname, 'kill-test.ts'), '--kills', String(KILLS)],
    { encoding: 'utf8' },
  )
  expect(status, stdout + stderr).toBe(0)
  expect(stdout).toContain(`${KILLS} kills, as many starts, sales and ends in order; no journal entry lost`)
}, 3_600_000)
