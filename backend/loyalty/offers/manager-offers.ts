import type {
  ManagerOfferAnswer,
  ManagerOfferPage,
  ManagerOfferQuery,
  OfferLists,
  ShelfCardExport,
} from '../../../contracts/loyalty/offers.ts'
import type { Offer } from '../../../contracts/central/offers.ts'
import { LOCALES } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { isoOf } from '../../core/clock.ts'
import { shortened } from '../../core/masking.ts'
import { localDateTime } from '../../core/zone.ts'
import { ProblemError } from '../../core/problem.ts'
import {
  type Moments,
  detailOf,
  facetsOf,
  storedDetailOf,
  storedPage,
  listQueryOf,
  offerOf,
  warningOf,
} from './manager-answers.ts'
import { ROOM, offerFailure } from './fetch.ts'
import type { App } from '../../core/http/app.ts'
import { offersContract } from '../../../contracts/loyalty/loyalty.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'
import { centralOf } from '../../core/central/services.ts'
import { offersOf } from './offers.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { createOffersClient } from '../services/offers.ts'

export interface ShelfCardFile {
  readonly fileName: string
  readonly bytes: Buffer
}

/** Timeout in ms of the manager's request to the offer service; after it the stored list is shown. */
const PATIENCE_MS = 4_000
const SOON_MS = 3 * 86_400_000
const MAX_PENDING_EXPORTS = 20
const PATH_CHARACTERS = /[^A-Za-z0-9-]/g

const breakerOf = perLane((ctx) => centralOf(ctx).breakers.of('offers'))

const managerOffersStateOf = perLane(() => {
  const pendingExports = new Map<number, ShelfCardFile & { readonly staffId: string }>()
  return { pendingExports }
})

const moments = (ctx: Ctx): Moments => ({
  now: localDateTime(ctx.clock.now(), ctx.profile.timeZone),
  soon: localDateTime(ctx.clock.now() + SOON_MS, ctx.profile.timeZone),
})

/**
 * Fetches the offer in each language, the store's language first. Throws ProblemError if the offer is unavailable in
 * one of them.
 */
async function inEachLanguage(ctx: Ctx, id: string): Promise<{ locale: Locale; offer: Offer }[]> {
  const { now } = moments(ctx)
  const first = ctx.profile.locales.default
  const locales = [first, ...LOCALES.filter((locale) => locale !== first)]
  return Promise.all(
    locales.map(async (locale) => {
      const answer = await managerOffersClientOf(ctx).detail(id, ctx.profile.region, { locale, timeoutMs: PATIENCE_MS })
      if (answer.kind === 'failed') throw new ProblemError('shelf-card-service')
      const { offer, warning } = answer.body
      if (!offer || warning || offer.endDate <= now) throw new ProblemError('shelf-card-not-valid')
      return { locale, offer }
    }),
  )
}

/** Returns a page of offers. If the service fails, the page has `failure` and the stored list; it never throws. */
async function page(ctx: Ctx, asked: ManagerOfferQuery, locale: Locale): Promise<ManagerOfferPage> {
  const answer = await managerOffersClientOf(ctx).list(listQueryOf(asked, ctx.profile.region), {
    locale,
    timeoutMs: PATIENCE_MS,
  })
  const at = moments(ctx)
  if (answer.kind === 'failed') {
    const list = offersOf(ctx).stored(locale)
    return {
      source: 'kept',
      ...storedPage(list, asked, at),
      failure: offerFailure(answer),
      fetchedAt: list ? isoOf(list.fetchedAt) : null,
    }
  }
  const { metadata } = answer.body
  return {
    source: 'service',
    offers: answer.body.offers.map((offer) => offerOf(offer, at)),
    total: metadata.total,
    offset: asked.offset,
    facets: facetsOf(metadata),
    failure: null,
    notApplied: [],
    fetchedAt: null,
  }
}

async function refresh(ctx: Ctx): Promise<OfferLists> {
  const offers = offersOf(ctx)
  await offers.refresh()
  const { at, lists } = offers.lists()
  if (lists.some(({ failed }) => failed === null)) breakerOf(ctx).record(true)
  return { at, lists }
}

