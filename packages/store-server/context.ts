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
  /** Wall clock in epoch milliseconds. */
  readonly now: () => number
  readonly projections: readonly Projection[]
  readonly settings: StoreSettings
}

export interface CertificateEnds {
  readonly server: Date
  /** Expiry of the store's own authority; null without one. */
  readonly authority: Date | null
}

/**
 * Public keys that verify an update channel, and the private key that signs a halt; null if the folder has no private
 * key.
 */
export interface UpdateKeys {
  readonly trusted: Trusted
  readonly signer: Signer | null
}

export interface UpdateSettings {
  readonly folder: string
  readonly keys: UpdateKeys
  /** Whether only enrolled lanes may report their update status, each for itself; otherwise any client may. */
  readonly tokens: boolean
}

export interface StoreSettings {
  readonly folder: string
  readonly version: string
  readonly enrolment: boolean
  /** Settings of program updates; null if the server distributes none. */
  readonly updates: UpdateSettings | null
  /** Seal key that the lanes share; stored in `store.key`, not in the database. */
  readonly sealKey: Uint8Array
  /** Key for nonces and stream proofs, known only to the servers (`proof.key`). */
  readonly proofKey: Uint8Array
  /** PEM of the store's own authority, which lanes pin; null without one. */
  readonly authority: string | null
  readonly ends: CertificateEnds
  /** Maximum enrolment calls per IP address and minute; the lanes of a store may share an IP address. */
  readonly enrolmentCallsPerMinute: number
  /** Maximum wrong enrolment codes per IP address in ten minutes. */
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
