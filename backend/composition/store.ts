import type { TerminalEvent } from '../../contracts/events.ts'
import type { LaneStore } from '../features/enrolment/lane-store.ts'
import { createStore, storePlaceOf } from '../store/create-store.ts'
import { createLaneHealth } from '../store/lane-health.ts'
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
/** States of a device in which somebody should look at it. */
const TROUBLED: ReadonlySet<string> = new Set(['unavailable', 'needs-attention'])

/** The lane's way to its store's server, not yet begun. */
export function openStoreLink(base: Foundation, laneStore: Pick<LaneStore, 'device'>): StoreLink {
  const { options, db, transact, seal, changes, clock, rng, log, publish, published } = base
  const store = createStore({
    place: storePlaceOf(laneStore.device()),
    db,
    transact,
    seal,
    changes,
    version: options.version,
    clock,
    rng,
    log,
    onChange: (state) => {
      publish({ type: 'store-changed', store: state })
    },
  })
  published.on('event', ({ type }) => {
    if (TELLS_STORE.has(type)) store.kick()
  })
  return store
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
