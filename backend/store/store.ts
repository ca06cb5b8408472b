import { StoreState } from '../../contracts/store/status.ts'
import type { LaneMode } from '../../contracts/store/protocol.ts'
import type { Clock, Rng } from '../core/clock.ts'
import type { Database } from '../core/db/database.ts'
import type { Transact } from '../core/db/transact.ts'
import type { Logger } from '../core/log.ts'
import type { LaneCredentials } from '../../packages/delivery/enrolment/proof.ts'
import type { Seal } from '../core/integrity/seal.ts'
import { type StorePlace, createStoreChannel } from './channel.ts'
import { type ApprovalOf, createReadFact } from './read-fact.ts'
import { createFactsRepository } from './facts.sql.ts'
import type { Changes } from './changes/changes.ts'
import { createForeignGroups } from './foreign-facts.ts'
import { createStoreKey } from './store-seal.ts'
import { type StoreLink, createStoreLink, storeOf } from './store-link.ts'
import type { Routes } from '../core/http/app.ts'
import type { Ctx } from '../core/context.ts'

export interface StoreOptions {
  /** Where the store's server is, as the lane was enrolled with it; null: this lane is alone. */
  readonly place: StorePlace | null
  readonly db: Database
  readonly transact: Transact
  readonly seal: Seal
  readonly approvalOf: ApprovalOf
  /** What managers change, followed by every lane of the store. */
  readonly changes: Changes
  readonly version: string
  readonly mode: LaneMode
  /** How long value that lies at this lane may be paid with after the last contact. */
  readonly leaseMs: number
  readonly clock: Clock
  readonly rng: Rng
  readonly log: Logger
  /** Adds the store's authority (PEM) to what the lane pins; returns all of it, or null where nothing changed. */
  readonly keepAuthority: (pem: string) => string | null
  readonly onChange: (state: StoreState) => void
}

/** So many pages of a manager are asked for at once; further ones wait for their turn. */
const PAGE_CONNECTIONS = 2

/** Composes the lane's side of its store. */
export function createStore({ place, onChange, keepAuthority, ...options }: StoreOptions): StoreLink {
  const { db, transact, seal } = options
  const key = createStoreKey({ db, transact, seal })
  const storeSeal = () => {
    const current = key.current()
    if (current === null) throw new Error('the lane has not spoken with its store yet')
    return current
  }
  const channels = place && { channel: createStoreChannel(place), pages: createStoreChannel(place, PAGE_CONNECTIONS) }
  const link = createStoreLink({
    ...options,
    ...(channels ?? { channel: null, pages: null }),
    facts: createFactsRepository(db),
    readFact: createReadFact(db, seal, storeSeal, options.approvalOf),
    foreign: createForeignGroups({ ...options, storeSeal: key.current }),
    key,
  })
  link.events.on('changed', onChange)
  link.events.on('authority', (pem) => {
    try {
      const pins = keepAuthority(pem)
      if (pins === null) return
      channels?.channel.trust(pins)
      channels?.pages.trust(pins)
      options.log.info('the lane trusts the authority of its store')
    } catch (error) {
      // The certificate that the lane knows is good until its end.
      options.log.error({ err: error }, 'the authority of the store could not be kept')
    }
  })
  return link
}

/** Where the store's server is, by what the lane was enrolled with. */
export const storePlaceOf = (
  device:
    | (LaneCredentials & { readonly storeServer: { readonly url: string; readonly ca: string | null } | null })
    | null,
): StorePlace | null => (device?.storeServer ? { ...device.storeServer, token: device.token, key: device.key } : null)

export const storeRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const store = storeOf(ctx)
    app.get(
      '/api/store',
      {
        schema: {
          tags: ['store'],
          summary: 'How the lane stands with its store’s server',
          response: { 200: StoreState },
        },
      },
      () => store.state(),
    )
  }
