import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { BasketOffers } from '../../contracts/loyalty/basket-offers.ts'
import type { Locale } from '../../contracts/core/locales.ts'
import type { Central } from '../../packages/lab/rig/central.ts'
import { northstar } from '../../e2e/installer.ts'
import { CASHIER, FIRST_PIN } from '../../e2e/lane.ts'
import type { LaneReady } from '../../packages/lab/rig/process.ts'
import { openWire, type Wire } from '../../e2e/pty.ts'
import type { BenchmarkOptions, BenchmarkRun } from '../benchmark.ts'
import { openApiClient, type ApiClient } from '../checkout/api-client.ts'
import { startBenchLane, type BenchLane } from '../checkout/lane.ts'
import { matchesOfProfile, PARTNER_ID, placeOf } from './offer-mix.ts'

/** An address that refuses connections: port 9 of this machine has no listener. */
const REFUSING_ADDRESS = 'https://127.0.0.1:9'
const THERE_WITHIN_MS = 30_000
const QUERY_EVERY_MS = 100

export interface OfferLane {
  readonly lane: BenchLane
  readonly file: string
  readonly wire: Wire
  readonly client: ApiClient
  readonly ready: LaneReady
  readonly collector: string
  readonly hasOffers: boolean
}

export interface OfferLaneOptions {
  readonly id: string
  readonly central: Central
  readonly collector: string
  readonly offers: number
  /** False: the lane’s offer service refuses connections, so the lane has no offer list. */
  readonly hasOffers: boolean
  readonly items: number
  readonly pastSales: number
  readonly screens: string
}

/**
 * Starts a lane with its folder, scanner and client. The two lanes of the benchmark differ only in their offer service.
 */
export async function startOfferLane(
  { folder: runFolder, atEnd }: Pick<BenchmarkRun<BenchmarkOptions>, 'folder' | 'atEnd'>,
  { id, central, collector, offers, hasOffers, items, pastSales, screens }: OfferLaneOptions,
): Promise<OfferLane> {
  const folder = path.join(runFolder, `lane-${id}`)
  await mkdir(folder)
  const wire = await openWire(path.join(folder, 'scanner'))
  atEnd(() => wire.close())
  const { program, endpoints } = northstar(central)
  const lane = await startBenchLane({
    folder,
    central,
    scanner: wire.path,
    items,
    pastSales,
    screens,
    lane: id,
    placeOf,
    profile: {
      program: { ...program, partnerId: PARTNER_ID },
      endpoints: hasOffers ? endpoints : { ...endpoints, offers: REFUSING_ADDRESS },
      offers: { matches: matchesOfProfile(offers), receipt: 'earned-and-missed' },
    },
  })
  // The lane is stopped with SIGKILL, because a graceful stop would first back the database up.
  atEnd(() => lane.running.stop('SIGKILL'))
  const { ready } = lane.running
  const client = await openApiClient(ready, { id: CASHIER.id, pin: FIRST_PIN, newPin: CASHIER.pin })
  atEnd(async () => {
    client.close()
  })
  return { lane, file: path.join(folder, 'data', 'terminal.db'), wire, client, ready, collector, hasOffers }
}

export async function beginSale({ client, collector }: Pick<OfferLane, 'client' | 'collector'>): Promise<void> {
  await client.post('/api/devices/keyed-collector', { number: collector })
}

export const boardPath = (saleId: string, locale: Locale): string => `/api/sales/${saleId}/offers?locale=${locale}`

/**
 * Waits until the lane has all offers in each language, and the conditions of most of them. The lane fetches the offer
 * types after the lists.
 */
export async function untilOffersAreThere(
  client: ApiClient,
  saleId: string,
  { offers, locales, signal }: { offers: number; locales: readonly Locale[]; signal: AbortSignal },
): Promise<void> {
  const until = performance.now() + THERE_WITHIN_MS
  for (const locale of locales) {
    let shown = await boardOf(client, saleId, locale)
    while (!isWhole(shown, offers)) {
      if (performance.now() > until)
        throw new Error(`the lane has ${shown.offers.length} of ${offers} offers in ${locale}`)
      await pause(QUERY_EVERY_MS, undefined, { signal })
      shown = await boardOf(client, saleId, locale)
    }
  }
}

const boardOf = async (client: ApiClient, saleId: string, locale: Locale): Promise<BasketOffers> =>
  BasketOffers.parse(await client.get(boardPath(saleId, locale)))

const isWhole = ({ offers }: BasketOffers, wanted: number): boolean =>
  offers.length === wanted && offers.filter(({ standing }) => standing === 'shown').length < wanted / 2
