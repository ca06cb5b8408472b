import { expect, test } from 'vitest'
import type { LaneMode } from '../../../contracts/store/protocol.ts'
import { usePostgres } from '../testing/postgres.ts'
import { HEALTH, OTHER, startLanes, STREAM } from './lanes.fixture.ts'

const postgres = usePostgres({ fsync: false })
const REFUSED = { status: 409, body: { refused: 'mode' } }

test('the first lane sets its store to production or training mode; a lane in the other mode is refused', async ({
  skip,
}) => {
  const { call, database } = await startLanes(postgres, skip)
  const hello = (lane: string, mode: LaneMode, name = lane.padEnd(32, 'a')) =>
    call(lane, 'hello', { version: '1.0.0', mode, streams: [{ epoch: 1, name }] })
  const both = await Promise.all([hello('01', 'production'), hello('02', 'training')])
  expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(both.filter(({ status }) => status === 409)).toHaveLength(1)
  expect((await hello('03', 'training')).status, 'of another store').toBe(200)
  const [sells] = (await database.query<{ mode: LaneMode }>("SELECT mode FROM store_mode WHERE store = 'STORE'")).rows
  const other = sells?.mode === 'production' ? 'training' : 'production'
  expect(await hello('04', other)).toMatchObject(REFUSED)
  expect((await hello('04', sells?.mode ?? other)).status).toBe(200)
  expect(await hello('05', other)).toMatchObject(REFUSED)
  const { rows } = await database.query("SELECT lane, refused FROM lane WHERE lane IN ('04', '05') ORDER BY lane")
  expect(rows).toEqual([
    { lane: '04', refused: null },
    { lane: '05', refused: 'mode' },
  ])
  expect((await database.query("SELECT 1 FROM stream WHERE lane = '05'")).rows, 'nothing of it begins').toEqual([])
})

test('a lane of the previous release, which sends its mode only in heartbeats, is refused in the other mode', async ({
  skip,
}) => {
  const { call, hello } = await startLanes(postgres, skip)
  const beat = (lane: string, mode: LaneMode) =>
    call(lane, 'heartbeat', { health: { ...HEALTH, mode }, vector: {}, waitMs: 0 })
  await hello('01', STREAM)
  expect((await beat('01', 'production')).status).toBe(200)
  expect((await hello('02', OTHER)).status, 'no mode reported yet').toBe(200)
  expect(await beat('02', 'training')).toMatchObject(REFUSED)
  expect(await hello('02', OTHER)).toMatchObject(REFUSED)
  expect((await hello('01', STREAM)).status).toBe(200)
})
