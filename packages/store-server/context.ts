import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Signer } from '../delivery/keys.ts'
import type { Trusted } from '../delivery/signed.ts'
import type { Postgres } from './db/postgres.ts'
import type { Projection } from './lanes/projection.ts'
import type { StoreCounts } from './metrics/counts.ts'

/** What the routes of one server work with. */
export interface StoreContext {
  readonly db: Postgres
  readonly log: FastifyBaseLogger
  readonly counts: StoreCounts
  /** The wall clock, in epoch milliseconds. */
  readonly now: () => number
  readonly projections: readonly Projection[]
  readonly settings: StoreSettings
}

/** When certificates end; the first changes when the server renews its own. */
export interface CertificateEnds {
  readonly server: Date
  /** Null: the server has no authority of its own. */
  readonly authority: Date | null
}

/** The keys that a channel is verified with, and the key that signs a halt; null: the folder has no private key. */
export interface UpdateKeys {
  readonly trusted: Trusted
  readonly signer: Signer | null
}

export interface UpdateSettings {
  /** What is published. */
  readonly folder: string
  readonly keys: UpdateKeys
  /** Whether only enrolled lanes report, each of itself; else anyone who reaches the server may report. */
  readonly tokens: boolean
}

export interface StoreSettings {
  /** The folder of the server: its certificate, its keys, and the hash of the token for metrics. */
  readonly folder: string
  readonly version: string
  /** Whether it serves the enrolment of lanes. */
  readonly enrolment: boolean
  /** Null: it serves no updates. */
  readonly updates: UpdateSettings | null
  /** The key that the lanes share and the database does not have (`store.key`). */
  readonly sealKey: Uint8Array
  /** The key of the servers, which no lane has (`proof.key`). */
  readonly proofKey: Uint8Array
  /** PEM of the store's own authority, which lanes pin; null: the store has none. */
  readonly authority: string | null
  readonly ends: CertificateEnds
  /** Calls of one address in a minute to enrolment; a store's lanes may all come from one. */
  readonly enrolmentCallsPerMinute: number
  /** Wrong codes of one address in ten minutes. */
  readonly missesPerTenMinutes: number
  /** How often whole tables are read for metrics, in milliseconds. */
  readonly checkEveryMs: number
}

export const DEFAULT_LIMITS = {
  enrolmentCallsPerMinute: 120,
  missesPerTenMinutes: 60,
  checkEveryMs: 60_000,
} as const satisfies Partial<StoreSettings>

/** Adds the routes of one part of the server to a scope of their own. */
export type Routes = (app: FastifyInstance, ctx: StoreContext) => void | Promise<void>
