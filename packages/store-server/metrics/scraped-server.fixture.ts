import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, type TestContext } from 'vitest'
import type { Sample } from '../../../contracts/store/metrics.ts'
import { STORE_PROTOCOL, type Fact } from '../../../contracts/store/protocol.ts'
import type { LaneCredentials } from '../../delivery/enrolment/proof.ts'
import { makeLaneKey } from '../../delivery/enrolment/sealing.ts'
import { createLog } from '../log.ts'
import { openDatabase } from '../database.ts'
import { callOver, type Answer } from '../testing/call.ts'
import { requestUntilAnswered, issueFor } from '../testing/lanes.ts'
import { parseOpenMetrics } from '../testing/open-metrics.ts'
import type { PostgresOfTests } from '../testing/postgres.ts'
import { startServerProcess } from '../testing/server-process.ts'
import { signedLane } from '../testing/signed-lane.ts'

const MAIN = path.join(import.meta.dirname, '..', 'main.ts')
export const STREAMS = ['a', 'b', 'c'].map((letter) => letter.repeat(32))

export async function startScraped(cluster: PostgresOfTests, skip: TestContext['skip'], lanes = 1) {
  const url = await cluster.database(skip)
  const log: string[] = []
  const server = await startServerProcess(['--database', url, '--enrolment'], { onLog: (line) => log.push(line) })
  const postgres = await openDatabase(url, { log: createLog('silent') })
  onTestFinished(() => postgres.close())
  const ca = server.certificate.certificate
  const credentials: LaneCredentials[] = []
  for (const code of await issueFor(postgres, lanes)) {
    const key = makeLaneKey()
    credentials.push({ token: (await requestUntilAnswered(server, code, key)).deviceToken, key })
  }
  const tokens = credentials.map(({ token }) => token)
  const signed = credentials.map((lane) => signedLane({ ca, url: server.url }, lane))
  const callAs = (lane: number, at: string, body: string): Promise<Answer> => {
    const known = signed[lane]
    if (known === undefined) throw new Error(`there is no lane ${lane}`)
    return known(at, body)
  }
  const call = (at: string, token: string | null, body?: string): Promise<Answer> =>
    callOver(ca, `${server.url}${at}`, body, token === null ? {} : { authorization: `Bearer ${token}` })
  const sendAs = (lane: number, at: string, body: object): Promise<Answer> =>
    callAs(lane, at, JSON.stringify({ protocol: STORE_PROTOCOL, ...body }))
  return {
    server,
    postgres,
    log,
    tokens,
    credentials,
    call,
    callAs,
    sendAs,
    metrics: async (action: string) =>
      (await promisify(execFile)(process.execPath, [MAIN, 'metrics', action, '--data', server.data])).stdout.trim(),
    hello: (lane: number) =>
      sendAs(lane, '/lane/hello', { version: '1', streams: [{ epoch: 1, name: STREAMS[lane] }] }),
    push: (lane: number, facts: readonly Partial<Fact>[]) =>
      sendAs(lane, '/lane/facts', {
        stream: STREAMS[lane],
        epoch: 1,
        facts: facts.map((fact, at) => ({
          seq: at + 1,
          kind: 'note',
          subject: 'S',
          at: 1,
          body: {},
          sealed: null,
          ...fact,
        })),
      }),
    async scrape(token: string, at = '/metrics'): Promise<Map<string, number>> {
      const answer = await call(at, token)
      expect(answer.status).toBe(200)
      expect(answer.headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
      return new Map(parseOpenMetrics(answer.body.toString()).map((sample) => [seriesName(sample), sample.value]))
    },
  }
}
const seriesName = ({ name, labels }: Omit<Sample, 'value'>): string =>
  `${name}{${Object.entries(labels)
    .map(([label, value]) => `${label}="${value}"`)
    .join(',')}}`

export const GOOD = {
  samples: [
    { name: 'milepost_stopped', labels: {}, value: 0 },
    { name: 'milepost_transactions_total', labels: { kind: 'sale' }, value: 3 },
  ],
}
