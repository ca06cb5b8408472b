import { setTimeout as delay } from 'node:timers/promises'
import { OfferList, type OfferLists } from '../../../contracts/loyalty/offers.ts'
import { Locale } from '../../../contracts/core/locales.ts'
import { createOffersClient } from '../services/offers.ts'
import { spread } from '../../core/central/waits.ts'
import { isoOf } from '../../core/clock.ts'
import { localDateTime } from '../../core/zone.ts'
import { fetchOfferTypes, fetchOffers, typesOf, withTypes } from './fetch.ts'
import { type KeptOffer, type KeptOffers, createOfferRepository, isShownAt } from './offers.sql.ts'
import { z } from 'zod'
import type { Routes } from '../../core/http/app.ts'
import { signedIn } from '../../core/http/guards.ts'
import { centralOf } from '../../core/central/services.ts'
import { droppedOf, type Ctx, perLane } from '../../core/context.ts'

/** How long a person waits for a newer list when an older one could be shown. */
const PATIENCE_MS = 1_500
const START_MS = 60_000

type ListFailure = NonNullable<OfferLists['lists'][number]['failed']>

export interface OffersService {
  /**
   * The offers that may be shown now. Waits for the offer service when no list was ever fetched, and a moment when the
   * list is due for a refresh or could not be refreshed the last time.
   */
  list(locale: Locale): Promise<OfferList>
  /** The same, after the offer service was asked: for a person who wants to know now. */
  askedNow(locale: Locale): Promise<OfferList>
  /** How old the list of each language is, and what became of the last attempt of this run to load it. */
  lists(): OfferLists
  /** The whole list as it is kept, from memory: asks nobody, and is what a basket is looked at by. */
  kept(locale: Locale): (KeptOffers & { readonly stale: boolean }) | undefined
  /**
   * Fetches the list of every language anew, and the types of the offers, which nobody waits for. Never throws: a list
   * that could not be fetched leaves the old one.
   */
  refresh(): Promise<void>
  /** The loyalty service is heard again: fetches the lists that could not be fetched the last time. */
  centralIsBack(): Promise<void>
  /** Where the offer service has the pictures of the offers that are kept, in every language. */
  pictures(): Set<string>
  /** Told when a list was kept. */
  onKept(listener: () => void): void
  /** Refreshes now, or within a minute where lists are kept, and then about every `refreshMs` until `stop`. */
  start(): void
  stop(): void
}

