import type {
  ManagerOfferAnswer,
  ManagerOfferPage,
  ManagerOfferQuery,
  OfferLists,
  ShelfCardOrder,
} from '../../../contracts/api/offers-manager.ts'
import type { Offer } from '../../../contracts/central/offers.ts'
import { LOCALES } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/locales.ts'
import type { Lane, Profile } from '../../../contracts/profile.ts'
import type { Breaker } from '../../central/breaker.ts'
import type { OffersClient } from '../../central/offers.ts'
import { isoOf, type Clock } from '../../clock.ts'
import type { Transact } from '../../db/transact.ts'
import { shortened } from '../../domain/shortened.ts'
import { localDateTime } from '../../domain/zone.ts'
import { ProblemError } from '../../http/problem.ts'
import type { AuditTrail } from '../staff/audit.ts'
import {
  detailOf,
  facetsOf,
  keptDetailOf,
  keptPage,
  listQueryOf,
  offerOf,
  warningOf,
  type Moments,
} from './manager-answers.ts'
import { ROOM } from './fetch.ts'
import type { OfferRepository } from './repository.ts'
import { offerFailure } from './offer-failure.ts'
import type { OffersService } from './service.ts'

export interface ManagerOffersOptions {
  readonly client: Pick<OffersClient, 'list' | 'detail'>
  /** Of that client: told when the lists of the lane show that the service is there. */
  readonly breaker: Pick<Breaker, 'heard'>
  readonly offers: Pick<OffersService, 'lists' | 'refresh'>
  readonly kept: Pick<OfferRepository, 'find'>
  readonly transact: Transact
  readonly audit: Pick<AuditTrail, 'record'>
  readonly clock: Clock
  readonly profile: Pick<Profile, 'region' | 'timeZone' | 'store' | 'mode' | 'locales'>
  readonly lane: Pick<Lane, 'id'>
}

export interface ShelfCardFile {
  readonly fileName: string
  readonly bytes: Buffer
}

export type ManagerOffers = ReturnType<typeof createManagerOffers>

/** A manager looks at a page, and may as well look at the lane's own list after that. Milliseconds. */
const PATIENCE_MS = 4_000
const SOON_MS = 3 * 86_400_000
const MOST_ORDERED = 20
const PATH_CHARACTERS = /[^A-Za-z0-9-]/g

/**
 * The region's public offers for its manager (specification 1 §1, public flow): live, and from the lane's own list
 * while the service does not answer.
 */
export function createManagerOffers(options: ManagerOffersOptions) {
  const { client, breaker, offers, kept, transact, audit, clock, profile, lane } = options
  const { region, timeZone } = profile
  const ordered = new Map<number, ShelfCardFile & { readonly staffId: string }>()

  const moments = (): Moments => ({
    now: localDateTime(clock.now(), timeZone),
    soon: localDateTime(clock.now() + SOON_MS, timeZone),
  })

  /** The offer in each language, the store's own first. Throws ProblemError where one of them is not to be had. */
  async function inEachLanguage(id: string): Promise<{ locale: Locale; offer: Offer }[]> {
    const { now } = moments()
    const first = profile.locales.default
    const locales = [first, ...LOCALES.filter((locale) => locale !== first)]
    return Promise.all(
      locales.map(async (locale) => {
        const answer = await client.detail(id, region, { locale, timeoutMs: PATIENCE_MS })
        if (answer.kind === 'failed') throw new ProblemError('shelf-card-service')
        const { offer, warning } = answer.body
        if (!offer || warning || offer.endDate <= now) throw new ProblemError('shelf-card-not-valid')
        return { locale, offer }
      }),
    )
  }

  return {
    /** Never throws for what the service does: `failure` says it, and the lane's list stands in its place. */
    async page(asked: ManagerOfferQuery, locale: Locale): Promise<ManagerOfferPage> {
      const answer = await client.list(listQueryOf(asked, region), { locale, timeoutMs: PATIENCE_MS })
      const at = moments()
      if (answer.kind === 'failed') {
        const list = kept.find(locale, region)
        return {
          source: 'kept',
          ...keptPage(list, asked, at),
          failure: offerFailure(answer),
          fetchedAt: list ? isoOf(list.fetchedAt) : null,
        }
      }
      const { offers, metadata } = answer.body
      return {
        source: 'service',
        offers: offers.map((offer) => offerOf(offer, at)),
        total: metadata.total,
        offset: asked.offset,
        facets: facetsOf(metadata),
        failure: null,
        notApplied: [],
        fetchedAt: null,
      }
    },

    lists: (): OfferLists => offers.lists(),

    /** Loads the lists of every language. Asks in any case, and what it hears ends a pause of the page. */
    async refresh(): Promise<OfferLists> {
      await offers.refresh()
      const { at, lists } = offers.lists()
      if (lists.some(({ failed }) => failed === null)) breaker.heard(true)
      return { at, lists }
    },

    /** One offer with its warning (specification 1 §7); from the lane's list while the service does not answer. */
    async one(id: string, locale: Locale): Promise<ManagerOfferAnswer> {
      const answer = await client.detail(id, region, { locale, timeoutMs: PATIENCE_MS })
      const at = moments()
      if (answer.kind === 'failed') {
        const list = kept.find(locale, region)
        const offer = list?.offers.find(({ card }) => card.id === id)
        return {
          source: 'kept',
          offer: offer ? keptDetailOf(offer, at) : null,
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
    },

    /**
     * Draws a card for the shelf, a page for each language, and writes that down; `fetchCard` then gives it, once.
     * Rejects with ProblemError `shelf-card-service` where the service does not answer, `shelf-card-not-valid` for an
     * offer that nobody can use here.
     */
    async orderCard(id: string, staffId: string): Promise<ShelfCardOrder> {
      const copies = await inEachLanguage(id)
      // Drawn by what no start loads.
      const { shelfCardPdf } = await import('./shelf-card.ts')
      const bytes = shelfCardPdf(copies, { storeName: profile.store.name, training: profile.mode === 'training' })
      const fileName = `${['shelf-card', profile.store.id, `lane-${lane.id}`, id.slice(0, 8)]
        .map((part) => part.replaceAll(PATH_CHARACTERS, '-'))
        .join('_')}.pdf`
      return transact((tx) => {
        const number = audit.record(tx, {
          kind: 'shelf-card',
          actorId: staffId,
          subject: id,
          detail: { name: shortened(copies[0]?.offer.awardShort ?? '', ROOM.name) },
        })
        transact.afterCommit(() => {
          ordered.set(number, { fileName, bytes, staffId })
          for (const old of [...ordered.keys()].slice(0, -MOST_ORDERED)) ordered.delete(old)
        })
        return { number, fileName }
      })
    },

    /** The card that this person ordered. Throws ProblemError `not-found`. */
    fetchCard(number: number, staffId: string): ShelfCardFile {
      const order = ordered.get(number)
      if (order?.staffId !== staffId) throw new ProblemError('not-found')
      ordered.delete(number)
      return order
    },
  }
}
