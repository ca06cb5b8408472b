import type { LaneCredentials } from '../../packages/delivery/enrolment/proof.ts'
import type { App } from '../core/http/app.ts'
import { storeContract } from '../../contracts/store/store.routes.ts'
import { serve } from '../core/http/serve.ts'
import type { Ctx } from '../core/context.ts'
import { programOf } from '../core/program/lane-program.ts'
import { type StorePlace, createStoreChannel } from './channel.ts'
import { createFactsRepository } from './facts.sql.ts'
import { createForeignGroups } from './foreign-facts.ts'
import { createLease } from './lease.ts'
import { linkOf, newLink } from './link-state.ts'
import { createFactPusher, factPusherOf } from './push-facts.ts'
import { type ApprovalOf, createReadFact } from './read-fact.ts'
import { createRegisters } from './registers.ts'
import { type StoreLink, storeLink, storeOf } from './store-link.ts'
import { createStoreKey } from './store-seal.ts'

const PAGE_CONNECTIONS = 2

/**
 * Opens the lane's side of its store; `start` connects it. `place`: null at a lane without a store. `storeAuthority`:
 * adds the store's authority (PEM) to the certificates that the lane trusts and returns all of them, or null when
 * nothing changed.
 */
export function openStore(
  ctx: Ctx,
  place: StorePlace | null,
  approvalOf: ApprovalOf,
  storeAuthority: (pem: string) => string | null,
): StoreLink {
  const { db, seal } = ctx
  const { version } = programOf(ctx)
  const key = createStoreKey(ctx)
  const storeSeal = () => {
    const current = key.current()
    if (current === null) throw new Error('this lane has not connected to its store yet')
    return current
  }
  const facts = createFactsRepository(db)
  const foreign = createForeignGroups(ctx, version, key.current)
  const channels = place && { channel: createStoreChannel(place), pages: createStoreChannel(place, PAGE_CONNECTIONS) }
  const link = newLink(ctx, {
    ...(channels ?? { channel: null, pages: null }),
    version,
    facts,
    foreign,
    key,
    lease: createLease(ctx),
    registers: createRegisters(ctx, foreign.readChangesAgain),
  })
  linkOf.provide(ctx, link)
  factPusherOf.provide(ctx, createFactPusher(ctx, facts, createReadFact(db, seal, storeSeal, approvalOf)))
  link.events.on('changed', (store) => ctx.publish({ type: 'store-changed', store }))
  link.events.on('authority', (pem) => {
    try {
      const pins = storeAuthority(pem)
      if (pins === null) return
      channels?.channel.trust(pins)
      channels?.pages.trust(pins)
      ctx.log.info('the lane trusts the authority of its store')
    } catch (error) {
      // Log the failure only: the certificate that the lane trusts stays valid until it expires.
      ctx.log.error({ err: error }, 'the authority of the store could not be stored')
    }
  })
  return storeLink(ctx)
}

export const storePlaceOf = (
  device:
    | (LaneCredentials & { readonly storeServer: { readonly url: string; readonly ca: string | null } | null })
    | null,
): StorePlace | null => (device?.storeServer ? { ...device.storeServer, token: device.token, key: device.key } : null)

export function storeRoutes(ctx: Ctx, app: App): void {
  const store = storeOf(ctx)
  serve(app, storeContract['GET /store'], () => store.state())
}
