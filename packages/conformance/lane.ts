import { randomUUID } from 'node:crypto'
import type { Bench, ControlPart, Role } from './bench.ts'
import { type Caller, type Received, Skip, localDateTime, need, that } from './expect.ts'
import { type CashCall, type IssuanceCall, goodRequest, pathOf, timeAt } from './requests.ts'
import { Tokens } from './tokens.ts'

export type Fields = Readonly<Record<string, unknown>>
export interface Say {
  /** Idempotency-Key. */
  readonly key?: string
  /** null: no Authorization header. Left out: the partner's token. */
  readonly token?: string | null
  /** Added to, or with undefined taken from, the usual headers. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  /**
   * Fields that a good request may have where the check's own hold the fault: what is sent to show that it is the fault
   * that is refused.
   */
  readonly sound?: Fields
}
/** A request that was refused while a check ran. */
export interface Refusal {
  readonly method: string
  readonly path: string
  readonly member: boolean
  readonly sound: Fields | undefined
  readonly received: Received
}

const JSON_TYPE = 'application/json'
/** Under load the control port answers after the services. */
const CONTROL_PATIENCE_MS = 60_000

/** Orders by their path at the reference services. */
const CONTROL_PATHS = [
  ['clock', '/clock'],
  ['faults', '/faults'],
  ['settle', '/issuances/settle'],
  ['requests', '/requests'],
  ['wait', '/wait'],
] as const

/** One tester at one target: fills in what a good request has, and lets a check spoil it. */
export class Lane {
  private readonly target: string
  readonly bench: Bench
  private readonly caller: Caller
  readonly tokens: Tokens
  private readonly run = randomUUID().slice(0, 8).toUpperCase()
  private serial = 0
  private refusals: Refusal[] = []

  constructor(target: string, bench: Bench, caller: Caller) {
    this.target = target
    this.bench = bench
    this.caller = caller
    this.tokens = new Tokens(bench, caller, (path) => this.absolute(path))
  }

  /** An id that no request had before. */
  fresh(): string {
    return `C${this.run}${String((this.serial += 1)).padStart(6, '0')}`
  }

  private absolute(path: string): string {
    return new URL(path, this.target).href
  }

  /** The number of a collector with this role; a Skip when the target has none. */
  collector(role: Role): string {
    return need(this.bench.collectors[role], `the bench has no collector "${role}"`)
  }

  path(call: CashCall | IssuanceCall): string {
    return pathOf(this.bench, call)
  }

  private cashPath(call: CashCall): string {
    return call === 'reverse'
      ? need(this.bench.paths.cashReverse, 'the bench has no path for REVERSE (cash)')
      : pathOf(this.bench, call)
  }

  async say(
    method: string,
    where: string,
    body?: unknown,
    { key, token, headers = {}, sound }: Say = {},
  ): Promise<Received> {
    const bearer = token === undefined ? await this.tokens.shared() : token
    const received = await this.caller.ask(this.absolute(where), {
      method,
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
      headers: {
        'content-type': JSON_TYPE,
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...headers,
      },
    })
    if (received.status >= 400 && received.status < 500)
      this.refusals.push({
        method,
        path: where.split('?', 1)[0] ?? where,
        member: typeof token === 'string',
        sound,
        received,
      })
    return received
  }

  /** "A transactionId from the POST response" (§4.4), or the POST/EVENT's own id: what a good reversal takes back. */
  private async originalOf(call: IssuanceCall, fields: Fields): Promise<Fields> {
    const named = call === 'reverse' ? 'originalTransactionId' : 'originalClientTransactionId'
    const post = call === 'reverse' ? 'post' : 'postEvent'
    if (named in fields || (call !== 'reverse' && call !== 'reverseEvent') || this.bench.paths[post] === null) return {}
    const { body } = await this.say(
      'POST',
      pathOf(this.bench, post),
      goodRequest(this.bench, this.fresh(), post, false),
    )
    return { [named]: call === 'reverse' ? body.transactionId : body.clientTransactionId }
  }

