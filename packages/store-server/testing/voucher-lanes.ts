import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type DrawnVoucher,
  type FoundVoucher,
  type Standing,
  VOUCHER_PATHS,
} from '../../../contracts/store/vouchers.ts'
import { STORE_PATHS, STORE_PROTOCOL, type Fact } from '../../../contracts/store/protocol.ts'
import { RECEIPT_PATHS } from '../../../contracts/store/receipts.ts'
import { giftCardSaleBody } from './fact-bodies.ts'
import { STORE_ROUTES } from '../app.ts'
import { openDatabase } from '../database.ts'
import { createLog } from '../log.ts'
import { contextOf, openRoutes } from './context.ts'

/** The hash that a lane would make of a code. */
export const hashOf = (code: string): string => createHash('sha256').update(code).digest('hex')

/**
 * The server's side of lanes that speak HTTP and have no database of their own. The token of a lane is its number, or
 * its number and the code of its enrolment: `01~CODE`.
 */
export interface VoucherLanes {
  lane(id: string): VoucherLane
  /** What does not add up: empty in a store that keeps its books. */
  wrong(): Promise<readonly object[]>
  query(sql: string): Promise<readonly Record<string, unknown>[]>
  close(): Promise<void>
}

export interface VoucherLane {
  find(code: string): Promise<FoundVoucher>
  draw(code: string, amountCents: number, id?: string): Promise<DrawnVoucher>
  cancel(code: string, amountCents: number, id: string): Promise<{ kind: string }>
  standing(): Promise<Standing>
  /** Tells what moved a voucher here, in the lane's stream; of a card that is issued also the sale that sold it. */
  entry(code: string, kind: 'issued' | 'redeemed' | 'given-back', amountCents: number): Promise<void>
  /** All of them in one call. */
  issued(codes: readonly string[], amountCents: number): Promise<void>
  transfer(code: string, direction: 'drawn' | 'handed-over', amountCents: number, id?: string): Promise<void>
  /** Tells a fact of any kind. Answers whether the server could read it. */
  fact(kind: string, subject: string, body: Fact['body']): Promise<boolean>
  /** What it has told goes out again, whole, as after a lost answer. */
  tellAgain(): Promise<void>
  /** The same rows in a stream of another name, as a lane does whose database is from before it told anything. */
  tellInAnotherStream(): Promise<void>
  /** Sends a heartbeat: from now the lane may pay with value at it for so long; 0: it stops in good order. */
  beat(leaseMs: number): Promise<void>
  /** Says that it has told all that it ever closed, up to this number. */
  settle(last?: number): Promise<void>
  /** All that it has told, in its order; and the same of another store's lane, told here as its own. */
  told(): readonly Fact[]
  tell(facts: readonly Fact[], mayWait?: 'some may wait'): Promise<void>
}

/** Starts `servers` servers on one database; lanes are spread over them. */
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
  const told: Fact[] = []
  let greeted: Promise<{ session?: number }> | null = null

  async function post<Answer>(path: string, body: object): Promise<Answer> {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${id}`, 'content-type': 'application/json' },
      body: JSON.stringify({ protocol: STORE_PROTOCOL, ...body }),
    })
    // A server that is busy says so, and a lane comes again.
    if (answer.status === 503) return pause(5).then(() => post(path, body))
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Answer
  }
  const greet = (): Promise<{ session?: number }> =>
    (greeted ??= post(STORE_PATHS.hello, { version: 'test', streams: [{ epoch: 1, name: stream }] }))
  async function push(facts: readonly Fact[], mayWait = false): Promise<void> {
    await greet()
    const { aside } = await post<{ aside: number[] }>(STORE_PATHS.facts, { stream, epoch: 1, facts })
    if (aside.length > 0 && !mayWait) throw new Error(`set aside: ${aside.join(', ')}`)
  }
  function add(kind: string, subject: string, body: Fact['body']): Fact {
    const seq = told.length + 1
    const fact = { seq, kind, subject, at: seq, body, sealed: 'c2VhbGVk' }
    told.push(fact)
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
    at: told.length + 1,
  })
  return {
    find: (code) => post(VOUCHER_PATHS.find, { hash: hashOf(code) }),
    draw: (code, amountCents, draw = randomUUID()) =>
      post(VOUCHER_PATHS.draw, { id: draw, hash: hashOf(code), amountCents }),
    cancel: (code, amountCents, draw) => post(VOUCHER_PATHS.cancel, { id: draw, hash: hashOf(code), amountCents }),
    standing: () => post(VOUCHER_PATHS.standing, {}),
    entry: (code, kind, amountCents) => push(addEntry(code, kind, amountCents)),
    issued: (codes, amountCents) => push(codes.flatMap((code) => addEntry(code, 'issued', amountCents))),
    transfer: (code, direction, amountCents, transfer = randomUUID()) =>
      push([add('voucher-transfer', transfer, { ...about(code), id: transfer, direction, amountCents })]),
    async fact(kind, subject, body) {
      return await push([add(kind, subject, body)]).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Error && error.message.startsWith('set aside')) return false
          throw error
        },
      )
    },
    tellAgain: () => push(told),
    async beat(leaseMs) {
      const { session } = await greet()
      const own = { [stream]: told.length }
      await post(STORE_PATHS.heartbeat, { health: HEALTH, vector: {}, own, waitMs: 0, session, leaseMs })
    },
    async settle(last = told.length) {
      await greet()
      await post(RECEIPT_PATHS.settled, { streams: { [stream]: last } })
    },
    told: () => told,
    async tell(facts, mayWait) {
      told.push(...facts)
      await push(facts, mayWait !== undefined)
    },
    async tellInAnotherStream() {
      const other = { epoch: 2, name: createHash('md5').update(`${id} again`).digest('hex') }
      await post(STORE_PATHS.hello, { version: 'test', streams: [other] })
      const { aside } = await post<{ aside: number[] }>(STORE_PATHS.facts, {
        stream: other.name,
        epoch: other.epoch,
        facts: told,
      })
      if (aside.length > 0) throw new Error(`set aside: ${aside.join(', ')}`)
    },
  }
}
