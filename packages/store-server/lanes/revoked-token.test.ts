import { expect, test } from 'vitest'
import { decideCode, revokeDevices } from '../enrolment/enrolment.sql.ts'
import { contextOf } from '../testing/context.ts'
import { usePostgres } from '../testing/postgres.ts'
import { HEALTH, STREAM } from './lanes.fixture.ts'
import { openSession, noteHeartbeat } from './lanes.sql.ts'

const cluster = usePostgres({ fsync: false })
const CALLER = { store: '1001', lane: '01', codeId: 'CODE1' }
const HOUR = 3_600_000

test.for([
  ['with a lease', HOUR],
  ['without a lease', undefined],
] as const)('a heartbeat %s is refused as soon as the token of its lane is revoked', async ([, leaseMs], { skip }) => {
  const database = await cluster.open(skip)
  const device = { tokenHash: Buffer.alloc(32), laneKey: '', since: 0, revokedAt: null, ...CALLER }
  await decideCode(database, CALLER.codeId, 0, () => ({ change: { device }, outcome: null }))
  const ctx = contextOf(database)
  await openSession(ctx, CALLER, { protocol: 1, version: '1', streams: [{ epoch: 1, name: STREAM }] })
  const beat = () => noteHeartbeat(ctx, CALLER, { health: HEALTH, vector: {}, leaseMs })
  expect(await beat()).toMatchObject({ kind: 'noted' })
  expect(await beat()).toMatchObject({ kind: 'noted' })
  await revokeDevices(database, CALLER, 1)
  expect(await beat()).toEqual({ kind: 'token' })
})
