import { setTimeout as delay } from 'node:timers/promises'
import type { OfferList, OfferLists } from '../../../contracts/loyalty/offers.ts'
import { Locale } from '../../../contracts/core/locales.ts'
import { createOffersClient } from '../services/offers.ts'
import { spread } from '../../core/central/waits.ts'
import { isoOf } from '../../core/clock.ts'
import { localDateTime } from '../../core/zone.ts'
import { fetchOfferTypes, fetchOffers, typesOf, withTypes } from './fetch.ts'
import { type KeptOffer, type KeptOffers, createOfferRepository, isShownAt } from './offers.sql.ts'
import type { App } from '../../core/http/app.ts'
import { offersContract } from '../../../contracts/loyalty/loyalty.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'
import { centralOf } from '../../core/central/services.ts'
import { droppedOf, type Ctx, perLane, bound } from '../../core/context.ts'
import { onStart, onStop } from '../../core/lifecycle.ts'

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
}

const offersStateOf = perLane((ctx: Ctx) => {
  const client = createOffersClient(ctx)
  const kept = createOfferRepository(ctx.db)
  const underWay = new Map<Locale, Promise<void>>()
  const failedLast = new Map<Locale, ListFailure | null>()
  const listeners: (() => void)[] = []

  const query = { client: client, log: ctx.log, region: ctx.profile.region, onLeftOut: () => onLeftOut(ctx) }
  return {
    client,
    kept,
    underWay,
    failedLast,
    listeners,
    typesFailed: false,
    typesUnderWay: null as Promise<void> | null,
    timer: undefined as NodeJS.Timeout | undefined,
    query,
  }
})

const onLeftOut = (ctx: Ctx): void => void droppedOf(ctx).emit('dropped', 'offers', 1)

const isFailed = (ctx: Ctx, locale: Locale): boolean => (offersStateOf(ctx).failedLast.get(locale) ?? null) !== null

async function fetchInto(ctx: Ctx, locale: Locale): Promise<void> {
  const state = offersStateOf(ctx)
  const answer = await fetchOffers({ ...state.query, locale })
  state.failedLast.set(locale, 'failed' in answer ? { ...answer.failed, at: isoOf(ctx.clock.now()) } : null)
  if ('failed' in answer) {
    ctx.log.warn({ locale, ...answer.failed }, 'the offer list could not be fetched')
    return
  }
  const known = typesOf(state.kept.find(locale, ctx.profile.region)?.offers ?? [])
  state.kept.save(locale, ctx.profile.region, { offers: withTypes(answer.offers, known), fetchedAt: ctx.clock.now() })
  for (const listener of state.listeners) listener()
}

/** One language is enough: a type is no text. Until they are known again the offers keep those that they had. */
async function fetchTypes(ctx: Ctx): Promise<void> {
  const state = offersStateOf(ctx)
  const [locale = 'en-CA'] = Locale.options
  const answer = await fetchOfferTypes({ ...state.query, locale })
  state.typesFailed = 'failed' in answer
  if ('failed' in answer) {
    ctx.log.warn(answer.failed, 'the types of the offers could not be fetched')
    return
  }
  for (const each of Locale.options) {
    const list = state.kept.find(each, ctx.profile.region)
    if (list) state.kept.save(each, ctx.profile.region, { ...list, offers: withTypes(list.offers, answer.types) })
  }
}

function refreshTypes(ctx: Ctx): Promise<void> {
  const state = offersStateOf(ctx)
  state.typesUnderWay ??= fetchTypes(ctx)
    .catch((error: unknown) => {
      ctx.log.error({ err: error }, 'the types of the offers could not be kept')
    })
    .finally(() => {
      state.typesUnderWay = null
    })
  return state.typesUnderWay
}

function refreshOne(ctx: Ctx, locale: Locale): Promise<void> {
  const state = offersStateOf(ctx)
  const running = state.underWay.get(locale)
  if (running) return running
  const started = fetchInto(ctx, locale)
    .catch((error: unknown) => {
      ctx.log.error({ err: error }, 'the offer list could not be kept')
    })
    .finally(() => {
      state.underWay.delete(locale)
    })
  state.underWay.set(locale, started)
  return started
}

async function refresh(ctx: Ctx): Promise<void> {
  await Promise.all(Locale.options.map((locale) => refreshOne(ctx, locale)))
  await refreshTypes(ctx)
}

/** What is kept does for another while where the service has too many calls. */
const later = (ctx: Ctx, withinMs?: number): NodeJS.Timeout =>
  setTimeout(
    () => {
      offersStateOf(ctx).timer = later(ctx)
      if (centralOf(ctx).load?.admits('offers', 'background') !== false) void refresh(ctx)
    },
    withinMs === undefined
      ? spread(ctx.profile.limits.offerRefreshMs, ctx.rng.fraction())
      : ctx.rng.fraction() * withinMs,
  ).unref()