/** Returns one offer with its warning (specification 1 §7), or the stored offer while the service is unavailable. */
async function one(ctx: Ctx, id: string, locale: Locale): Promise<ManagerOfferAnswer> {
  const answer = await managerOffersClientOf(ctx).detail(id, ctx.profile.region, { locale, timeoutMs: PATIENCE_MS })
  const at = moments(ctx)
  if (answer.kind === 'failed') {
    const list = offersOf(ctx).stored(locale)
    const offer = list?.offers.find(({ card }) => card.id === id)
    return {
      source: 'kept',
      offer: offer ? storedDetailOf(offer, at) : null,
      warning: null,
      failure: offerFailure(answer),
      fetchedAt: list ? isoOf(list.fetchedAt) : null,
    }
  }
  const { offer, warning } = answer.body
  return {
    source: 'service',
    offer: offer && detailOf(offer, at),
    warning: warningOf(warning),
    failure: null,
    fetchedAt: null,
  }
}

/**
 * Composes a shelf card of an offer with a page for each language, and records it in the audit trail; `fetchCard`
 * returns the file once. Rejects with ProblemError `shelf-card-service` if the service does not answer,
 * `shelf-card-not-valid` for an offer that cannot be used in this store.
 */
async function requestCard(ctx: Ctx, id: string, staffId: string): Promise<ShelfCardExport> {
  const state = managerOffersStateOf(ctx)
  const copies = await inEachLanguage(ctx, id)
  const { shelfCardPdf } = await import('./shelf-card.ts')
  const bytes = shelfCardPdf(copies, { storeName: ctx.profile.store.name, training: ctx.profile.mode === 'training' })
  const fileName = `${['shelf-card', ctx.profile.store.id, `lane-${ctx.lane.id}`, id.slice(0, 8)]
    .map((part) => part.replaceAll(PATH_CHARACTERS, '-'))
    .join('_')}.pdf`
  return ctx.transact((tx) => {
    const number = ctx.audit.record(tx, {
      kind: 'shelf-card',
      actorId: staffId,
      subject: id,
      detail: { name: shortened(copies[0]?.offer.awardShort ?? '', ROOM.name) },
    })
    ctx.transact.afterCommit(() => {
      state.pendingExports.set(number, { fileName, bytes, staffId })
      for (const old of [...state.pendingExports.keys()].slice(0, -MAX_PENDING_EXPORTS))
        state.pendingExports.delete(old)
    })
    return { number, fileName }
  })
}

function fetchCard(ctx: Ctx, number: number, staffId: string): ShelfCardFile {
  const state = managerOffersStateOf(ctx)
  const pending = state.pendingExports.get(number)
  if (pending?.staffId !== staffId) throw new ProblemError('not-found')
  state.pendingExports.delete(number)
  return pending
}

/**
 * Public offers of the region for the manager (specification 1 §1, public flow): the live list, or the stored one while
 * the service is unavailable.
 */
const managerOffersOf = perLane((ctx: Ctx) => {
  managerOffersStateOf(ctx)
  return {
    ...bound(ctx, {
      page,
      refresh,
      one,
      requestCard,
      fetchCard,
    }),

    lists: (): OfferLists => offersOf(ctx).lists(),
  }
})

export function managerOffersRoutes(ctx: Ctx, app: App): void {
  const manager = managerOffersOf(ctx)
  serve(app, offersContract['GET /manager/offers'], async (request) =>
    manager.page(request.query, request.query.locale ?? signedIn(request).locale),
  )
  serve(app, offersContract['GET /manager/offers/:id'], async (request) =>
    manager.one(request.params.id, request.query.locale ?? signedIn(request).locale),
  )
  serve(app, offersContract['GET /manager/offer-lists'], () => manager.lists())
  serve(app, offersContract['POST /manager/offer-lists/refresh'], async () => manager.refresh())
  serve(app, offersContract['POST /manager/offers/:id/shelf-card'], async (request) =>
    manager.requestCard(request.params.id, signedIn(request).id),
  )
  serve(app, offersContract['GET /manager/shelf-cards/:number'], (request, reply) => {
    const { fileName, bytes } = manager.fetchCard(request.params.number, signedIn(request).id)
    return reply.type('application/pdf').header('content-disposition', `attachment; filename="${fileName}"`).send(bytes)
  })
}

const managerOffersClientOf = perLane((ctx) => createOffersClient(ctx, breakerOf(ctx)))
