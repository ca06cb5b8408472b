import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeDevice } from '../../../packages/lab/testing/enrolled.ts'
import { useStore } from '../../../packages/lab/testing/store.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { look, TRAINING } from './checked-lane.fixture.ts'

const central = useCentral()
const store = useStore('01')

test('the lane check reports the store server as absent, reached, refusing, of another mode, or unreachable', async ({
  skip,
}) => {
  const place = store.place(skip)
  const here = await openTerminalHarness(central, {})
  await here.close()
  const dataFolder = here.folder
  const key = Buffer.from(readFileSync(join(dataFolder, 'seal.key'), 'utf8').trim(), 'base64')
  const found = async (change: Partial<typeof place> | null) => {
    if (change !== null) writeDevice(dataFolder, key, { ...place, ...change })
    const { codes, text: output } = await look({ dataFolder, profileFile: TRAINING })
    return [codes['store-server'], output.split('\n').find((line) => line.includes('Store server'))]
  }
  expect(await found(null)).toEqual([['store-alone'], expect.stringContaining('has no store server')])
  expect(await found({})).toEqual([['store-reached'], expect.stringMatching(/^OK .* knows this lane\./)])
  expect(await found({ token: 'x'.repeat(43) })).toEqual([
    ['store-refused'],
    expect.stringMatching(/^Problem .* does not know this lane\./),
  ])
  await store.query("INSERT INTO store_mode (store, mode, lane) VALUES ('TRAIN-001', 'production', '02')")
  expect(await found({})).toEqual([['store-other-mode'], expect.stringMatching(/^Problem .* this lane trains/)])
  const unreachable = { url: 'https://127.0.0.1:9' }
  expect(await found(unreachable)).toEqual([
    ['store-away'],
    expect.stringMatching(/^Attention .*127\.0\.0\.1:9 does not answer \(ECONNREFUSED\)\./),
  ])
  expect(await found({ ca: null })).toEqual([
    ['store-away'],
    expect.stringMatching(/does not answer \((DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)\)\./),
  ])
})
