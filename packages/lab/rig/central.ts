import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { tlsFiles } from '../../delivery/testing/loopback-tls.ts'
import { start, type RunningProcess } from './process.ts'

export interface CentralOptions {
  /** Folder of the services’ data; default: a temporary folder, which `stop` removes. */
  readonly folder?: string
  readonly importFrom?: string
  /** Scheme of the services’ addresses; production lanes accept only https. */
  readonly scheme?: 'https' | 'http'
  readonly program?: string
  readonly more?: readonly string[]
  readonly logLevel?: 'error' | 'warn'
}

export interface CentralAccess {
  readonly url: string
  readonly tokenUrl: string
  /**
   * The device authorization endpoint (RFC 8628 §3.1), the revocation endpoint (RFC 7009), and the issuer of the
   * tokens.
   */
  readonly memberSignInUrl: string
  readonly revocationUrl: string
  readonly issuer: string
  readonly controlUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

export interface CentralEntry {
  readonly operationId: number
  readonly operation: string
  readonly idempotencyKey: string | null
  readonly undoes: number | null
  /** Miles moved on the collector’s two accounts; negative: taken from the account. */
  readonly cash: number
  readonly dream: number
}

export interface CentralAccount {
  readonly balances: { readonly cash: number; readonly dream: number }
  readonly entries: readonly CentralEntry[]
}

export interface FaultRule {
  readonly id?: string
  readonly path: string
  readonly collectorNumber?: string
  readonly occurrence?: number
  readonly times?: number
  /** The injected fault. Its `kind` includes whether the fault occurs before or after the effect. */
  readonly action: Readonly<Record<string, unknown>> & { readonly kind: string }
}

export interface ReceivedRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly sha256: string
  readonly body: Record<string, unknown>
  /** Times when the request arrived and when its effect was durable; ISO 8601 by the services’ own clock. */
  readonly at: string
  readonly processedAt: string | null
}

const SEEDED = '80000000011'
const PIN = '2468'
const PROGRAM = join(import.meta.dirname, '../../central/main.ts')
const DeviceCode = z.object({ verification_uri: z.string(), user_code: z.string(), device_code: z.string() })
const AccessToken = z.object({ access_token: z.string() })

/** The reference central services in a process of their own, with the control port for tests and benchmarks. */
export class Central implements CentralAccess {
  readonly folder: string
  readonly #options: CentralOptions
  #running: RunningProcess<CentralAccess> | undefined

  constructor(options: CentralOptions = {}) {
    this.#options = options
    this.folder = options.folder ?? mkdtempSync(join(tmpdir(), 'milepost-central-'))
  }