/**
 * Usable from its start on (specification 1 §2.2), and at this store's own partner: another's would send the customer
 * elsewhere.
 */
const isForDisplay = (ctx: Ctx, offer: KeptOffer, now: string): boolean =>
  offer.startDate <= now &&
  ctx.profile.program.partnerId !== undefined &&
  offer.partnerId === ctx.profile.program.partnerId

const isStale = (ctx: Ctx, locale: Locale, { fetchedAt }: KeptOffers): boolean =>
  isFailed(ctx, locale) || ctx.clock.now() - fetchedAt > 2 * ctx.profile.limits.offerRefreshMs

function shown(ctx: Ctx, locale: Locale): OfferList {
  const list = offersStateOf(ctx).kept.find(locale, ctx.profile.region)
  if (!list) return { offers: [], total: 0, fetchedAt: null, stale: true }
  const now = localDateTime(ctx.clock.now(), ctx.profile.timeZone)
  const offers = list.offers
    .filter((offer) => isShownAt(offer, now))
    .map((offer) => ({ ...offer.card, forDisplay: isForDisplay(ctx, offer, now) }))
  return { offers, total: offers.length, fetchedAt: isoOf(list.fetchedAt), stale: isStale(ctx, locale, list) }
}

async function askedNow(ctx: Ctx, locale: Locale) {
  await refreshOne(ctx, locale)
  return shown(ctx, locale)
}

async function list(ctx: Ctx, locale: Locale) {
  const list = offersStateOf(ctx).kept.find(locale, ctx.profile.region)
  if (!list) await refreshOne(ctx, locale)
  else if (isFailed(ctx, locale) || ctx.clock.now() - list.fetchedAt > ctx.profile.limits.offerRefreshMs)
    await Promise.race([refreshOne(ctx, locale), delay(PATIENCE_MS, undefined, { ref: false })])
  return shown(ctx, locale)
}

function kept(ctx: Ctx, locale: Locale) {
  const list = offersStateOf(ctx).kept.find(locale, ctx.profile.region)
  return list && { ...list, stale: isStale(ctx, locale, list) }
}

function lists(ctx: Ctx) {
  const state = offersStateOf(ctx)
  const now = localDateTime(ctx.clock.now(), ctx.profile.timeZone)
  const lists = Locale.options.map((locale) => {
    const list = state.kept.find(locale, ctx.profile.region)
    return {
      locale,
      count: list?.offers.filter((offer) => isShownAt(offer, now)).length ?? 0,
      fetchedAt: list ? isoOf(list.fetchedAt) : null,
      dueAt: list ? isoOf(list.fetchedAt + ctx.profile.limits.offerRefreshMs) : null,
      loading: state.underWay.has(locale),
      failed: state.failedLast.get(locale) ?? null,
    }
  })
  return { at: isoOf(ctx.clock.now()), lists }
}

const pictures = (ctx: Ctx) =>
  new Set(
    Locale.options.flatMap((locale) =>
      (offersStateOf(ctx).kept.find(locale, ctx.profile.region)?.offers ?? []).flatMap(
        ({ imageUrl }) => imageUrl ?? [],
      ),
    ),
  )

function onKept(ctx: Ctx, listener: () => void) {
  offersStateOf(ctx).listeners.push(listener)
}

async function centralIsBack(ctx: Ctx) {
  const state = offersStateOf(ctx)
  await Promise.all(Locale.options.filter((locale) => isFailed(ctx, locale)).map((locale) => refreshOne(ctx, locale)))
  if (state.typesFailed) await refreshTypes(ctx)
}

/** Refreshes now, or within a minute where lists are kept, and then at the profile's interval. */
function start(ctx: Ctx) {
  const state = offersStateOf(ctx)
  // What an earlier run has kept does for a minute: whole chains start in the same second.
  if (Locale.options.every((locale) => state.kept.find(locale, ctx.profile.region) !== undefined))
    state.timer ??= later(ctx, START_MS)
  else {
    void refresh(ctx)
    state.timer ??= later(ctx)
  }
}

export const offersOf = perLane((ctx: Ctx): OffersService => {
  const state = offersStateOf(ctx)
  centralOf(ctx).central.onChange((now) => {
    if (now === 'online') void centralIsBack(ctx)
  })
  onStart(ctx, () => start(ctx))
  onStop(ctx, () => clearTimeout(state.timer))
  return bound(ctx, {
    askedNow,
    list,
    kept,
    lists,
    refresh,
    pictures,
    onKept,
    centralIsBack,
  })
})

export function offersRoutes(ctx: Ctx, app: App): void {
  const offers = offersOf(ctx)
  serve(app, offersContract['GET /offers'], async (request) =>
    offers.list(request.query.locale ?? signedIn(request).locale),
  )

  serve(app, offersContract['POST /offers/refresh'], async (request) =>
    offers.askedNow(request.body.locale ?? signedIn(request).locale),
  )
}
