import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** The reference central services in their own process, and what a rehearsal may do to them over the control port. */
export interface Central {
  readonly url: string
  readonly tokenUrl: string
  /** The device authorization endpoint (RFC 8628 §3.1), where its tokens end (RFC 7009), and who signs them. */
  readonly memberSignInUrl: string
  readonly revocationUrl: string
  readonly issuer: string
  readonly controlUrl: string
  readonly clientId: string
  readonly clientSecret: string
  /** Adds fault rules; `action.kind` says what goes wrong, before or after the effect. */
  faults(...rules: FaultRule[]): Promise<void>
  clearFaults(): Promise<void>
  /** Cash and dream miles that the account holds. */
  balances(collectorNumber: string): Promise<{ cash: number; dream: number }>
  /** The account with what moved its miles, oldest first. */
  account(collectorNumber: string): Promise<{ balances: { cash: number; dream: number }; entries: CentralEntry[] }>
  /** What is wrong in the loyalty service's own books; empty when every entry balances. */
  problems(): Promise<string[]>
  /** Requests to this path, or to all of them, since the test began, oldest first. */
  requests(path?: string): Promise<ReceivedRequest[]>
  /** Resolves when this many requests to the path were received, or processed. */
  reached(path: string, count: number, stage?: 'received' | 'processed'): Promise<void>
  /** Moves the services' clock by this much from the real time. */
  moveClock(offsetMs: number): Promise<void>
  revokeTokens(): Promise<void>
  /** Signs a collector of the seed data in, as the person does it on the member's page (RFC 8628). */
  memberToken(collectorNumber?: string): Promise<string>
}

export interface CentralEntry {
  readonly operationId: number
  readonly operation: string
  readonly idempotencyKey: string | null
  readonly undoes: number | null
  /** Miles on the collector's two accounts; negative left the account. */
  readonly cash: number
  readonly dream: number
}

export interface FaultRule {
  readonly id?: string
  readonly path: string
  readonly collectorNumber?: string
  readonly occurrence?: number
  readonly times?: number
  readonly action: { readonly kind: string; readonly ms?: number; readonly status?: number; readonly body?: unknown }
}

export interface ReceivedRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Of the exact bytes of the body, in hex. */
  readonly sha256: string
  readonly body: Record<string, unknown>
  /** When it arrived, and when its effect was durable; ISO 8601 by the services' own clock. */
  readonly at: string
  readonly processedAt: string | null
}

export interface CentralProcess extends Central {
  /** Takes all faults back, forgets the requests and sets the clock right. */
  calm(): Promise<void>
  /** Ends it in the middle of whatever it does. */
  kill(): Promise<void>
  /**
   * Starts it again where it was, with what it had: same ports, same books. Faults and the list of requests are gone.
   */
  restart(): Promise<void>
  stop(): Promise<void>
}

interface Ready {
  readonly url: string
  readonly tokenUrl: string
  readonly memberSignInUrl: string
  readonly revocationUrl: string
  readonly issuer: string
  readonly controlUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

/** A collector of the seed data, and the PIN that all of them have. */
const SEEDED = '80000000011'
const PIN = '2468'

const PROGRAM = join(import.meta.dirname, '../../central/main.ts')

/**
 * Starts the services on a folder of their own, which goes with `stop`. `importFrom` is a folder of further collectors.
 */
export async function startCentral({ importFrom }: { importFrom?: string } = {}): Promise<CentralProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'milepost-central-'))
  let child: ChildProcess
  let ready: Ready

  async function begin(port: number, controlPort: number): Promise<void> {
    const data = ['--data', folder, ...(importFrom === undefined ? [] : ['--import', importFrom])]
    const started = spawn(
      process.execPath,
      [
        PROGRAM,
        ...data,
        '--port',
        String(port),
        '--control-port',
        String(controlPort),
        '--member-poll',
        '1',
        '--log-level',
        'silent',
        '--exit-with-stdin',
      ],
      { stdio: ['pipe', 'pipe', 'pipe'] },
    )
    child = started
    let said = ''
    started.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    const gone = once(started, 'exit').then(() => {
      throw new Error(`the central services ended before they were ready: ${said}`)
    })
    const [line] = await Promise.race([once(createInterface({ input: started.stdout }), 'line'), gone])
    gone.catch(() => undefined)
    ready = JSON.parse(String(line)) as Ready
  }
  const ended = async (end: () => void): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    end()
    await exited
  }
  const control = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(ready.controlUrl + path, {
      method,
      ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Record<string, unknown>
  }
  const account: Central['account'] = async (collectorNumber) =>
    (await control('GET', `/ledger?collectorNumber=${collectorNumber}`)) as unknown as Awaited<
      ReturnType<Central['account']>
    >
  const portOf = (url: string): number => Number(new URL(url).port)
  await begin(0, 0)

  return {
    get url() {
      return ready.url
    },
    get tokenUrl() {
      return ready.tokenUrl
    },
    get memberSignInUrl() {
      return ready.memberSignInUrl
    },
    get revocationUrl() {
      return ready.revocationUrl
    },
    get issuer() {
      return ready.issuer
    },
    get controlUrl() {
      return ready.controlUrl
    },
    get clientId() {
      return ready.clientId
    },
    get clientSecret() {
      return ready.clientSecret
    },
    async faults(...rules) {
      await control('POST', '/faults', { rules })
    },
    async clearFaults() {
      await control('DELETE', '/faults')
    },
    async balances(collectorNumber) {
      return (await account(collectorNumber)).balances
    },
    account,
    async problems() {
      return (await control('GET', '/ledger/check'))['problems'] as string[]
    },
    async requests(path) {
      return (await control('GET', path ? `/requests?path=${path}` : '/requests'))['requests'] as ReceivedRequest[]
    },
    async reached(path, count, stage = 'received') {
      await control('GET', `/wait?path=${path}&count=${count}&stage=${stage}&timeoutMs=10000`)
    },
    async moveClock(offsetMs) {
      await control('POST', '/clock', { offsetMs })
    },
    async revokeTokens() {
      await control('POST', '/tokens/revoke')
    },
    memberToken: (collectorNumber = SEEDED) => signIn(ready, collectorNumber),
    async calm() {
      await control('DELETE', '/faults')
      await control('DELETE', '/requests')
      await control('POST', '/clock', { offsetMs: 0 })
    },
    kill: () =>
      ended(() => {
        child.kill('SIGKILL')
      }),
    restart: () => begin(portOf(ready.url), portOf(ready.controlUrl)),
    async stop() {
      await ended(() => {
        child.stdin?.end()
      })
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function signIn(ready: Ready, collectorNumber: string): Promise<string> {
  const authorization = `Basic ${Buffer.from(`${ready.clientId}:${ready.clientSecret}`).toString('base64')}`
  const send = async (url: string, fields: Record<string, string>): Promise<Response> =>
    fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers: { authorization } })
  const asked = (await (
    await send(ready.memberSignInUrl, { client_id: ready.clientId, scope: 'openid' })
  ).json()) as Record<'verification_uri' | 'user_code' | 'device_code', string>
  await send(asked.verification_uri, {
    user_code: asked.user_code,
    collector_number: collectorNumber,
    pin: PIN,
    decision: 'approve',
  })
  const given = (await (
    await send(ready.tokenUrl, {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: asked.device_code,
    })
  ).json()) as { access_token?: string }
  if (given.access_token === undefined) throw new Error(`${collectorNumber} could not sign in`)
  return given.access_token
}