  get process(): RunningProcess<CentralAccess> {
    if (!this.#running) throw new Error('the central services are not started yet')
    return this.#running
  }
  get access(): CentralAccess {
    return this.process.ready
  }
  get url(): string {
    return this.process.ready.url
  }
  get tokenUrl(): string {
    return this.process.ready.tokenUrl
  }
  get memberSignInUrl(): string {
    return this.process.ready.memberSignInUrl
  }
  get revocationUrl(): string {
    return this.process.ready.revocationUrl
  }
  get issuer(): string {
    return this.process.ready.issuer
  }
  get controlUrl(): string {
    return this.process.ready.controlUrl
  }
  get clientId(): string {
    return this.process.ready.clientId
  }
  get clientSecret(): string {
    return this.process.ready.clientSecret
  }

  /** Starts the process. A restart keeps the ports and the ledger, but no faults or recorded requests. */
  async start(): Promise<this> {
    const { program = PROGRAM, importFrom, scheme = 'http', more = [], logLevel = 'warn' } = this.#options
    const { certificate, key } = scheme === 'https' ? await tlsFiles() : { certificate: '', key: '' }
    const portOf = (url = ''): string => (url === '' ? '0' : new URL(url).port)
    const known = this.#running?.ready
    const place = ['--data', this.folder, '--port', portOf(known?.url), '--control-port', portOf(known?.controlUrl)]
    const habits = ['--member-poll', '1', '--log-level', logLevel, '--exit-with-stdin']
    const imports = importFrom === undefined ? [] : ['--import', importFrom]
    const tls = scheme === 'https' ? ['--tls-certificate', certificate, '--tls-key', key] : []
    const args = [program, ...place, ...habits, ...imports, ...tls, ...more]
    this.#running = await start<CentralAccess>(args)
    return this
  }
  kill(): Promise<void> {
    return this.process.kill()
  }
  async stop(): Promise<void> {
    await this.process.stop()
    if (this.#options.folder === undefined) rmSync(this.folder, { recursive: true, force: true })
  }
  suspend(): void {
    this.process.child.kill('SIGSTOP')
  }
  resume(): void {
    this.process.child.kill('SIGCONT')
  }

  async faults(...rules: readonly FaultRule[]): Promise<void> {
    await this.#control('POST', '/faults', { rules })
  }
  async clearFaults(): Promise<void> {
    await this.#control('DELETE', '/faults')
  }
  async account(collectorNumber: string): Promise<CentralAccount> {
    return (await this.#control('GET', `/ledger?collectorNumber=${collectorNumber}`)) as CentralAccount
  }
  async balances(collectorNumber: string): Promise<CentralAccount['balances']> {
    return (await this.account(collectorNumber)).balances
  }
  async problems(): Promise<readonly string[]> {
    return ((await this.#control('GET', '/ledger/check')) as { problems: string[] }).problems
  }
  /** Throws if an entry of the ledger does not balance. */
  async verifyLedger(): Promise<void> {
    const problems = await this.problems()
    if (problems.length > 0) throw new Error(`the ledger does not balance: ${problems.join('; ')}`)
  }
  /** Returns the requests to a path, or all, since the start or the last `reset`, oldest first. */
  async requests(path?: string): Promise<ReceivedRequest[]> {
    const query = path === undefined ? '' : `?path=${path}`
    return ((await this.#control('GET', `/requests${query}`)) as { requests: ReceivedRequest[] }).requests
  }
  /**
   * Resolves when `count` requests to the path were received; with the stage `processed`, when the effects of so many
   * were committed.
   */
  async reached(path: string, count: number, stage: 'received' | 'processed' = 'received'): Promise<void> {
    await this.#control('GET', `/wait?path=${path}&count=${count}&stage=${stage}`)
  }
  async moveClock(offsetMs: number): Promise<void> {
    await this.#control('POST', '/clock', { offsetMs })
  }
  async revokeTokens(): Promise<void> {
    await this.#control('POST', '/tokens/revoke')
  }
  async reset(): Promise<void> {
    await this.clearFaults()
    await this.#control('DELETE', '/requests')
    await this.moveClock(0)
  }

  /** Signs in a collector of the seed data, as the member’s page does (RFC 8628), and returns the access token. */
  async memberToken(collectorNumber = SEEDED): Promise<string> {
    const { clientId, clientSecret, memberSignInUrl, tokenUrl } = this
    const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
    const send = (url: string, fields: Record<string, string>): Promise<Response> =>
      fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers: { authorization } })
    const asked = await send(memberSignInUrl, { client_id: clientId, scope: 'openid' })
    const code = DeviceCode.parse(await asked.json())
    const approval = { collector_number: collectorNumber, pin: PIN, decision: 'approve' }
    await send(code.verification_uri, { user_code: code.user_code, ...approval })
    const grant = 'urn:ietf:params:oauth:grant-type:device_code'
    const answer = await send(tokenUrl, { grant_type: grant, device_code: code.device_code })
    return AccessToken.parse(await answer.json()).access_token
  }

  async #control(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(this.controlUrl + path, {
      method,
      ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return await response.json()
  }
}

export const startCentral = (options?: CentralOptions): Promise<Central> => new Central(options).start()

export const centralOption = (access: CentralAccess): readonly string[] => {
  const { url, tokenUrl, clientId, memberSignInUrl, revocationUrl, issuer } = access
  return ['--central-json', JSON.stringify({ url, tokenUrl, clientId, memberSignInUrl, revocationUrl, issuer })]
}
