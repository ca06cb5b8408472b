import { setTimeout as delay } from 'node:timers/promises'
import type { OfferList, OfferLists } from '../../../contracts/loyalty/offers.ts'
import { Locale } from '../../../contracts/core/locales.ts'
import { createOffersClient } from '../services/offers.ts'
import { spread } from '../../core/central/waits.ts'
import { isoOf } from '../../core/clock.ts'
import { localDateTime } from '../../core/zone.ts'
import { fetchOfferTypes, fetchOffers, typesOf, withTypes } from './fetch.ts'
import { type StoredOffer, type StoredOffers, createOfferRepository, isShownAt } from './offers.sql.ts'
import type { App } from '../../core/http/app.ts'
import { offersContract } from '../../../contracts/loyalty/loyalty.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'
import { centralOf } from '../../core/central/services.ts'
import { droppedOf, type Ctx, perLane, bound } from '../../core/context.ts'
import { onStart, onStop } from '../../core/lifecycle.ts'

/** Maximum wait in ms for a newer list of offers when an older one can be shown. */
const PATIENCE_MS = 1_500
const START_MS = 60_000

type ListFailure = NonNullable<OfferLists['lists'][number]['failed']>

export interface OffersService {
  /**
   * Returns the offers to show now. Waits for the offer service if no list is stored, and briefly if the list is due
   * for a refresh or its last refresh failed.
   */
  list(locale: Locale): Promise<OfferList>
  fetchNow(locale: Locale): Promise<OfferList>
  lists(): OfferLists
  stored(locale: Locale): (StoredOffers & { readonly stale: boolean }) | undefined
  /**
   * Fetches the lists of offers in all languages, and then the types of the offers. Never throws: a failed fetch leaves
   * the old list.
   */
  refresh(): Promise<void>
  centralReconnected(): Promise<void>
  pictures(): Set<string>
  onStored(listener: () => void): void
}

const offersStateOf = perLane((ctx: Ctx) => {
  const client = createOffersClient(ctx)
  const repository = createOfferRepository(ctx.db)
  const fetching = new Map<Locale, Promise<void>>()
  const failedLast = new Map<Locale, ListFailure | null>()
  const listeners: (() => void)[] = []

  const query = { client: client, log: ctx.log, region: ctx.profile.region, countDropped: () => countDropped(ctx) }
  return {
    client,
    repository,
    fetching,
    failedLast,
    listeners,
    typesFailed: false,
    typesUnderWay: null as Promise<void> | null,
    timer: undefined as NodeJS.Timeout | undefined,
    query,
  }
})

const countDropped = (ctx: Ctx): void => void droppedOf(ctx).emit('dropped', 'offers', 1)

const isFailed = (ctx: Ctx, locale: Locale): boolean => (offersStateOf(ctx).failedLast.get(locale) ?? null) !== null

async function fetchInto(ctx: Ctx, locale: Locale): Promise<void> {
  const state = offersStateOf(ctx)
  const answer = await fetchOffers({ ...state.query, locale })
  state.failedLast.set(locale, 'failed' in answer ? { ...answer.failed, at: isoOf(ctx.clock.now()) } : null)
  if ('failed' in answer) {
    ctx.log.warn({ locale, ...answer.failed }, 'could not fetch the offer list: keeping the stored one')
    return
  }
  const known = typesOf(state.repository.find(locale, ctx.profile.region)?.offers ?? [])
  state.repository.save(locale, ctx.profile.region, {
    offers: withTypes(answer.offers, known),
    fetchedAt: ctx.clock.now(),
  })
  for (const listener of state.listeners) listener()
}

/**
 * Fetches the types of the offers. They are the same in every language, so one language is requested. On a failure the
 * offers keep their stored types.
 */
async function fetchTypes(ctx: Ctx): Promise<void> {
  const state = offersStateOf(ctx)
  const [locale = 'en-CA'] = Locale.options
  const answer = await fetchOfferTypes({ ...state.query, locale })
  state.typesFailed = 'failed' in answer
  if ('failed' in answer) {
    ctx.log.warn(answer.failed, 'could not fetch the types of the offers: keeping the stored ones')
    return
  }
  for (const each of Locale.options) {
    const list = state.repository.find(each, ctx.profile.region)
    if (list) state.repository.save(each, ctx.profile.region, { ...list, offers: withTypes(list.offers, answer.types) })
  }
}

function refreshTypes(ctx: Ctx): Promise<void> {
  const state = offersStateOf(ctx)
  state.typesUnderWay ??= fetchTypes(ctx)
    .catch((error: unknown) => {
      ctx.log.error({ err: error }, 'could not store the types of the offers')
    })
    .finally(() => {
      state.typesUnderWay = null
    })
  return state.typesUnderWay
}

function refreshOne(ctx: Ctx, locale: Locale): Promise<void> {
  const state = offersStateOf(ctx)
  const running = state.fetching.get(locale)
  if (running) return running
  const started = fetchInto(ctx, locale)
    .catch((error: unknown) => {
      ctx.log.error({ err: error }, 'could not store the offer list')
    })
    .finally(() => {
      state.fetching.delete(locale)
    })
  state.fetching.set(locale, started)
  return started
}

async function refresh(ctx: Ctx): Promise<void> {
  await Promise.all(Locale.options.map((locale) => refreshOne(ctx, locale)))
  await refreshTypes(ctx)
}

