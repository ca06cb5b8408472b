import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { sha256 } from './enrolment/enrolment.ts'
import { listCodes } from './enrolment/enrolment.sql.ts'
import { createLog } from './log.ts'
import { openDatabase } from './database.ts'
import { requestUntilAnswered, issueFor } from './testing/lanes.ts'
import { usePostgres } from './testing/postgres.ts'
import { startServerProcess, type ServerProcess } from './testing/server-process.ts'

const [ROUNDS, LANES] = process.env['MILEPOST_CAMPAIGN'] === '1' ? [20, 30] : [1, 15]
const MAX_PAUSE_MS = 600

// The cluster runs without fsync, because killing a process does not test whether data reached the disk.
const cluster = usePostgres({ fsync: false })

test.for(Array.from({ length: ROUNDS }, (_, round) => round + 1))(
  'lanes enrol while the database and servers are killed at random moments (round %i)',
  async (_round, { skip }) => {
    const url = await cluster.database(skip)
    const args = ['--database', url, '--enrolment']
    const keys = { sealKey: randomBytes(32), proofKey: randomBytes(32) }
    const start = () => startServerProcess(args, keys)
    const [one, other] = await Promise.all([start(), start()])
    const postgres = await openDatabase(url, { log: createLog('silent') })
    onTestFinished(() => postgres.close())
    const codes = await issueFor(postgres, LANES)
    const asking = Promise.all(codes.map((code, at) => requestUntilAnswered(at % 2 === 0 ? one : other, code)))
    expect(await killUntil(asking, [one, other])).toBeGreaterThan(0)
    const payloads = await asking
    expect(payloads.map(({ clientSecret }) => clientSecret)).toEqual(codes.map((_, at) => `secret of ${at + 1}`))
    const devices = await postgres.query<{ tokenHash: Buffer }>(
      'SELECT token_hash AS "tokenHash" FROM device ORDER BY lane',
    )
    expect(devices.rows.map(({ tokenHash }) => tokenHash)).toEqual(
      payloads.map(({ deviceToken }) => sha256(deviceToken)),
    )
    const listed = await listCodes(postgres)
    expect(listed.filter(({ exchangedAt, sealed }) => exchangedAt !== null && sealed === null)).toHaveLength(LANES)
  },
)

async function killUntil(work: Promise<unknown>, servers: readonly ServerProcess[]): Promise<number> {
  let isOver = false
  const over = work.finally(() => (isOver = true))
  let kills = 0
  while (!isOver) {
    await pause(randomInt(MAX_PAUSE_MS))
    const server = servers[randomInt(servers.length + 1)]
    if (server === undefined) {
      await cluster.server().kill()
      await pause(randomInt(MAX_PAUSE_MS))
      await cluster.server().restart()
    } else await server.killAndStart()
    kills += 1
  }
  await over
  return kills
}
