import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test, type TestContext } from 'vitest'
import type { Vector } from '../../../contracts/store/protocol.ts'
import { backUp, restoreOver } from '../testing/backup.ts'
import { usePostgres } from '../testing/postgres.ts'
import { awaitedLanes, endWaitForLane, detectRestore, noteAllSent } from './awaited.ts'
import { fact, HEALTH, provenVector, OTHER, PUT_BACK, startLanes, STREAM } from './lanes.fixture.ts'

const postgres = usePostgres({ fsync: false })
const start = (skip: TestContext['skip']) => startLanes(postgres, skip)

describe('a restored database', () => {
  test('waits for its lanes, and for lanes that only other lanes know, until each has sent everything', async ({
    skip,
  }) => {
    const { call, hello, push, database } = await start(skip)
    const beat = async (lane: string, vector: Vector) =>
      (await call(lane, 'heartbeat', { health: HEALTH, vector, heard: provenVector(vector), waitMs: 0 })).body
    await hello('01')
    await push('01', [fact(1)])
    await hello('02', OTHER)
    const NEW = 'd'.repeat(32)
    expect((await beat('02', { [STREAM]: 1 })).awaited).toBe(false)
    await database.query(PUT_BACK)
    expect((await beat('02', { [STREAM]: 1, [NEW]: 4 })).awaited).toBe(true)
    expect(await awaitedLanes(database, 'STORE')).toEqual(['', '01', '02'])
    await noteAllSent(database, { store: 'STORE', lane: '02' }, { [OTHER]: 0 })
    expect((await beat('02', { [STREAM]: 1, [NEW]: 4 })).awaited, 'it came once').toBe(false)
    await hello('04', NEW)
    expect(await awaitedLanes(database, 'STORE')).toEqual(['01', '04'])
    await noteAllSent(database, { store: 'STORE', lane: '04' }, { [NEW]: 4 })
    expect(await awaitedLanes(database, 'STORE'), 'it has more to send').toEqual(['01', '04'])
    await push('04', [fact(1), fact(2), fact(3), fact(4)], NEW)
    await noteAllSent(database, { store: 'STORE', lane: '04' }, { [NEW]: 4 })
    await noteAllSent(database, { store: 'STORE', lane: '01' }, { [STREAM]: 1 })
    expect(await awaitedLanes(database, 'STORE')).toEqual([])
  })

  test('does not wait for a lane that had been removed from the store, unless it was enrolled again', async ({
    skip,
  }) => {
    const { hello, push, call, database } = await start(skip)
    const device = (lane: string, revokedAt: number | null) =>
      database.query('INSERT INTO device VALUES (decode(md5($1) || md5($1), $5), $2, $3, $4, $4, 0, $6)', [
        `${lane} ${revokedAt}`,
        'STORE',
        lane,
        'key',
        'hex',
        revokedAt,
      ])
    const NEW = 'd'.repeat(32)
    await hello('01')
    await hello('02', OTHER)
    await hello('04', NEW)
    await push('04', [fact(1)], NEW)
    for (const revokedAt of [1, 2]) await device('04', revokedAt)
    await device('02', 1)
    await device('02', null)
    await database.query(PUT_BACK)
    await detectRestore(database)
    expect(await awaitedLanes(database, 'STORE'), 'lane 01 was not enrolled here').toEqual(['01', '02'])
    await call('01', 'heartbeat', { health: HEALTH, vector: {}, heard: provenVector({ [NEW]: 2 }), waitMs: 0 })
    expect(await awaitedLanes(database, 'STORE'), 'it sold in the lost hours').toEqual(['01', '02', '04'])
  })

  test('waits for the former stream of a lane that also lost its disk, until the owner ends the wait', async ({
    skip,
  }) => {
    const { hello, push, database } = await start(skip)
    const NEW = 'd'.repeat(32)
    const lane = { store: 'STORE', lane: '02' }
    await hello('02', OTHER)
    await push('02', [fact(1)], OTHER)
    await database.query(PUT_BACK)
    await detectRestore(database)
    await hello('02', NEW)
    await push('02', [fact(1)], NEW)
    await noteAllSent(database, lane, { [NEW]: 1 })
    expect(await awaitedLanes(database, 'STORE'), 'what the old computer did is not known').toEqual(['02'])
    expect(await endWaitForLane(database, lane, 'Sam', 'burnt')).toBe(true)
    expect(await awaitedLanes(database, 'STORE')).toEqual([])

    await database.query(PUT_BACK)
    await detectRestore(database)
    await noteAllSent(database, lane, { [NEW]: 1 })
    expect(await awaitedLanes(database, 'STORE'), 'nothing comes any more of one before').toEqual([])
  })

  test('waits for facts that other lanes have read from a lane, even when that lane was restored too', async ({
    skip,
  }) => {
    const { call, hello, push, database } = await start(skip)
    const beat = (lane: string, vector: Vector) =>
      call(lane, 'heartbeat', { health: HEALTH, vector, heard: provenVector(vector), waitMs: 0 })
    const sent = (last: number) => noteAllSent(database, { store: 'STORE', lane: '02' }, { [OTHER]: last })
    const awaited = () => awaitedLanes(database, 'STORE')
    await hello('02', OTHER)
    await push('02', [fact(1), fact(2)], OTHER)
    await database.query(PUT_BACK)
    await detectRestore(database)
    await sent(1)
    expect(await awaited(), 'it knows less than is here').toEqual(['02'])
    await sent(2)
    expect(await awaited()).toEqual([])
    await hello('01')
    await beat('01', { [OTHER]: 3 })
    expect(await awaited(), 'another lane has read more').toEqual(['02'])
    await sent(2)
    await beat('01', { [OTHER]: 2 })
    expect(await awaited()).toEqual(['02'])
    await push('02', [fact(3)], OTHER)
    await sent(3)
    expect(await awaited(), 'the lost copy reappeared').toEqual([])

    await beat('01', { [OTHER]: 5 })
    await endWaitForLane(database, { store: 'STORE', lane: '02' }, 'Sam', 'burnt')
    await beat('01', { [OTHER]: 6 })
    expect(await awaited(), 'the owner has decided').toEqual([])
  })

  test('waits for its lanes after pg_restore --clean has restored into the existing database', async ({ skip }) => {
    const url = await postgres.database(skip, 'over')
    const { hello, database } = await startLanes(postgres, skip, url)
    await hello('01')
    const folder = mkdtempSync(path.join(tmpdir(), 'milepost-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = path.join(folder, 'over.dump')
    await backUp(postgres.server(), 'over', file)
    await detectRestore(database)
    expect(await awaitedLanes(database, 'STORE')).toEqual([])
    await restoreOver(postgres.server(), 'over', file)
    await detectRestore(database)
    expect(await awaitedLanes(database, 'STORE')).toEqual(['01'])
  })

  test('has an identity that names its system, timeline and tables, and differs from that of another database', async ({
    skip,
  }) => {
    const { database } = await start(skip)
    const { rows } = await database.query<{ identity: string }>('SELECT identity FROM database_here')
    expect(rows).toEqual([{ identity: expect.stringMatching(/^\d+\/\d+\/00000001\/\d+$/) }])
    expect((await database.query('SELECT identity FROM database_identity')).rows).toEqual(rows)
    const other = (await start(skip)).database
    expect((await other.query('SELECT identity FROM database_here')).rows).not.toEqual(rows)
  })
})
