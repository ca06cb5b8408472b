import { randomUUID } from 'node:crypto'
import type { Bench, ControlFunction, Role } from './bench.ts'
import { type Caller, type Received, Skip, localDateTime, need, assertThat } from './expect.ts'
import { type CashCall, type IssuanceCall, goodRequest, pathOf, timeAt } from './requests.ts'
import { Tokens } from './tokens.ts'

export type Fields = Readonly<Record<string, unknown>>
export interface CallOptions {
  readonly key?: string
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  /**
   * Valid values for the faulty fields of the request. A request with these values proves that the fault is the reason
   * of a refusal.
   */
  readonly validFields?: Fields
}
export interface Refusal {
  readonly method: string
  readonly path: string
  readonly member: boolean
  readonly validFields: Fields | undefined
  readonly received: Received
}

const JSON_TYPE = 'application/json'
/** Timeout of a control call: under load the control port is slower than the services. */
const CONTROL_PATIENCE_MS = 60_000

const CONTROL_PATHS = [
  ['clock', '/clock'],
  ['faults', '/faults'],
  ['settle', '/issuances/settle'],
  ['requests', '/requests'],
  ['wait', '/wait'],
] as const

export class Client {
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

  fresh(): string {
    return `C${this.run}${String((this.serial += 1)).padStart(6, '0')}`
  }

  private absolute(path: string): string {
    return new URL(path, this.target).href
  }

  /** Returns the collector number of a role; throws Skip if the bench file has no such collector. */
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

  async send(
    method: string,
    where: string,
    body?: unknown,
    { key, token, headers = {}, validFields }: CallOptions = {},
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
        validFields,
        received,
      })
    return received
  }

  /**
   * Sends a POST or POST/EVENT, and returns the field by which a valid reversal names it: "a transactionId from the
   * POST response" (specification 3 §4.4), or the id of the POST/EVENT. Returns no field if none is needed.
   */
  private async originalOf(call: IssuanceCall, fields: Fields): Promise<Fields> {
    const named = call === 'reverse' ? 'originalTransactionId' : 'originalClientTransactionId'
    const post = call === 'reverse' ? 'post' : 'postEvent'
    if (named in fields || (call !== 'reverse' && call !== 'reverseEvent') || this.bench.paths[post] === null) return {}
    const { body } = await this.send(
      'POST',
      pathOf(this.bench, post),
      goodRequest(this.bench, this.fresh(), post, false),
    )
    return { [named]: call === 'reverse' ? body.transactionId : body.clientTransactionId }
  }

  time(secondsLater: number = 0): string {
    return timeAt(this.bench, undefined, secondsLater)
  }

  localTime(): string {
    return localDateTime(Date.now(), this.bench.store.timeZone)
  }

  takeRefusals(): readonly Refusal[] {
    const taken = this.refusals
    this.refusals = []
    return taken
  }

  cash(call: CashCall, fields: Fields = {}, options: CallOptions = {}): Promise<Received> {
    return this.send(
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

  async issuance(call: IssuanceCall, fields: Fields = {}, options: CallOptions = {}): Promise<Received> {
    return this.send(
      'POST',
      pathOf(this.bench, call),
      { ...goodRequest(this.bench, this.fresh(), call, false), ...(await this.originalOf(call, fields)), ...fields },
      options,
    )
  }

  request(call: CashCall | IssuanceCall, fields: Fields = {}): Record<string, unknown> {
    return { ...goodRequest(this.bench, this.fresh(), call, false), ...fields }
  }

  async balances(role: Role): Promise<{ cash: number; dream: number }> {
    const received = await this.cash('inquire', { collectorNumber: this.collector(role) })
    // The specification promises balances only with response code 0000 (specification 3 §2.4, §7.2).
    const balanceOf = (balance: unknown): number =>
      Number(
        received.body.responseCode === '0000'
          ? balance
          : need(balance, `INQUIRE returns no balances under ${String(received.body.responseCode)}`),
      )
    const balances = { cash: balanceOf(received.body.cashBalance), dream: balanceOf(received.body.dreamBalance) }
    assertThat(
      Number.isFinite(balances.cash) && Number.isFinite(balances.dream),
      'INQUIRE returns no balances',
      received,
    )
    return balances
  }

  async get(where: string, query: Fields = {}, options: CallOptions = {}): Promise<Received> {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) search.append(name, String(one))
    }
    const text = search.toString()
    return this.send('GET', text === '' ? where : `${where}?${text}`, undefined, options)
  }

  /** Throws Skip when the target does not support these control functions. */
  needs(...functions: ControlFunction[]): void {
    need(this.bench.controlUrl, 'the target has no control port')
    for (const name of functions)
      if (!this.bench.control.speaks.includes(name))
        throw new Skip(`the target does not support ${name} on its control port`)
  }

  control(method: string, where: string, body?: unknown): Promise<Received> {
    const [name, at] = CONTROL_PATHS.find(([, prefix]) => where.startsWith(prefix)) ?? []
    if (name === undefined || at === undefined) this.needs()
    else this.needs(name === 'wait' ? 'requests' : name)
    const mapped =
      name === undefined || at === undefined ? where : `${this.bench.control.paths[name]}${where.slice(at.length)}`
    return this.caller.ask(`${need(this.bench.controlUrl, 'the target has no control port')}${mapped}`, {
      method,
      timeoutMs: CONTROL_PATIENCE_MS,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': JSON_TYPE } }),
    })
  }

  async fault(where: string, action: Fields): Promise<void> {
    const received = await this.control('POST', '/faults', {
      rules: [{ id: 'conformance', path: where, occurrence: 1, action }],
    })
    assertThat(received.status === 200, 'the fault was not accepted', received)
  }
}
