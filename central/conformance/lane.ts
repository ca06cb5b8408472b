import { randomUUID } from 'node:crypto'
import type { Bench, Role } from './bench.ts'
import { need } from './check.ts'
import { that } from './expect.ts'
import type { Caller, Heard } from './http.ts'

export type Fields = Readonly<Record<string, unknown>>
export interface Say {
  /** Idempotency-Key. */
  readonly key?: string
  /** null: no Authorization header. Left out: the partner's token. */
  readonly token?: string | null
  /** Added to, or with undefined taken from, the usual headers. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
}
export type CashCall = 'echo' | 'inquire' | 'redeem' | 'reverse'
export type IssuanceCall = 'calculate' | 'issue' | 'return' | 'record' | 'reverseEvent' | 'post' | 'postEvent' | 'reverse'

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
  say(method: string, path: string, body?: unknown, say?: Say): Promise<Heard>
  cash(call: CashCall, fields?: Fields, say?: Say): Promise<Heard>
  issuance(call: IssuanceCall, fields?: Fields, say?: Say): Promise<Heard>
  /** The good request of a call, as `cash` and `issuance` would send it. */
  request(call: CashCall | IssuanceCall, fields?: Fields): Record<string, unknown>
  /** Both balances as INQUIRE tells them. */
  balances(role: Role): Promise<{ cash: number, dream: number }>
  get(path: string, query?: Fields, say?: Say): Promise<Heard>
  control(method: string, path: string, body?: unknown): Promise<Heard>
  /** Sets a fault for the next request to the path. */
  fault(path: string, action: Fields): Promise<void>
}

const JSON_TYPE = 'application/json'
/** Under load the control port answers after the services. */
const CONTROL_PATIENCE_MS = 60_000

