import { readdirSync } from 'node:fs'
import path from 'node:path'
import { start, type RunningProcess } from '../../packages/lab/rig/process.ts'
import type { Benchmark, BenchmarkRun, Measured } from '../benchmark.ts'
import { collectorAt, insertCollectors, PATTERN } from '../collectors.ts'
import { memoryOf, slopeOf } from '../process-memory.ts'
import { percentile } from '../statistics.ts'
import { connect, type Connection } from './connection.ts'
import { atOnce, atRate, type Send } from './load.ts'

const OPTIONS = {
  seconds: { default: 20, about: 'duration of each load' },
  connections: { default: 64, about: 'open connections, each with its own collector' },
  'inquire-rate': { default: 500, about: 'INQUIRE a second' },
  'soak-seconds': { default: 600, about: 'duration of the steady load for the memory readings' },
  'soak-rate': { default: 300, about: 'ISSUE a second of the steady load' },
} as const
type Run = BenchmarkRun<typeof OPTIONS>
interface Ready {
  readonly url: string
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

const ISSUE = '/checkout/issuance/issue'
const INQUIRE = '/checkout/loyaltycash/inquire'
/** Time between two readings of the services’ memory, in milliseconds. */
const READING_MS = 5_000

export const central: Benchmark<typeof OPTIONS> = {
  name: 'central',
  about: 'the reference central services: durable ISSUE at full load, INQUIRE at a steady rate, memory over time',
  options: OPTIONS,
  run: measureCentral,
}

async function measureCentral(run: Run): Promise<Measured> {
  const { settings, folder, signal, log, atEnd } = run
  const forMs = settings.seconds * 1_000
  const data = path.join(folder, 'central')
  const begin = (): Promise<RunningProcess<Ready>> =>
    start([
      'packages/central/main.ts',
      '--data',
      data,
      '--log-level',
      'error',
      '--token-ttl',
      '86400',
      '--exit-with-stdin',
    ])
  log(`laying ${settings.connections} collectors`)
  const first = await begin()
  await first.stop()
  const file = readdirSync(data).find((name) => /\.(db|sqlite)$/.test(name))
  if (file === undefined) throw new Error(`no database in ${data}`)
  insertCollectors(path.join(data, file), settings.connections)

  const bare = await start<{ url: string }>(['bench/central/bare-server.ts', path.join(folder, 'bare.db')])
  atEnd(() => bare.stop())
  const barely = await connectAll(run, bare.ready.url)
  const services = await begin()
  atEnd(() => services.stop())
  const token = await tokenOf(services.ready)
  const connections = await connectAll(run, services.ready.url)
  const head = `Authorization: Bearer ${token}\r\n`
  const stamp = `B${Date.now().toString(36).toUpperCase()}`

  const issue: Send = async (connection, connectionIndex, number) => {
    const answer = await connection.post(
      ISSUE,
      basketOf(connectionIndex, `${stamp}-${number}`),
      `${head}Idempotency-Key: ${stamp}-${number}\r\n`,
    )
    if (answer.status !== 200) throw new Error(`ISSUE: ${answer.status} ${answer.text}`)
  }
  const inquire: Send = async (connection, _connectionIndex, number) => {
    const answer = await connection.post(INQUIRE, inquiryOf(number), head)
    if (answer.status !== 200) throw new Error(`INQUIRE: ${answer.status} ${answer.text}`)
  }
  const bareSend: Send = async (connection, connectionIndex, number) => {
    await connection.post('/', basketOf(connectionIndex, `${stamp}-${number}`), head)
  }

  log(`warming up, then ${settings.seconds} s of the ceiling`)
  await atOnce(barely, 1_000, signal, bareSend)
  const ceiling = await atOnce(barely, forMs, signal, bareSend)
  for (const connection of barely) connection.close()
  let shift = 0
  const freshly: Send = (connection, connectionIndex, number) => issue(connection, connectionIndex, shift + number)
  await atOnce(connections, 2_000, signal, freshly)
  shift += 1e8
  log(`${settings.seconds} s of ISSUE at full load`)
  const issued = await atOnce(connections, forMs, signal, freshly)
  shift += 1e8
  log(`${settings.seconds} s of INQUIRE at ${settings['inquire-rate']} a second`)
  await atRate(connections, settings['inquire-rate'], 2_000, signal, inquire)
  const inquired = await atRate(connections, settings['inquire-rate'], forMs, signal, inquire)

  log(`${settings['soak-seconds']} s of ISSUE at ${settings['soak-rate']} a second`)
  const memory: number[] = []
  const pid = services.child.pid ?? 0
  const reading = setInterval(() => {
    memory.push(memoryOf(pid))
  }, READING_MS)
  const steady =
    settings['soak-seconds'] > 0
      ? await atRate(connections, settings['soak-rate'], settings['soak-seconds'] * 1_000, signal, freshly).finally(
          () => {
            clearInterval(reading)
          },
        )
      : undefined
  clearInterval(reading)
  const minutesOf = (readings: number): number => (readings * READING_MS) / 60_000
  // The first third of the readings is the warm-up of the JavaScript engine: caches fill and code is compiled.
  const afterWarmUp = memory.slice(Math.floor(memory.length / 3))

  return {
    measurements: [
      { name: `ISSUE, ${settings.connections} at once`, role: 'result', samples: issued.samples },
      { name: `INQUIRE at ${settings['inquire-rate']} a second`, role: 'result', samples: inquired.samples },
      ...(steady
        ? [{ name: `ISSUE at ${settings['soak-rate']} a second`, role: 'result' as const, samples: steady.samples }]
        : []),
      { name: `bare durable response, ${settings.connections} at once`, role: 'ceiling', samples: ceiling.samples },
    ],
    facts: {
      'ISSUE a second': Math.round(issued.perSecond),
      'bare durable responses a second': Math.round(ceiling.perSecond),
      'INQUIRE a second': Math.round(inquired.perSecond),
      'INQUIRE p99 in ms':
        Math.round(
          percentile(
            inquired.samples.toSorted((a, b) => a - b),
            99,
          ) * 100,
        ) / 100,
      ...(memory.length > 0
        ? {
            'memory at the start of the steady load in MB': memory[0] ?? 0,
            'memory at its end in MB': memory.at(-1) ?? 0,
            'highest memory in MB': Math.max(...memory),
            'growth over the last two thirds in MB a minute':
              Math.round((slopeOf(afterWarmUp) / minutesOf(1)) * 100) / 100,
            'minutes of the steady load': Math.round(minutesOf(memory.length) * 10) / 10,
          }
        : {}),
    },
    notes: [
      'ISSUE is durable before its response: synchronous=FULL, all calls of an event-loop tick in one commit. Every ' +
        'call has its own Idempotency-Key and checkoutTransactionId.',
      'The load generator is this process, on the same machine and cores as the services.',
      'INQUIRE is timed from its scheduled time, so that waiting for a connection counts.',
      'The bare server reads JSON, stores one row and responds, with the same durability: the best possible ' +
        'on this machine.',
    ],
  }
}

async function connectAll({ settings, atEnd }: Run, url: string): Promise<Connection[]> {
  const connections = await Promise.all(Array.from({ length: settings.connections }, () => connect(url)))
  atEnd(async () => {
    for (const connection of connections) connection.close()
  })
  return connections
}

async function tokenOf({ tokenUrl, clientId, clientSecret }: Ready): Promise<string> {
  const response = await fetch(tokenUrl, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
  })
  const body = (await response.json()) as { access_token?: string }
  if (body.access_token === undefined) throw new Error(`no token: ${response.status}`)
  return body.access_token
}

