import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type DrawnVoucher,
  type FoundVoucher,
  type LaneValue,
  VOUCHER_PATHS,
} from '../../../contracts/store/vouchers.ts'
import { STORE_PATHS, STORE_PROTOCOL, type Fact } from '../../../contracts/store/protocol.ts'
import { RECEIPT_PATHS } from '../../../contracts/store/receipts.ts'
import { giftCardSaleBody } from './fact-bodies.ts'
import { STORE_ROUTES } from '../app.ts'
import { openDatabase } from '../database.ts'
import { createLog } from '../log.ts'
import { contextOf, openRoutes } from './context.ts'

export const hashOf = (code: string): string => createHash('sha256').update(code).digest('hex')

/**
 * Store servers with test lanes that use HTTP and have no database. A lane's token is its number, optionally with its
 * enrolment code: `01~CODE`.
 */
export interface VoucherLanes {
  lane(id: string): VoucherLane
  wrong(): Promise<readonly object[]>
  query(sql: string): Promise<readonly Record<string, unknown>[]>
  close(): Promise<void>
}

export interface VoucherLane {
  find(code: string): Promise<FoundVoucher>
  draw(code: string, amountCents: number, id?: string): Promise<DrawnVoucher>
  cancel(code: string, amountCents: number, id: string): Promise<{ kind: string }>
  vouchersAtLane(): Promise<LaneValue>
  entry(code: string, kind: 'issued' | 'redeemed' | 'given-back', amountCents: number): Promise<void>
  issued(codes: readonly string[], amountCents: number): Promise<void>
  transfer(code: string, direction: 'drawn' | 'handed-over', amountCents: number, id?: string): Promise<void>
  fact(kind: string, subject: string, body: Fact['body']): Promise<boolean>
  sendAgain(): Promise<void>
  sendInNewStream(): Promise<void>
  /**
   * Sends a heartbeat with a lease of this length for payments with the lane's own value; 0 means that the lane stops
   * normally.
   */
  beat(leaseMs: number): Promise<void>
  complete(last?: number): Promise<void>
  sent(): readonly Fact[]
  send(facts: readonly Fact[], mayWait?: 'some may wait'): Promise<void>
}

export async function startVoucherLanes(url: string, servers = 1): Promise<VoucherLanes> {
  const started = await Promise.all(Array.from({ length: servers }, () => startServer(url)))
  const lanes = new Map<string, VoucherLane>()
  const [first] = started
  if (first === undefined) throw new Error('at least one server')
  return {
    lane(id) {
      const known = lanes.get(id)
      if (known) return known
      const made = laneOf(id, (started[lanes.size % servers] ?? first).url)
      lanes.set(id, made)
      return made
    },
    wrong: async () => (await first.postgres.query('SELECT * FROM voucher_wrong')).rows,
    query: async (sql) => (await first.postgres.query(sql)).rows,
    async close() {
      for (const { close } of started) await close()
    },
  }
}

async function startServer(url: string) {
  const log = createLog('silent')
  const postgres = await openDatabase(url, { log })
  const app = await openRoutes(contextOf(postgres, { log }), Object.values(STORE_ROUTES), ({ headers }) => {
    const [lane = '', codeId] = (headers.authorization ?? '').slice('Bearer '.length).split('~')
    return { store: 'STORE', lane, ...(codeId === undefined ? {} : { codeId }) }
  })
  return {
    postgres,
    url: await app.listen({ host: '127.0.0.1', port: 0 }),
    async close() {
      await app.close()
      await postgres.close()
    },
  }
}

const HEALTH = {
  version: 'test',
  mode: 'production',
  untold: 0,
  queue: { waiting: 0, attention: 0, oldestAt: null },
  central: 'online',
  drawer: { open: false, since: null },
  lastSaleAt: null,
  troubles: [],
  stopped: null,
}