export function createLane(target: string, bench: Bench, caller: Caller): Lane {
  const tokens = new Map<string, Promise<string>>()
  const run = randomUUID().slice(0, 8).toUpperCase()
  let serial = 0
  const fresh = (): string => `C${run}${String(serial += 1).padStart(6, '0')}`
  const absolute = (path: string): string => new URL(path, target).href
  const tokenUrl = absolute(bench.tokenUrl ?? '/oidc/token')

  const collector = (role: Role): string => need(bench.collectors[role], `the bench has no collector "${role}"`)
  const partner = (): { id: string, secret: string } => ({
    id: need(bench.clientId, 'the bench has no clientId'), secret: need(bench.clientSecret, 'the bench has no clientSecret'),
  })
  const tokenOf = (form: Record<string, string>): Promise<Heard> => formOf(tokenUrl, form)
  const formOf = (url: string, form: Record<string, string>, client = partner()): Promise<Heard> => caller.ask(url, {
    method: 'POST', body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}` },
  })
  const kept = (name: string, get: () => Promise<string>): Promise<string> => {
    const held = tokens.get(name) ?? get()
    tokens.set(name, held)
    held.catch(() => tokens.delete(name))
    return held
  }
  const ownPartnerToken = async (): Promise<string> => {
    const heard = await tokenOf({ grant_type: 'client_credentials' })
    that(typeof heard.body.access_token === 'string', 'the token endpoint gives no token for client credentials', heard)
    return heard.body.access_token
  }
  const partnerToken = (): Promise<string> => kept('partner', ownPartnerToken)

  const path = (call: CashCall | IssuanceCall): string => {
    const { paths } = bench
    switch (call) {
      case 'echo': case 'inquire': case 'redeem': return `/checkout/loyaltycash/${call}`
      case 'calculate': case 'issue': case 'return': case 'record': return `/checkout/issuance/${call}`
      case 'reverseEvent': return '/checkout/issuance/reverse/event'
      case 'reverse': return need(paths.reverse, 'the bench has no path for REVERSE (issuance)')
      case 'post': return need(paths.post, 'the bench has no path for POST')
      case 'postEvent': return need(paths.postEvent, 'the bench has no path for POST/EVENT')
    }
  }
  const cashPath = (call: CashCall): string => call === 'reverse' ? need(bench.paths.cashReverse, 'the bench has no path for REVERSE (cash)') : path(call)

  const say = async (method: string, where: string, body?: unknown, { key, token, headers = {} }: Say = {}): Promise<Heard> => {
    const bearer = token === undefined ? await partnerToken() : token
    return caller.ask(absolute(where), {
      method,
      ...(body === undefined ? {} : { body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
      headers: {
        'content-type': JSON_TYPE, ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...(key === undefined ? {} : { 'idempotency-key': key }), ...headers,
      },
    })
  }

  const now = (): string => new Date().toISOString()
  const inquiry = (): Record<string, unknown> => ({
    acquirerId: bench.sponsor, cardEntryMode: 'SWIPE', collectorNumber: bench.collectors.fine, dateTime: now(), deviceId: 'LANE-01',
    postTaxBasketAmount: '43.35', sponsorCode: bench.sponsor, storeId: bench.store.id, traceId: fresh(), vendorId: bench.sponsor,
  })
  const basket = (): Record<string, unknown> => ({
    basketPostTaxAmount: 43.35, basketPreTaxAmount: 38.36, checkoutDateTime: now(), checkoutTransactionId: fresh(),
    collectorNumber: bench.collectors.fine, locationCode: bench.location.active, sponsorCode: bench.sponsor, tender: ['CASH'],
  })
  const entry = { issuanceOfferCode: bench.issuanceOffers.valid, milesAmount: 4, offerId: bench.issuanceOffers.valid }
  const event = (): Record<string, unknown> => ({
    clientTransactionId: fresh(), collectorNumber: bench.collectors.fine, issuances: [entry], sponsorCode: bench.sponsor, transactionDateTime: now(),
  })
  const good = (call: CashCall | IssuanceCall, cash: boolean): Record<string, unknown> => {
    switch (call) {
      case 'echo': return { deviceId: 'LANE-01', sponsorCode: bench.sponsor, storeId: bench.store.id, traceId: fresh(), vendorId: bench.sponsor }
      case 'inquire': return inquiry()
      case 'redeem': return { ...inquiry(), dollarRedeemRequest: '10.00' }
      case 'calculate': case 'record': return { ...basket(), transactionType: 'PURCHASE' }
      case 'issue': return basket()
      case 'return': return { ...basket(), originalTransactionId: 'NONE' }
      case 'post': return { ...basket(), issuances: [entry] }
      case 'postEvent': case 'reverseEvent': return event()
      case 'reverse': return cash ? { ...inquiry(), dollarRedeemRequest: '10.00', txnConfirmationNumber: 'NONE' } : { ...basket(), issuances: [entry] }
    }
  }

  const lane: Lane = {
    bench, collector, fresh, partnerToken, ownPartnerToken, path, say,
    async revoke(token) {
      const heard = await formOf(absolute(need(bench.revocationPath, 'the bench has no path to revoke a token')), { token })
      that(heard.status === 200, 'the revocation endpoint takes the token (RFC 7009 §2.2)', heard)
    },
    memberToken: (role) => kept(`member ${role}`, async () => {
      const given = bench.memberTokens[role]
      if (given !== undefined) return given
      const { device } = bench
      const client = partner()
      const id = device.clientId ?? client.id
      const page = need(device.approvePath, `the bench has no member token for "${role}" and no page to sign one in`)
      const asked = await caller.ask(absolute(device.authorizationPath), {
        method: 'POST', body: new URLSearchParams({ client_id: id, scope: device.scope }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...(device.clientId === null ? { authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}` } : {}) },
      })
      that(typeof asked.body.device_code === 'string' && typeof asked.body.user_code === 'string', 'the device authorization endpoint gives no codes (RFC 8628 §3.2)', asked)
      const { approveFields: names, approveMore } = device
      const approved = await caller.ask(absolute(page), {
        method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ ...approveMore, [names.userCode]: asked.body.user_code, [names.collectorNumber]: collector(role) }).toString(),
      })
      that(approved.status < 300, 'the user code could not be approved', approved)
      const form = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: asked.body.device_code, client_id: id }
      const heard = device.clientId === null ? await tokenOf(form) : await caller.ask(tokenUrl, {
        method: 'POST', body: new URLSearchParams(form).toString(), headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      that(typeof heard.body.access_token === 'string', 'the token endpoint gives no token for the approved device', heard)
      return heard.body.access_token
    }),
    cash: (call, fields = {}, options = {}) => say('POST', cashPath(call), { ...good(call, true), ...fields },
      call === 'echo' ? { ...options, headers: { 'cache-control': 'no-cache', ...options.headers } } : options),
    issuance: (call, fields = {}, options = {}) => say('POST', path(call), { ...good(call, false), ...fields }, options),
    request: (call, fields = {}) => ({ ...good(call, false), ...fields }),
    async balances(role) {
      const heard = await lane.cash('inquire', { collectorNumber: collector(role) })
      that(heard.body.cashBalance !== undefined && heard.body.dreamBalance !== undefined, 'INQUIRE tells no balances', heard)
      return { cash: Number(heard.body.cashBalance), dream: Number(heard.body.dreamBalance) }
    },
    async get(where, query = {}, options = {}) {
      const search = new URLSearchParams()
      for (const [name, value] of Object.entries(query)) {
        for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) search.append(name, String(one))
      }
      const text = search.toString()
      return say('GET', text === '' ? where : `${where}?${text}`, undefined, options)
    },
    control: (method, where, body) => caller.ask(`${need(bench.controlUrl, 'the target has no control port')}${where}`, {
      method, timeoutMs: CONTROL_PATIENCE_MS, ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': JSON_TYPE } }),
    }),
    async fault(where, action) {
      const heard = await lane.control('POST', '/faults', { rules: [{ id: 'conformance', path: where, occurrence: 1, action }] })
      that(heard.status === 200, 'the fault was not taken', heard)
    },
  }
  return lane
}
