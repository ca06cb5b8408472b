import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request, type Dispatcher } from 'undici'
import {
  CASH_PATHS,
  CASH_RESPONSE_CODES,
  type CashResponse,
  type CashResponseCode,
} from '../../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../../contracts/central/issuance.ts'
import { DEVICE_AUTHORIZATION_PATH } from './identity/artifacts.ts'
import { startCentral, type Central } from './app.ts'
import type { CentralOptions } from './context.ts'
import type { FaultRuleInput } from './faults.ts'
import type { LedgerCheck, LedgerEntry } from './ledger.ts'

export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Record<string, unknown>
}

type Fields = Record<string, unknown>
export interface CallOptions {
  readonly key?: string
  readonly headers?: Record<string, string>
  readonly token?: string | null
  readonly signal?: AbortSignal
}

export interface Rehearsal {
  readonly central: Central
  token(): Promise<string>
  memberToken(collectorNumber?: string, pin?: string): Promise<string>
  post(path: string, body: unknown, options?: CallOptions): Promise<Received>
  put(path: string, body: unknown, headers?: Record<string, string>): Promise<Received>
  get(path: string, headers?: Record<string, string>): Promise<Received>
  echo(fields?: Fields, options?: CallOptions): Promise<Received>
  inquire(fields?: Fields, options?: CallOptions): Promise<Received>
  redeem(fields?: Fields, options?: CallOptions): Promise<Received>
  reverse(fields: Fields, options?: CallOptions): Promise<Received>
  issue(fields?: Fields, options?: CallOptions): Promise<Received>
  fault(...rules: FaultRuleInput[]): Promise<void>
  ledger(collectorNumber: string): Promise<{ balances: { cash: number; dream: number }; entries: LedgerEntry[] }>
  check(): Promise<LedgerCheck>
  control(method: string, path: string, body?: unknown): Promise<Received>
  restart(): Promise<void>
  /**
   * Stops the services and deletes their data. Throws when the ledger does not balance, so every test with the control
   * interface checks it.
   */
  close(): Promise<void>
}

export const FINE = '80000000011'
export const PIN = '2468'

const echoFields: Fields = {
  deviceId: 'N101-01',
  sponsorCode: 'NRTH',
  storeId: 'TRAIN-001',
  traceId: 'ECHO-1',
  vendorId: 'NORTHSTAR',
}
const cashFields: Fields = {
  acquirerId: 'NORTHSTAR',
  cardEntryMode: 'SWIPE',
  collectorNumber: FINE,
  dateTime: '2026-07-01T12:00:00-04:00',
  deviceId: 'N101-01',
  postTaxBasketAmount: '43.35',
  sponsorCode: 'NRTH',
  storeId: 'TRAIN-001',
  traceId: 'TRACE-1',
  vendorId: 'NORTHSTAR',
}
const basketFields: Fields = {
  basketPostTaxAmount: 43.35,
  basketPreTaxAmount: 38.36,
  checkoutDateTime: '2026-07-01T12:00:00-04:00',
  checkoutTransactionId: 'N10101000000010001',
  collectorNumber: FINE,
  locationCode: 'N101',
  sponsorCode: 'NRTH',
  tender: ['CASH'],
}

export const asCash = (received: Received): CashResponse => received.body as CashResponse

/** Returns the code, status and message of an answer, to compare with a row of specification 3 §7.2. */
export const outcomeOf = (received: Received): unknown[] => [
  asCash(received).responseCode,
  received.status,
  asCash(received).message,
]
export const row = (code: CashResponseCode): unknown[] => [
  code,
  CASH_RESPONSE_CODES[code].status,
  CASH_RESPONSE_CODES[code].message,
]

async function send(url: string, init: RequestInit): Promise<Received> {
  // `fetch` would add Accept-Language, which the services refuse if it is not in their specification.
  const form = init.body instanceof URLSearchParams ? { 'content-type': 'application/x-www-form-urlencoded' } : {}
  const response = await request(url, {
    method: (init.method ?? 'GET') as Dispatcher.HttpMethod,
    headers: { ...form, ...Object.fromEntries(new Headers(init.headers)) },
    ...(init.body ? { body: String(init.body as string | URLSearchParams) } : {}),
    ...(init.signal ? { signal: init.signal } : {}),
  })
  const text = await response.body.text()
  let body: Record<string, unknown> = {}
  try {
    body = JSON.parse(text) as Record<string, unknown>
  } catch {
    /** The body is not JSON: tests compare its text. */
  }
  const headers = new Headers()
  for (const [name, values] of Object.entries(response.headers))
    for (const value of [values ?? []].flat()) headers.append(name, value)
  return { status: response.statusCode, headers, text, body }
}

