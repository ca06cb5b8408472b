import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, beforeEach } from 'vitest'

/** The reference central services in their own process, and what a rehearsal may do to them over the control port. */
export interface Centre {
  readonly url: string
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  /** Adds fault rules; `action.kind` says what goes wrong, before or after the effect. */
  faults(...rules: FaultRule[]): Promise<void>
  /** Cash and dream miles that the account holds. */
  balances(collectorNumber: string): Promise<{ cash: number; dream: number }>
  /** Requests to this path, or to all of them, since the test began, oldest first. */
  requests(path?: string): Promise<ReceivedRequest[]>
  /** Resolves when this many requests to the path were received, or processed. */
  reached(path: string, count: number, stage?: 'received' | 'processed'): Promise<void>
  /** Moves the services' clock by this much from the real time. */
  moveClock(offsetMs: number): Promise<void>
  revokeTokens(): Promise<void>
}

export interface FaultRule {
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
}

const PROGRAM = join(import.meta.dirname, '../../central/main.ts')

/** One centre for all tests of a file. Faults, the request list and the clock are put back before each. */
export function useCentre(): Centre {
  let ready: { url: string; tokenUrl: string; controlUrl: string; clientId: string; clientSecret: string } | undefined
  let stop = async (): Promise<void> => undefined

  const control = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    if (!ready) throw new Error('the central services are not started yet')
    const response = await fetch(ready.controlUrl + path, { method, ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}) })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return await response.json() as Record<string, unknown>
  }

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'milepost-centre-'))
    const child = spawn(process.execPath, [PROGRAM, '--data', folder, '--control-port', '0', '--log-level', 'silent', '--exit-with-stdin'], { stdio: ['pipe', 'pipe', 'ignore'] })
    const exited = once(child, 'exit')
    stop = async () => {
      child.stdin.end()
      await exited
      rmSync(folder, { recursive: true, force: true })
    }
    for await (const line of createInterface({ input: child.stdout })) {
      ready = JSON.parse(line) as NonNullable<typeof ready>
      break
    }
  })
  beforeEach(async () => {
    await control('DELETE', '/faults')
    await control('DELETE', '/requests')
    await control('POST', '/clock', { offsetMs: 0 })
  })
  afterAll(() => stop())

  const known = (): NonNullable<typeof ready> => {
    if (!ready) throw new Error('the central services are not started yet')
    return ready
  }
  return {
    get url() { return known().url },
    get tokenUrl() { return known().tokenUrl },
    get clientId() { return known().clientId },
    get clientSecret() { return known().clientSecret },
    async faults(...rules) { await control('POST', '/faults', { rules }) },
    async balances(collectorNumber) { return (await control('GET', `/ledger?collectorNumber=${collectorNumber}`))['balances'] as { cash: number; dream: number } },
    async requests(path) { return (await control('GET', path ? `/requests?path=${path}` : '/requests'))['requests'] as ReceivedRequest[] },
    async reached(path, count, stage = 'received') { await control('GET', `/wait?path=${path}&count=${count}&stage=${stage}&timeoutMs=10000`) },
    async moveClock(offsetMs) { await control('POST', '/clock', { offsetMs }) },
    async revokeTokens() { await control('POST', '/tokens/revoke') },
  }
}