  /** A time in ISO 8601 with the offset of the store; in seconds from now. */
  time(secondsLater: number = 0): string {
    return timeAt(this.bench, undefined, secondsLater)
  }

  /** The store's clock on the wall, without a zone. */
  localTime(): string {
    return localDateTime(Date.now(), this.bench.store.timeZone)
  }

  /** Requests that were refused since it was asked last. */
  takeRefusals(): readonly Refusal[] {
    const taken = this.refusals
    this.refusals = []
    return taken
  }

  cash(call: CashCall, fields: Fields = {}, options: Say = {}): Promise<Received> {
    return this.say(
      'POST',
      this.cashPath(call),
      {
        ...goodRequest(this.bench, this.fresh(), call, true),
        ...(call !== 'echo' && 'storeId' in fields ? { dateTime: timeAt(this.bench, fields.storeId) } : {}),
        ...fields,
      },
      call === 'echo' ? { ...options, headers: { 'cache-control': 'no-cache', ...options.headers } } : options,
    )
  }

  async issuance(call: IssuanceCall, fields: Fields = {}, options: Say = {}): Promise<Received> {
    return this.say(
      'POST',
      pathOf(this.bench, call),
      { ...goodRequest(this.bench, this.fresh(), call, false), ...(await this.originalOf(call, fields)), ...fields },
      options,
    )
  }

  /** The good request of a call, as `cash` and `issuance` would send it. */
  request(call: CashCall | IssuanceCall, fields: Fields = {}): Record<string, unknown> {
    return { ...goodRequest(this.bench, this.fresh(), call, false), ...fields }
  }

  /** Both balances as INQUIRE tells them. */
  async balances(role: Role): Promise<{ cash: number; dream: number }> {
    const received = await this.cash('inquire', { collectorNumber: this.collector(role) })
    // Under a code other than 0000 nobody says that it tells any (3 §2.4, §7.2).
    const told = (balance: unknown): number =>
      Number(
        received.body.responseCode === '0000'
          ? balance
          : need(balance, `INQUIRE tells no balances under ${String(received.body.responseCode)}`),
      )
    const balances = { cash: told(received.body.cashBalance), dream: told(received.body.dreamBalance) }
    that(Number.isFinite(balances.cash) && Number.isFinite(balances.dream), 'INQUIRE tells no balances', received)
    return balances
  }

  async get(where: string, query: Fields = {}, options: Say = {}): Promise<Received> {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) search.append(name, String(one))
    }
    const text = search.toString()
    return this.say('GET', text === '' ? where : `${where}?${text}`, undefined, options)
  }

  /** Throws a Skip when the target takes no such orders. */
  needs(...parts: ControlPart[]): void {
    need(this.bench.controlUrl, 'the target has no control port')
    for (const part of parts)
      if (!this.bench.control.speaks.includes(part)) throw new Skip(`the target takes no orders about its ${part}`)
  }

  control(method: string, where: string, body?: unknown): Promise<Received> {
    const [part, at] = CONTROL_PATHS.find(([, prefix]) => where.startsWith(prefix)) ?? []
    if (part === undefined || at === undefined) this.needs()
    else this.needs(part === 'wait' ? 'requests' : part)
    const mapped =
      part === undefined || at === undefined ? where : `${this.bench.control.paths[part]}${where.slice(at.length)}`
    return this.caller.ask(`${need(this.bench.controlUrl, 'the target has no control port')}${mapped}`, {
      method,
      timeoutMs: CONTROL_PATIENCE_MS,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': JSON_TYPE } }),
    })
  }

  /** Sets a fault for the next request to the path. */
  async fault(where: string, action: Fields): Promise<void> {
    const received = await this.control('POST', '/faults', {
      rules: [{ id: 'conformance', path: where, occurrence: 1, action }],
    })
    that(received.status === 200, 'the fault was not taken', received)
  }
}