export const offersOf = perLane((ctx: Ctx): OffersService => {
  const { clock, log, profile, db, rng } = ctx
  const transport = centralOf(ctx).transport
  const onLeftOut = (): void => void droppedOf(ctx).emit('dropped', 'offers', 1)
  const load = centralOf(ctx).load
  const {
    region,
    timeZone,
    program: { originClient, partnerId },
    limits: { offerRefreshMs: refreshMs },
  } = profile
  const client = createOffersClient({ transport, originClient })
  const kept = createOfferRepository(db)
  const underWay = new Map<Locale, Promise<void>>()
  const failedLast = new Map<Locale, ListFailure | null>()
  const listeners: (() => void)[] = []
  let typesFailed = false
  let typesUnderWay: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined

  const query = { client, log, region, onLeftOut }
  const isFailed = (locale: Locale): boolean => (failedLast.get(locale) ?? null) !== null

  async function fetchInto(locale: Locale): Promise<void> {
    const answer = await fetchOffers({ ...query, locale })
    failedLast.set(locale, 'failed' in answer ? { ...answer.failed, at: isoOf(clock.now()) } : null)
    if ('failed' in answer) {
      log.warn({ locale, ...answer.failed }, 'the offer list could not be fetched')
      return
    }
    const known = typesOf(kept.find(locale, region)?.offers ?? [])
    kept.save(locale, region, { offers: withTypes(answer.offers, known), fetchedAt: clock.now() })
    for (const listener of listeners) listener()
  }

  /** One language is enough: a type is no text. Until they are known again the offers keep those that they had. */
  async function fetchTypes(): Promise<void> {
    const [locale = 'en-CA'] = Locale.options
    const answer = await fetchOfferTypes({ ...query, locale })
    typesFailed = 'failed' in answer
    if ('failed' in answer) {
      log.warn(answer.failed, 'the types of the offers could not be fetched')
      return
    }
    for (const each of Locale.options) {
      const list = kept.find(each, region)
      if (list) kept.save(each, region, { ...list, offers: withTypes(list.offers, answer.types) })
    }
  }

  function refreshTypes(): Promise<void> {
    typesUnderWay ??= fetchTypes()
      .catch((error: unknown) => {
        log.error({ err: error }, 'the types of the offers could not be kept')
      })
      .finally(() => {
        typesUnderWay = null
      })
    return typesUnderWay
  }

  function refreshOne(locale: Locale): Promise<void> {
    const running = underWay.get(locale)
    if (running) return running
    const started = fetchInto(locale)
      .catch((error: unknown) => {
        log.error({ err: error }, 'the offer list could not be kept')
      })
      .finally(() => {
        underWay.delete(locale)
      })
    underWay.set(locale, started)
    return started
  }

  const refresh = async (): Promise<void> => {
    await Promise.all(Locale.options.map(refreshOne))
    await refreshTypes()
  }

  /** What is kept does for another while where the service has too many calls. */
  const later = (withinMs?: number): NodeJS.Timeout =>
    setTimeout(
      () => {
        timer = later()
        if (load?.admits('offers', 'background') !== false) void refresh()
      },
      withinMs === undefined ? spread(refreshMs, rng.fraction()) : rng.fraction() * withinMs,
    ).unref()

  /**
   * Usable from its start on (specification 1 §2.2), and at this store's own partner: another's would send the customer
   * elsewhere.
   */
  const isForDisplay = (offer: KeptOffer, now: string): boolean =>
    offer.startDate <= now && partnerId !== undefined && offer.partnerId === partnerId

  const isStale = (locale: Locale, { fetchedAt }: KeptOffers): boolean =>
    isFailed(locale) || clock.now() - fetchedAt > 2 * refreshMs

  const shown = (locale: Locale): OfferList => {
    const list = kept.find(locale, region)
    if (!list) return { offers: [], total: 0, fetchedAt: null, stale: true }
    const now = localDateTime(clock.now(), timeZone)
    const offers = list.offers
      .filter((offer) => isShownAt(offer, now))
      .map((offer) => ({ ...offer.card, forDisplay: isForDisplay(offer, now) }))
    return { offers, total: offers.length, fetchedAt: isoOf(list.fetchedAt), stale: isStale(locale, list) }
  }

  return {
    async askedNow(locale) {
      await refreshOne(locale)
      return shown(locale)
    },
    async list(locale) {
      const list = kept.find(locale, region)
      if (!list) await refreshOne(locale)
      else if (isFailed(locale) || clock.now() - list.fetchedAt > refreshMs)
        await Promise.race([refreshOne(locale), delay(PATIENCE_MS, undefined, { ref: false })])
      return shown(locale)
    },
    kept(locale) {
      const list = kept.find(locale, region)
      return list && { ...list, stale: isStale(locale, list) }
    },
    lists: () => {
      const now = localDateTime(clock.now(), timeZone)
      const lists = Locale.options.map((locale) => {
        const list = kept.find(locale, region)
        return {
          locale,
          count: list?.offers.filter((offer) => isShownAt(offer, now)).length ?? 0,
          fetchedAt: list ? isoOf(list.fetchedAt) : null,
          dueAt: list ? isoOf(list.fetchedAt + refreshMs) : null,
          loading: underWay.has(locale),
          failed: failedLast.get(locale) ?? null,
        }
      })
      return { at: isoOf(clock.now()), lists }
    },
    refresh,
    pictures: () =>
      new Set(
        Locale.options.flatMap((locale) =>
          (kept.find(locale, region)?.offers ?? []).flatMap(({ imageUrl }) => imageUrl ?? []),
        ),
      ),
    onKept(listener) {
      listeners.push(listener)
    },
    async centralIsBack() {
      await Promise.all(Locale.options.filter(isFailed).map(refreshOne))
      if (typesFailed) await refreshTypes()
    },
    start() {
      // What an earlier run has kept does for a minute: whole chains start in the same second.
      if (Locale.options.every((locale) => kept.find(locale, region) !== undefined)) timer ??= later(START_MS)
      else {
        void refresh()
        timer ??= later()
      }
    },
    stop() {
      clearTimeout(timer)
      timer = undefined
    },
  }
})

const OfferListQuery = z.object({ locale: Locale.optional().describe("Left out: the signed-in person's language") })

export const offersRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const offers = offersOf(ctx)
    app.get(
      '/api/offers',
      {
        schema: {
          tags: ['offers'],
          description:
            'The offers of the region that may be shown now. `stale` when the offer service could not be asked.',
          querystring: OfferListQuery,
          response: { 200: OfferList },
        },
        config: { access: 'staff' },
      },
      async (request) => offers.list(request.query.locale ?? signedIn(request).locale),
    )

    app.post(
      '/api/offers/refresh',
      {
        schema: {
          tags: ['offers'],
          description: 'Asks the offer service now, and answers as GET /api/offers.',
          body: OfferListQuery,
          response: { 200: OfferList },
        },
        config: { access: 'staff', command: 'awaited' },
      },
      async (request) => offers.askedNow(request.body.locale ?? signedIn(request).locale),
    )
  }
