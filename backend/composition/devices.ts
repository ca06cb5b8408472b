import type { Checkout } from './checkout.ts'
import { createBadgeReads, createCardReads } from '../core/devices/reads.ts'
import { createCustomerLines } from '../payments/customer-display/customer-display.ts'
import { openDeviceHub } from '../core/devices/hub.ts'
import { deviceRoutes } from '../operations/devices/devices.routes.ts'
import type { CatalogService } from '../catalog/catalog.ts'
import { createTrainingPhone } from '../loyalty/member-session/sign-in-slip.ts'
import { createSoundsRepository, soundsRoutes } from '../operations/sounds.ts'
import type { StaffService } from '../staff/sign-in.ts'
import type { Routes } from '../core/http/app.ts'
import type { Sessions } from '../core/http/sessions.ts'
import { createInputClaims, createInputDispatcher, inputRoutes } from '../sales/input/dispatcher.ts'
import type { Foundation } from './foundation.ts'

export type LaneDevices = Awaited<ReturnType<typeof openDevices>>

interface InputParts {
  readonly devices: LaneDevices
  readonly checkout: Checkout
  readonly catalog: CatalogService
  readonly staff: StaffService
  readonly sessions: Sessions
}

/** The devices of the lane, not yet enabled, and the reads that wait to be used. */
export async function openDevices(base: Foundation) {
  const { options, lane, folder, profile, clock, counts, events, publish, logo, log } = base
  const cardReads = createCardReads(clock, profile.limits.cardReadMs, () => counts.dropped('card-reads'))
  const badgeReads = createBadgeReads(clock, profile.limits.cardReadMs)
  const claims = createInputClaims(clock, events.isOpen)
  const { profileFile } = options
  const hub = await openDeviceHub({ profile, lane, publish, paperFolder: folder.paper, profileFile, logo, log })
  return { cardReads, badgeReads, claims, hub }
}

/** What a gesture at a device does to the sale, and what the customer's line display says of it. */
export function composeInput(base: Foundation, parts: InputParts) {
  const { published } = base
  const { checkout, sessions } = parts
  const { claims, hub } = parts.devices
  const dispatch = createDispatch(base, parts)
  published.on('event', ({ type }) => {
    if (type === 'signed-in') checkout.speak()
    if (type === 'signed-out') claims.forget()
  })
  showLines(base, parts)
  return {
    routes: inputAndDeviceRoutes(base, parts),
    start(): void {
      hub.enable((gesture) => {
        // Whoever swipes and scans is there.
        sessions.active(null)
        dispatch(gesture)
      })
    },
  }
}

function createDispatch({ profile, publish, log }: Foundation, parts: InputParts) {
  const { checkout, catalog, staff, sessions } = parts
  const { cardReads, badgeReads, claims } = parts.devices
  return createInputDispatcher({
    profile,
    cardReads,
    claims,
    signedIn: sessions.signedIn,
    identify: checkout.members.identify,
    ring: checkout.scanning.scan,
    presentVoucher: checkout.vouchers.scanned,
    holdBadge: badgeReads.hold,
    checkBadge: staff.badges.signIn,
    findItem: (code) => catalog.findByBarcode(code) ?? catalog.findBySku(code),
    isCoupon: checkout.coupons.has,
    publish,
    log,
  })
}

function showLines({ profile, published }: Foundation, { devices: { hub }, checkout }: InputParts): void {
  if (!hub.lineDisplay) return
  const lines = createCustomerLines({
    display: hub.lineDisplay,
    storeName: profile.store.name,
    locale: checkout.locale,
    openSale: checkout.sales.current,
  })
  published.on('event', lines.onEvent)
}

function inputAndDeviceRoutes(base: Foundation, { devices, checkout }: InputParts): Routes[] {
  const { options, profile, lane, db, transact, audit, acting, publish } = base
  const { claims, hub } = devices
  const practice = profile.mode === 'training' ? (options.practice ?? null) : null
  const phone =
    practice &&
    createTrainingPhone({
      collectorOf: checkout.members.collectorOf,
      sessions: checkout.memberLane.sessions,
      saleOf: checkout.saleOf,
      services: practice,
    })
  return [
    inputRoutes({ claims, acting }),
    deviceRoutes({ hub, profile, lane, practice, phone, publish }),
    soundsRoutes({ repository: createSoundsRepository(db), transact, lane, audit }),
  ]
}