const basic = ({ clientId, clientSecret }: Central): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
})

async function partnerToken(central: Central): Promise<string> {
  const { body } = await send(central.tokenUrl, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
    headers: basic(central),
  })
  return String(body.access_token)
}
async function signIn(central: Central, collectorNumber: string, pin: string): Promise<string> {
  const asked = await send(`${central.url}${DEVICE_AUTHORIZATION_PATH}`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: central.clientId, scope: 'openid' }),
    headers: basic(central),
  })
  await send(String(asked.body.verification_uri), {
    method: 'POST',
    body: new URLSearchParams({
      user_code: String(asked.body.user_code),
      collector_number: collectorNumber,
      pin,
      decision: 'approve',
    }),
  })
  const given = await send(central.tokenUrl, {
    method: 'POST',
    headers: basic(central),
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: String(asked.body.device_code),
    }),
  })
  return String(given.body.access_token)
}

const postOf = (body: unknown, { key, headers, signal }: CallOptions, bearer: string | null | undefined) => ({
  method: 'POST',
  body: typeof body === 'string' ? body : JSON.stringify(body),
  ...(signal ? { signal } : {}),
  headers: {
    'content-type': 'application/json',
    ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
    ...(key ? { 'idempotency-key': key } : {}),
    ...headers,
  },
})

const callsOf = (post: Rehearsal['post']): Pick<Rehearsal, 'echo' | 'inquire' | 'redeem' | 'reverse' | 'issue'> => ({
  echo: (fields = {}, call = {}) =>
    post(
      CASH_PATHS.echo,
      { ...echoFields, ...fields },
      { ...call, headers: { 'cache-control': 'no-cache', ...call.headers } },
    ),
  inquire: (fields = {}, call) => post(CASH_PATHS.inquire, { ...cashFields, ...fields }, call),
  redeem: (fields = {}, call) =>
    post(CASH_PATHS.redeem, { ...cashFields, dollarRedeemRequest: '40.00', ...fields }, call),
  reverse: (fields, call) => post(CASH_PATHS.reverse, { ...cashFields, dollarRedeemRequest: '40.00', ...fields }, call),
  issue: (fields = {}, call) => post(ISSUANCE_PATHS.issue, { ...basketFields, ...fields }, call),
})

export async function openRehearsal(overrides: Partial<CentralOptions> = {}): Promise<Rehearsal> {
  const data = await mkdtemp(join(tmpdir(), 'milepost-central-'))
  const options: CentralOptions = {
    data,
    seed: 7,
    host: '127.0.0.1',
    port: 0,
    controlPort: 0,
    tokenTtl: 300,
    logLevel: 'silent',
    ...overrides,
  }
  let central = await startCentral(options)
  let ownToken: string | undefined

  const post: Rehearsal['post'] = async (path, body, call = {}) => {
    if (call.token === undefined) ownToken ??= await partnerToken(central)
    return send(`${central.url}${path}`, postOf(body, call, call.token === undefined ? ownToken : call.token))
  }
  const control = (method: string, path: string, body?: unknown): Promise<Received> =>
    send(`${central.controlUrl}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })

  const proof = async (): Promise<LedgerCheck> =>
    JSON.parse((await control('GET', '/ledger/check')).text) as LedgerCheck

  return {
    get central() {
      return central
    },
    token: () => partnerToken(central),
    memberToken: (collectorNumber = FINE, pin = PIN) => signIn(central, collectorNumber, pin),
    post,
    control,
    put: (path, body, headers = {}) =>
      send(`${central.url}${path}`, {
        method: 'PUT',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    get: (path, headers = {}) => send(`${central.url}${path}`, { headers }),
    ...callsOf(post),
    async fault(...rules) {
      await control('POST', '/faults', { rules })
    },
    ledger: async (collectorNumber) =>
      JSON.parse((await control('GET', `/ledger?collectorNumber=${collectorNumber}`)).text) as {
        balances: { cash: number; dream: number }
        entries: LedgerEntry[]
      },
    check: proof,
    async restart() {
      await central.close()
      central = await startCentral(options)
    },
    async close() {
      const { ok, problems } = options.controlPort === null ? { ok: true, problems: [] } : await proof()
      await central.close()
      await rm(data, { recursive: true, force: true })
      if (!ok) throw new Error(`the ledger does not balance: ${problems.join('; ')}`)
    },
  }
}
