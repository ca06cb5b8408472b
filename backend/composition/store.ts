import type { Checkout } from './checkout.ts'
import type { ClockWatch } from '../core/clock-watch.ts'
import type { TerminalEvent } from '../../contracts/core/events.ts'
import { approvalRow, dayAt } from '../loyalty/reconciliation/approvals-on-retry.ts'
import type { LaneStore } from '../operations/enrolment/lane-store.ts'
import { createReconciliationRepository } from '../loyalty/reconciliation/reconciliation.sql.ts'
import { storeOverviewRoutes } from '../day/store-overview/store-overview.routes.ts'
import { createStoreOverview } from '../day/store-overview/store-overview.ts'
import type { Routes } from '../core/http/app.ts'
import { createStore, storePlaceOf, storeRoutes } from '../store/store.ts'
import { createLaneHealth } from '../store/push-health.ts'
import type { ApprovalOf } from '../store/read-fact.ts'
import type { LaneSays, StoreLink } from '../store/store-link.ts'
import type { LaneDevices } from './devices.ts'
import type { Foundation } from './foundation.ts'
import type { Services } from './services.ts'

/** What is closed with these is told to the store at once; anything else a moment later. */
const TELLS_STORE: ReadonlySet<TerminalEvent['type']> = new Set([
  'sale-closed',
  'shifts-changed',
  'queue-changed',
  'staff-changed',
  'settings-changed',
  'catalog-changed',
])
/** A store server that fails on a Saturday evening is repaired on Monday. */
const LEASE_HOURS = 48
/** States of a device in which somebody should look at it. */
const TROUBLED: ReadonlySet<string> = new Set(['unavailable', 'needs-attention'])

/** The lane's way to its store's server, not yet begun. */
export function openStoreLink(
  base: Foundation,
  laneStore: Pick<LaneStore, 'device' | 'keepAuthority'>,
  watch: Pick<ClockWatch, 'hearStore'>,
): StoreLink {
  const { options, db, transact, seal, changes, clock, rng, log, publish, published, profile } = base
  const store = createStore({
    place: storePlaceOf(laneStore.device()),
    db,
    transact,
    seal,
    approvalOf: approvalsOf(base),
    changes,
    version: options.version,
    mode: profile.mode,
    leaseMs: (profile.store.voucherLeaseHours ?? LEASE_HOURS) * 3_600_000,
    clock,
    rng,
    log,
    keepAuthority: (pem) => laneStore.keepAuthority(pem),
    onChange: (state) => {
      publish({ type: 'store-changed', store: state })
    },
  })
  store.events.on('time', (at) => {
    base.storeTime.hear(at)
    watch.hearStore(at)
  })
  published.on('event', ({ type }) => {
    if (TELLS_STORE.has(type)) store.kick()
  })
  return store
}

/** The rows that the lane's own reports have, and the store's day on which they were approved. */
function approvalsOf({ db, journal, profile }: Foundation): ApprovalOf {
  const { approvalOf } = createReconciliationRepository(db)
  return (operationId) => {
    const approval = approvalOf(operationId)
    if (!approval) return null
    return { businessDay: dayAt(approval.approvedAt, profile.timeZone), row: approvalRow(approval, journal) }
  }
}

/** What the lane says of itself to its store. */
export function laneSays(
  { options, db, lane, profile, outbox }: Foundation,
  { services, devices }: { readonly services: Services; readonly devices: LaneDevices },
): LaneSays {
  const ofDatabase = createLaneHealth(db, lane.id)
  return () => ({
    ...ofDatabase(),
    version: options.version,
    mode: profile.mode,
    central: services.central.state,
    troubles: devices.hub.health().flatMap(({ role, state }) => (TROUBLED.has(state) ? [role] : [])),
    stopped: outbox.failStop.reason,
  })
}

/** How the lane stands with its store, and the manager's pages of all its lanes. */
export function storePages(
  { profile, lane, clock, record }: Foundation,
  { store, checkout: { receipts } }: { readonly store: StoreLink; readonly checkout: Checkout },
): Routes[] {
  const overview = createStoreOverview({ store, receipts, record, clock, profile, lane })
  return [storeRoutes(store), storeOverviewRoutes(overview)]
}
