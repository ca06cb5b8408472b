import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Signer } from '../delivery/keys.ts'
import type { Trusted } from '../delivery/signed.ts'
import type { Postgres } from './db/postgres.ts'
import type { Projection } from './lanes/projection.ts'
import type { StoreCounts } from './metrics/counts.ts'

export interface StoreContext {
  readonly db: Postgres
  readonly log: FastifyBaseLogger
  readonly counts: StoreCounts
  /** Wall clock, epoch milliseconds. */
  readonly now: () => number
  readonly projections: readonly Projection[]
  readonly settings: StoreSettings
}

export interface CertificateEnds {
  readonly server: Date
  /** Null: no own authority. */
  readonly authority: Date | null
}

/** Keys that verify a channel, and the key that signs a halt; null: the folder has no private key. */
export interface UpdateKeys {
  readonly trusted: Trusted
  readonly signer: Signer | null
}

export interface UpdateSettings {
  readonly folder: string
  readonly keys: UpdateKeys
  /** Whether only enrolled lanes may report, each for itself; otherwise any client may. */
  readonly tokens: boolean
}

export interface StoreSettings {
  /** Folder of the certificate, the keys, and the hash of the metrics token. */
  readonly folder: string
  readonly version: string
  readonly enrolment: boolean
  /** Null: no updates. */
  readonly updates: UpdateSettings | null
  /** Shared by the lanes and not in the database (`store.key`). */
  readonly sealKey: Uint8Array
  /** Known to the servers only (`proof.key`). */
  readonly proofKey: Uint8Array
  /** PEM of the store's own authority, which lanes pin; null: none. */
  readonly authority: string | null
  readonly ends: CertificateEnds
  /** Enrolment calls per address and minute; a store's lanes may share an address. */
  readonly enrolmentCallsPerMinute: number
  /** Wrong codes per address in ten minutes. */
  readonly missesPerTenMinutes: number
  /** Interval of full-table reads for metrics, in milliseconds. */
  readonly checkEveryMs: number
}

export const DEFAULT_LIMITS = {
  enrolmentCallsPerMinute: 120,
  missesPerTenMinutes: 60,
  checkEveryMs: 60_000,
} as const satisfies Partial<StoreSettings>

export type Routes = (app: FastifyInstance, ctx: StoreContext) => void | Promise<void>
