import { join } from 'node:path'
import Database from 'better-sqlite3'
import { CASH_PATHS } from '../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../contracts/central/issuance.ts'
import { tlsFiles } from '../packages/delivery/testing/loopback-tls.ts'
import { start, type RunningProcess } from './processes.ts'

interface CentralReady {
  readonly url: string
  readonly tokenUrl: string
  readonly memberSignInUrl: string
  readonly revocationUrl: string
  readonly issuer: string
  readonly controlUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

export interface LedgerView {
  readonly balances: { readonly cash: number; readonly dream: number }
  readonly entries: readonly { readonly operation: string; readonly cash: number; readonly dream: number }[]
}

export interface SeenRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly sha256: string
}

/** The central services as a process of their own, with the control port that tests read the ledger by. */
export interface Central {
  readonly ready: CentralReady
  ledger(collectorNumber: string): Promise<LedgerView>
  balanced(): Promise<boolean>
  fault(rule: { path: string; times?: number; action: Record<string, unknown> & { kind: string } }): Promise<void>
  clearFaults(): Promise<void>
  /** Stops the services where they are, in the middle of whatever they do, until `goOn`. */
  hold(): void
  goOn(): void
  /** Moves the services' clock by this much from the real time. */
  moveClock(offsetMs: number): Promise<void>
  requests(path: string): Promise<SeenRequest[]>
  /**
   * Waits until so many requests to the path were received, or with stage `processed` until their effect is committed.
   */
  waitFor(path: string, count: number, stage?: 'received' | 'processed'): Promise<void>
  /** The members' tokens that were given out and stand, from the services' own database. */
  memberTokens(): string[]
  /** The codes that lanes have asked for: what they poll with, and what a phone types. */
  memberCodes(): { readonly deviceCode: string; readonly userCode: string }[]
  /** Starts the services again where they were, with what they had. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export const PATHS = {
  ...CASH_PATHS,
  issue: ISSUANCE_PATHS.issue,
  return: ISSUANCE_PATHS.return,
  calculate: ISSUANCE_PATHS.calculate,
}

/** The services as a bundle, which starts sooner than their sources: `e2e/build.ts` makes it. */
export const SERVICES = 'build/app/central/main.js'

/**
 * `more`: options of the services' command, added to those of every scenario. `program`: their main file, by default
 * in the sources. `scheme`: production lanes accept https only.
 */
export async function startCentral(
  folder: string,
  more: readonly string[] = [],
  program = 'packages/central/main.ts',
  scheme: 'https' | 'http' = 'https',
): Promise<Central> {
  const { certificate, key } = await tlsFiles()
  const tls = scheme === 'https' ? ['--tls-certificate', certificate, '--tls-key', key] : []
  const begin = (at: number): Promise<RunningProcess<CentralReady>> =>
    start([
      program,
      '--data',
      folder,
      '--port',
      String(at),
      '--control-port',
      '0',
      ...tls,
      '--seed',
      '7',
      '--member-poll',
      '1',
      '--exit-with-stdin',
      '--log-level',
      'warn',
      ...more,
    ])
  let running = await begin(0)
  const control = async (path: string, init?: RequestInit): Promise<unknown> => {
    const response = await fetch(running.ready.controlUrl + path, init)
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  return {
    get ready() {
      return running.ready
    },
    async restart() {
      running = await begin(Number(new URL(running.ready.url).port))
    },
    ledger: async (collectorNumber) => (await control(`/ledger?collectorNumber=${collectorNumber}`)) as LedgerView,
    balanced: async () => ((await control('/ledger/check')) as { ok?: boolean; balanced?: boolean }).ok === true,
    async fault(rule) {
      await control('/faults', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ rules: [rule] }),
      })
    },
    clearFaults: async () => {
      await control('/faults', { method: 'DELETE' })
    },
    hold: () => {
      running.child.kill('SIGSTOP')
    },
    goOn: () => {
      running.child.kill('SIGCONT')
    },
    async moveClock(offsetMs) {
      await control('/clock', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ offsetMs }),
      })
    },
    requests: async (path) => ((await control(`/requests?path=${path}`)) as { requests: SeenRequest[] }).requests,
    waitFor: async (path, count, stage = 'received') => {
      await control(`/wait?path=${path}&count=${count}&stage=${stage}`)
    },
    memberTokens: () => artifactsIn(folder, 'AccessToken').map(({ id }) => id),
    memberCodes: () =>
      artifactsIn(folder, 'DeviceCode').map(({ id, userCode }) => ({ deviceCode: id, userCode: userCode ?? '' })),
    stop: () => running.stop(),
  }
}

/** What the identity provider keeps of this kind, the oldest first. */
function artifactsIn(folder: string, model: string): { readonly id: string; readonly userCode: string | null }[] {
  const db = new Database(join(folder, 'central.db'), { readonly: true })
  try {
    return db
      .prepare<[string, number], { id: string; userCode: string | null }>(
        `SELECT id, user_code AS userCode FROM oidc_artifact WHERE model = ? AND expires_at > ?
         ORDER BY expires_at`,
      )
      .all(model, Date.now())
  } finally {
    db.close()
  }
}