/** Schedules the next refresh of the offers. It is skipped while the service is overloaded. */
const scheduleRefresh = (ctx: Ctx, withinMs?: number): NodeJS.Timeout =>
  setTimeout(
    () => {
      offersStateOf(ctx).timer = scheduleRefresh(ctx)
      if (centralOf(ctx).load?.admits('offers', 'background') !== false) void refresh(ctx)
    },
    withinMs === undefined
      ? spread(ctx.profile.limits.offerRefreshMs, ctx.rng.fraction())
      : ctx.rng.fraction() * withinMs,
  ).unref()

/**
 * Whether the customer display may show an offer: it has started (specification 1 §2.2), and it is of the store's own
 * partner, because an offer of another partner would send the customer elsewhere. The caller leaves out offers that
 * have ended.
 */
const isForDisplay = (ctx: Ctx, offer: StoredOffer, now: string): boolean =>
  offer.startDate <= now &&
  ctx.profile.program.partnerId !== undefined &&
  offer.partnerId === ctx.profile.program.partnerId

const isStale = (ctx: Ctx, locale: Locale, { fetchedAt }: StoredOffers): boolean =>
  isFailed(ctx, locale) || ctx.clock.now() - fetchedAt > 2 * ctx.profile.limits.offerRefreshMs

function shown(ctx: Ctx, locale: Locale): OfferList {
  const list = offersStateOf(ctx).repository.find(locale, ctx.profile.region)
  if (!list) return { offers: [], total: 0, fetchedAt: null, stale: true }
  const now = localDateTime(ctx.clock.now(), ctx.profile.timeZone)
  const offers = list.offers
    .filter((offer) => isShownAt(offer, now))
    .map((offer) => ({ ...offer.card, forDisplay: isForDisplay(ctx, offer, now) }))
  return { offers, total: offers.length, fetchedAt: isoOf(list.fetchedAt), stale: isStale(ctx, locale, list) }
}

async function fetchNow(ctx: Ctx, locale: Locale) {
  await refreshOne(ctx, locale)
  return shown(ctx, locale)
}

async function list(ctx: Ctx, locale: Locale) {
  const list = offersStateOf(ctx).repository.find(locale, ctx.profile.region)
  if (!list) await refreshOne(ctx, locale)
  else if (isFailed(ctx, locale) || ctx.clock.now() - list.fetchedAt > ctx.profile.limits.offerRefreshMs)
    await Promise.race([refreshOne(ctx, locale), delay(PATIENCE_MS, undefined, { ref: false })])
  return shown(ctx, locale)
}

function stored(ctx: Ctx, locale: Locale) {
  const list = offersStateOf(ctx).repository.find(locale, ctx.profile.region)
  return list && { ...list, stale: isStale(ctx, locale, list) }
}

function lists(ctx: Ctx) {
  const state = offersStateOf(ctx)
  const now = localDateTime(ctx.clock.now(), ctx.profile.timeZone)
  const lists = Locale.options.map((locale) => {
    const list = state.repository.find(locale, ctx.profile.region)
    return {
      locale,
      count: list?.offers.filter((offer) => isShownAt(offer, now)).length ?? 0,
      fetchedAt: list ? isoOf(list.fetchedAt) : null,
      dueAt: list ? isoOf(list.fetchedAt + ctx.profile.limits.offerRefreshMs) : null,
      loading: state.fetching.has(locale),
      failed: state.failedLast.get(locale) ?? null,
    }
  })
  return { at: isoOf(ctx.clock.now()), lists }
}

const pictures = (ctx: Ctx) =>
  new Set(
    Locale.options.flatMap((locale) =>
      (offersStateOf(ctx).repository.find(locale, ctx.profile.region)?.offers ?? []).flatMap(
        ({ imageUrl }) => imageUrl ?? [],
      ),
    ),
  )

function onStored(ctx: Ctx, listener: () => void) {
  offersStateOf(ctx).listeners.push(listener)
}

async function centralReconnected(ctx: Ctx) {
  const state = offersStateOf(ctx)
  await Promise.all(Locale.options.filter((locale) => isFailed(ctx, locale)).map((locale) => refreshOne(ctx, locale)))
  if (state.typesFailed) await refreshTypes(ctx)
}

function start(ctx: Ctx) {
  const state = offersStateOf(ctx)
  // Spread the refresh over a minute, because all lanes of a chain may start in the same second.
  if (Locale.options.every((locale) => state.repository.find(locale, ctx.profile.region) !== undefined))
    state.timer ??= scheduleRefresh(ctx, START_MS)
  else {
    void refresh(ctx)
    state.timer ??= scheduleRefresh(ctx)
  }
}

export const offersOf = perLane((ctx: Ctx): OffersService => {
  const state = offersStateOf(ctx)
  centralOf(ctx).central.onChange((now) => {
    if (now === 'online') void centralReconnected(ctx)
  })
  onStart(ctx, () => start(ctx))
  onStop(ctx, () => clearTimeout(state.timer))
  return bound(ctx, {
    fetchNow,
    list,
    stored,
    lists,
    refresh,
    pictures,
    onStored,
    centralReconnected,
  })
})

export function offersRoutes(ctx: Ctx, app: App): void {
  const offers = offersOf(ctx)
  serve(app, offersContract['GET /offers'], async (request) =>
    offers.list(request.query.locale ?? signedIn(request).locale),
  )

  serve(app, offersContract['POST /offers/refresh'], async (request) =>
    offers.fetchNow(request.body.locale ?? signedIn(request).locale),
  )
}