const basketOf = (connectionIndex: number, id: string): string =>
  JSON.stringify({
    basketPostTaxAmount: 38.39,
    basketPreTaxAmount: 33.97,
    basketHSTAmount: 4.42,
    checkoutDateTime: new Date().toISOString(),
    checkoutTransactionId: id,
    collectorNumber: collectorAt(connectionIndex),
    deviceId: 'LANE-01',
    locationCode: 'N101',
    sponsorCode: 'NRTH',
    tender: ['CASH'],
    items: [
      { id: '1010', name: 'Coffee beans', number: 1, quantity: 1, baseAmount: 14.99, finalAmount: 14.99 },
      { id: '1011', name: 'Maple syrup', number: 2, quantity: 1, baseAmount: 9.99, finalAmount: 9.99 },
      {
        id: '2001',
        name: 'Soap',
        number: 3,
        quantity: 1,
        baseAmount: 8.99,
        finalAmount: 8.99,
        departmentId: 'household',
      },
    ],
  })

const inquiryOf = (number: number): string =>
  JSON.stringify({
    acquirerId: 'NORTHSTAR',
    cardEntryMode: 'SWIPE',
    collectorNumber: PATTERN,
    dateTime: new Date().toISOString(),
    deviceId: 'LANE-01',
    postTaxBasketAmount: '43.35',
    sponsorCode: 'NRTH',
    storeId: 'TRAIN-001',
    traceId: `Q${number}`,
    vendorId: 'NORTHSTAR',
  })