function laneOf(id: string, url: string): VoucherLane {
  const stream = createHash('md5').update(id).digest('hex')
  const sent: Fact[] = []
  let opened: Promise<{ session?: number }> | null = null

  async function post<Answer>(path: string, body: object): Promise<Answer> {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${id}`, 'content-type': 'application/json' },
      body: JSON.stringify({ protocol: STORE_PROTOCOL, ...body }),
    })
    if (answer.status === 503) return pause(5).then(() => post(path, body))
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Answer
  }
  const hello = (): Promise<{ session?: number }> =>
    (opened ??= post(STORE_PATHS.hello, { version: 'test', streams: [{ epoch: 1, name: stream }] }))
  async function push(facts: readonly Fact[], mayWait = false): Promise<void> {
    await hello()
    const { aside: quarantined } = await post<{ aside: number[] }>(STORE_PATHS.facts, { stream, epoch: 1, facts })
    if (quarantined.length > 0 && !mayWait) throw new Error(`quarantined: ${quarantined.join(', ')}`)
  }
  function add(kind: string, subject: string, body: Fact['body']): Fact {
    const seq = sent.length + 1
    const fact = { seq, kind, subject, at: seq, body, sealed: 'c2VhbGVk' }
    sent.push(fact)
    return fact
  }
  let entries = 0
  function addEntry(code: string, kind: string, amountCents: number): Fact[] {
    entries += 1
    const saleId = kind === 'issued' ? `${id}-SALE-${entries}` : 'S'
    const sale = kind === 'issued' ? [add('sale', saleId, giftCardSaleBody(saleId, amountCents))] : []
    const ids = { id: entries, returnId: null, operationId: null, saleId }
    return [...sale, add('voucher-entry', `${entries}`, { ...about(code), ...ids, kind, amountCents })]
  }
  const about = (code: string) => ({
    voucherId: code,
    voucherKind: 'gift-card',
    last4: code.slice(-4),
    codeHash: hashOf(code),
    at: sent.length + 1,
  })
  return {
    find: (code) => post(VOUCHER_PATHS.find, { hash: hashOf(code) }),
    draw: (code, amountCents, draw = randomUUID()) =>
      post(VOUCHER_PATHS.draw, { id: draw, hash: hashOf(code), amountCents }),
    cancel: (code, amountCents, draw) => post(VOUCHER_PATHS.cancel, { id: draw, hash: hashOf(code), amountCents }),
    vouchersAtLane: () => post(VOUCHER_PATHS.laneValue, {}),
    entry: (code, kind, amountCents) => push(addEntry(code, kind, amountCents)),
    issued: (codes, amountCents) => push(codes.flatMap((code) => addEntry(code, 'issued', amountCents))),
    transfer: (code, direction, amountCents, transfer = randomUUID()) =>
      push([add('voucher-transfer', transfer, { ...about(code), id: transfer, direction, amountCents })]),
    async fact(kind, subject, body) {
      return await push([add(kind, subject, body)]).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Error && error.message.startsWith('quarantined')) return false
          throw error
        },
      )
    },
    sendAgain: () => push(sent),
    async beat(leaseMs) {
      const { session } = await hello()
      const own = { [stream]: sent.length }
      await post(STORE_PATHS.heartbeat, { health: HEALTH, vector: {}, own, waitMs: 0, session, leaseMs })
    },
    async complete(last = sent.length) {
      await hello()
      await post(RECEIPT_PATHS.complete, { streams: { [stream]: last } })
    },
    sent: () => sent,
    async send(facts, mayWait) {
      sent.push(...facts)
      await push(facts, mayWait !== undefined)
    },
    async sendInNewStream() {
      const other = { epoch: 2, name: createHash('md5').update(`${id} again`).digest('hex') }
      await post(STORE_PATHS.hello, { version: 'test', streams: [other] })
      const { aside: quarantined } = await post<{ aside: number[] }>(STORE_PATHS.facts, {
        stream: other.name,
        epoch: other.epoch,
        facts: sent,
      })
      if (quarantined.length > 0) throw new Error(`quarantined: ${quarantined.join(', ')}`)
    },
  }
}
