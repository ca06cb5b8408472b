import { randomUUID } from 'node:crypto'
import type { Bench, ControlPart, Role } from './bench.ts'
import { Skip, need } from './outcomes.ts'
import { type Caller, type Received, localDateTime, localTimestamp, that } from './expect.ts'

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
export type CashCall = 'echo' | 'inquire' | 'redeem' | 'reverse'
export type IssuanceCall =
  | 'calculate'
  | 'issue'
  | 'return'
  | 'record'
  | 'reverseEvent'
  | 'post'
  | 'postEvent'
  | 'reverse'

/** One tester at one target: fills in what a good request has, and lets a check spoil it. */
export interface Lane {
  readonly bench: Bench
  /** The number of a collector with this role; a Skip when the target has none. */
  collector(role: Role): string
  /** An id that no request had before. */
  fresh(): string
  partnerToken(): Promise<string>
  /** A token that nobody else uses, to be ended. */
  ownPartnerToken(): Promise<string>
  /** Ends a token at the identity provider's revocation endpoint (RFC 7009). */
  revoke(token: string): Promise<void>
  /** An access token that is bound to the collector; a Skip when none can be had. */
  memberToken(role: Role): Promise<string>
  path(call: CashCall | IssuanceCall): string
  say(method: string, path: string, body?: unknown, say?: Say): Promise<Received>
  cash(call: CashCall, fields?: Fields, say?: Say): Promise<Received>
  issuance(call: IssuanceCall, fields?: Fields, say?: Say): Promise<Received>
  /** The good request of a call, as `cash` and `issuance` would send it. */
  request(call: CashCall | IssuanceCall, fields?: Fields): Record<string, unknown>
  /** Both balances as INQUIRE tells them. */
  balances(role: Role): Promise<{ cash: number; dream: number }>
  get(path: string, query?: Fields, say?: Say): Promise<Received>
  /** A time in ISO 8601 with the offset of the store; in seconds from now. */
  time(secondsLater?: number): string
  /** The store's clock on the wall, without a zone. */
  localTime(): string
  /** Requests that were refused since it was asked last. */
  takeRefusals(): readonly Refusal[]
  /** Throws a Skip when the target takes no such orders. */
  needs(...parts: ControlPart[]): void
  control(method: string, path: string, body?: unknown): Promise<Received>
  /** Sets a fault for the next request to the path. */
  fault(path: string, action: Fields): Promise<void>
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

export function createLane(target: string, bench: Bench, caller: Caller): Lane {
  const tokens = new Map<string, Promise<string>>()
  const run = randomUUID().slice(0, 8).toUpperCase()
  let serial = 0
  const fresh = (): string => `C${run}${String((serial += 1)).padStart(6, '0')}`
  const absolute = (path: string): string => new URL(path, target).href
  const tokenUrl = absolute(bench.tokenUrl ?? '/oidc/token')

  const collector = (role: Role): string => need(bench.collectors[role], `the bench has no collector "${role}"`)
  const partner = (): { id: string; secret: string } => ({
    id: need(bench.clientId, 'the bench has no clientId'),
    secret: need(bench.clientSecret, 'the bench has no clientSecret'),
  })
  const memberTokenUrl = bench.device.tokenUrl === null ? tokenUrl : absolute(bench.device.tokenUrl)
  const formOf = (url: string, form: Record<string, string>, client = partner()): Promise<Received> =>
    caller.ask(url, {
      method: 'POST',
      body: new URLSearchParams(form).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`,
      },
    })
  const kept = (name: string, get: () => Promise<string>): Promise<string> => {
    const held = tokens.get(name) ?? get()
    tokens.set(name, held)
    held.catch(() => tokens.delete(name))
    return held
  }
  const ownPartnerToken = async (): Promise<string> => {
    if (bench.token.given !== null) throw new Skip('the bench gives one token and no way to ask for another')
    const { client, body, fields, answer } = bench.token
    const { id, secret } = partner()
    const said = { ...fields, ...(client === 'fields' ? { client_id: id, client_secret: secret } : {}) }
    const received = await caller.ask(tokenUrl, {
      method: 'POST',
      body: body === 'json' ? JSON.stringify(said) : new URLSearchParams(said).toString(),
      headers: {
        'content-type': body === 'json' ? JSON_TYPE : 'application/x-www-form-urlencoded',
        ...(client === 'basic' ? { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` } : {}),
      },
    })
    const token = received.body[answer]
    that(typeof token === 'string', 'the token endpoint gives no token for client credentials', received)
    return token
  }
  const partnerToken = (): Promise<string> =>
    bench.token.given === null ? kept('partner', ownPartnerToken) : Promise.resolve(bench.token.given)

  const path = (call: CashCall | IssuanceCall): string => {
    const { paths } = bench
    switch (call) {
      case 'echo':
      case 'inquire':
      case 'redeem':
        return `/checkout/loyaltycash/${call}`
      case 'calculate':
      case 'issue':
      case 'return':
      case 'record':
        return `/checkout/issuance/${call}`
      case 'reverseEvent':
        return '/checkout/issuance/reverse/event'
      case 'reverse':
        return need(paths.reverse, 'the bench has no path for REVERSE (issuance)')
      case 'post':
        return need(paths.post, 'the bench has no path for POST')
      case 'postEvent':
        return need(paths.postEvent, 'the bench has no path for POST/EVENT')
    }
  }
  const cashPath = (call: CashCall): string =>
    call === 'reverse' ? need(bench.paths.cashReverse, 'the bench has no path for REVERSE (cash)') : path(call)

  let refusals: Refusal[] = []
  const say = async (
    method: string,
    where: string,
    body?: unknown,
    { key, token, headers = {}, sound }: Say = {},
  ): Promise<Received> => {
    const bearer = token === undefined ? await partnerToken() : token
    const received = await caller.ask(absolute(where), {
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
      refusals.push({
        method,
        path: where.split('?', 1)[0] ?? where,
        member: typeof token === 'string',
        sound,
        received,
      })
    return received
  }

  const now = (storeId?: unknown, secondsLater = 0): string => {
    const { store, otherStore } = bench
    return localTimestamp(
      Date.now() + secondsLater * 1_000,
      otherStore !== null && storeId === otherStore.id ? otherStore.timeZone : store.timeZone,
    )
  }
  /** "A transactionId from the POST response" (§4.4), or the POST/EVENT's own id: what a good reversal takes back. */
  const originalOf = async (call: IssuanceCall, fields: Fields): Promise<Fields> => {
    const named = call === 'reverse' ? 'originalTransactionId' : 'originalClientTransactionId'
    const post = call === 'reverse' ? 'post' : 'postEvent'
    if (named in fields || (call !== 'reverse' && call !== 'reverseEvent') || bench.paths[post] === null) return {}
    const { body } = await say('POST', path(post), good(post, false))
    return { [named]: call === 'reverse' ? body.transactionId : body.clientTransactionId }
  }
  const inquiry = (): Record<string, unknown> => ({
    acquirerId: bench.sponsor,
    cardEntryMode: 'SWIPE',
    collectorNumber: bench.collectors.fine,
    dateTime: now(),
    deviceId: 'LANE-01',
    postTaxBasketAmount: '43.35',
    sponsorCode: bench.sponsor,
    storeId: bench.store.id,
    traceId: fresh(),
    vendorId: bench.sponsor,
  })
  const basket = (): Record<string, unknown> => ({
    basketPostTaxAmount: 43.35,
    basketPreTaxAmount: 38.36,
    checkoutDateTime: now(),
    checkoutTransactionId: fresh(),
    collectorNumber: bench.collectors.fine,
    locationCode: bench.location.active,
    sponsorCode: bench.sponsor,
    tender: ['CASH'],
  })
  const entry = { issuanceOfferCode: bench.issuanceOffers.valid, milesAmount: 4, offerId: bench.issuanceOffers.valid }
  const event = (): Record<string, unknown> => ({
    clientTransactionId: fresh(),
    collectorNumber: bench.collectors.fine,
    issuances: [entry],
    sponsorCode: bench.sponsor,
    transactionDateTime: now(),
  })
  const good = (call: CashCall | IssuanceCall, cash: boolean): Record<string, unknown> => {
    switch (call) {
      case 'echo':
        return {
          deviceId: 'LANE-01',
          sponsorCode: bench.sponsor,
          storeId: bench.store.id,
          traceId: fresh(),
          vendorId: bench.sponsor,
        }
      case 'inquire':
        return inquiry()
      case 'redeem':
        return { ...inquiry(), dollarRedeemRequest: '10.00' }
      case 'calculate':
      case 'record':
        return { ...basket(), transactionType: 'PURCHASE' }
      case 'issue':
        return basket()
      case 'return':
        return { ...basket(), originalTransactionId: 'NONE' }
      case 'post':
        return { ...basket(), issuances: [entry], ...bench.moreFields.post }
      case 'postEvent':
        return { ...event(), ...bench.moreFields.postEvent }
      case 'reverseEvent':
        return event()
      case 'reverse':
        return cash
          ? {
              ...inquiry(),
              dollarRedeemRequest: '10.00',
              txnConfirmationNumber: 'NONE',
              ...bench.moreFields.cashReverse,
            }
          : { ...basket(), issuances: [entry], ...bench.moreFields.reverse }
    }
  }

  const lane: Lane = {
    bench,
    collector,
    fresh,
    partnerToken,
    ownPartnerToken,
    path,
    say,
    async revoke(token) {
      const received = await formOf(absolute(need(bench.revocationPath, 'the bench has no path to revoke a token')), {
        token,
      })
      that(received.status === 200, 'the revocation endpoint takes the token (RFC 7009 §2.2)', received)
    },
    memberToken: (role) =>
      kept(`member ${role}`, async () => {
        const given = bench.memberTokens[role]
        if (given !== undefined) return given
        const { device } = bench
        const client = partner()
        const id = device.clientId ?? client.id
        const page = need(device.approvePath, `the bench has no member token for "${role}" and no page to sign one in`)
        const asked = await caller.ask(absolute(device.authorizationPath), {
          method: 'POST',
          body: new URLSearchParams({ client_id: id, scope: device.scope }).toString(),
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            ...(device.clientId === null
              ? { authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}` }
              : {}),
          },
        })
        that(
          typeof asked.body.device_code === 'string' && typeof asked.body.user_code === 'string',
          'the device authorization endpoint gives no codes (RFC 8628 §3.2)',
          asked,
        )
        const { approveFields: names, approveMore } = device
        const approved = await caller.ask(absolute(page), {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({
            ...approveMore,
            [names.userCode]: asked.body.user_code,
            [names.collectorNumber]: collector(role),
          }).toString(),
        })
        that(approved.status < 300, 'the user code could not be approved', approved)
        const form = {
          grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
          device_code: asked.body.device_code,
          client_id: id,
        }
        const received =
          device.clientId === null
            ? await formOf(memberTokenUrl, form)
            : await caller.ask(memberTokenUrl, {
                method: 'POST',
                body: new URLSearchParams(form).toString(),
                headers: { 'content-type': 'application/x-www-form-urlencoded' },
              })
        that(
          typeof received.body.access_token === 'string',
          'the token endpoint gives no token for the approved device',
          received,
        )
        return received.body.access_token
      }),
    time: (secondsLater = 0) => now(undefined, secondsLater),
    localTime: () => localDateTime(Date.now(), bench.store.timeZone),
    takeRefusals() {
      const taken = refusals
      refusals = []
      return taken
    },
    cash: (call, fields = {}, options = {}) =>
      say(
        'POST',
        cashPath(call),
        {
          ...good(call, true),
          ...(call !== 'echo' && 'storeId' in fields ? { dateTime: now(fields.storeId) } : {}),
          ...fields,
        },
        call === 'echo' ? { ...options, headers: { 'cache-control': 'no-cache', ...options.headers } } : options,
      ),
    issuance: async (call, fields = {}, options = {}) =>
      say('POST', path(call), { ...good(call, false), ...(await originalOf(call, fields)), ...fields }, options),
    request: (call, fields = {}) => ({ ...good(call, false), ...fields }),
    async balances(role) {
      const received = await lane.cash('inquire', { collectorNumber: collector(role) })
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
    },
    async get(where, query = {}, options = {}) {
      const search = new URLSearchParams()
      for (const [name, value] of Object.entries(query)) {
        for (const one of Array.isArray(value) ? value : [value])
          if (one !== undefined) search.append(name, String(one))
      }
      const text = search.toString()
      return say('GET', text === '' ? where : `${where}?${text}`, undefined, options)
    },
    needs(...parts) {
      need(bench.controlUrl, 'the target has no control port')
      for (const part of parts)
        if (!bench.control.speaks.includes(part)) throw new Skip(`the target takes no orders about its ${part}`)
    },
    control(method, where, body) {
      const [part, at] = CONTROL_PATHS.find(([, prefix]) => where.startsWith(prefix)) ?? []
      if (part === undefined || at === undefined) lane.needs()
      else lane.needs(part === 'wait' ? 'requests' : part)
      const mapped =
        part === undefined || at === undefined ? where : `${bench.control.paths[part]}${where.slice(at.length)}`
      return caller.ask(`${need(bench.controlUrl, 'the target has no control port')}${mapped}`, {
        method,
        timeoutMs: CONTROL_PATIENCE_MS,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': JSON_TYPE } }),
      })
    },
    async fault(where, action) {
      const received = await lane.control('POST', '/faults', {
        rules: [{ id: 'conformance', path: where, occurrence: 1, action }],
      })
      that(received.status === 200, 'the fault was not taken', received)
    },
  }
  return lane
}

/** A small seeded generator (mulberry32): the same seed asks the same questions on every machine. */
export interface Rng {
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number
  pick<Choice>(choices: readonly Choice[]): Choice
}

export function createRng(seed: number): Rng {
  let state = seed >>> 0
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit)
  }
  return {
    below,
    pick(choices) {
      const choice = choices[below(choices.length)]
      if (choice === undefined) throw new RangeError('nothing to pick from')
      return choice
    },
  }
}
