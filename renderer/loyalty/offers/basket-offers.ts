import { create } from 'zustand'
import type {
  BasketOffer,
  BasketOffers,
  ChangeOfferStates,
  OfferChange,
} from '../../../contracts/loyalty/basket-offers.ts'
import { ApiProblem } from '../../core/api/problem.ts'
import { api } from '../../core/api/terminal-api.ts'
import { useMemberSession } from '../member/member-session.ts'
import { announce, notify, report, clearTopic } from '../../core/state/notices.ts'
import { useSale } from '../../sales/sale.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { enqueue, isInFlight } from '../../core/state/command-queue.ts'
import { onCurrent } from '../../sales/sale-commands.ts'

interface BasketOffersState {
  /** The last answer with offers for the open sale; null: not answered yet, or no open sale. */
  readonly answer: BasketOffers | null
  /** The reason why the last request failed; an earlier answer remains. */
  readonly failed: ApiProblem | null
  /**
   * Whether the lane had offers in the last answer of any sale: each sale then reserves a place for them from its
   * start.
   */
  readonly listed: boolean
  readonly open: boolean
}

export const useBasketOffers = create<BasketOffersState>()(() => ({
  answer: null,
  failed: null,
  listed: false,
  open: false,
}))

/** Offers are requested after this many milliseconds without a change, so not between two quick scans. */
const QUIET_MS = 150
const MAX_BUSY_MS = 1_000

const whenBrowserIdle = (run: () => void): void => {
  requestIdleCallback(run, { timeout: MAX_BUSY_MS })
}

/** Number of the last request for offers: answers to older requests are ignored. */
let asked = 0
let timer: ReturnType<typeof setTimeout> | undefined
let runWhenIdle = whenBrowserIdle

export async function refreshBasketOffers(): Promise<void> {
  const saleId = useSale.getState().current?.id
  if (saleId === undefined) return
  clearTimeout(timer)
  asked += 1
  const mine = asked
  try {
    const answer = await api.basketOffers(saleId, useTerminal.getState().locale)
    if (mine === asked) useBasketOffers.setState({ answer, failed: null, listed: answer.offers.length > 0 })
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    if (mine === asked) useBasketOffers.setState({ failed: error })
  }
}

/** Requests the offers after a change that may affect them, once no more changes follow. */
export function scheduleOffers(): void {
  clearTimeout(timer)
  if (useSale.getState().current) timer = setTimeout(() => runWhenIdle(() => void refreshBasketOffers()), QUIET_MS)
}

export const takeOfferStates = (saleId: string): void => {
  if (useSale.getState().current?.id === saleId) scheduleOffers()
}

function forget(): void {
  asked += 1
  clearTimeout(timer)
  useBasketOffers.setState({ answer: null, failed: null, open: false })
  clearTopic(REFUSED_TOPIC)
}

/** Discards the member's data at the end of the sign-in, even a pending answer. */
function forgetMember(): void {
  asked += 1
  if (useBasketOffers.getState().answer?.member) useBasketOffers.setState({ answer: null })
}

/**
 * Keeps the offers of the open sale current. `whenIdle` runs low-priority work after the paint. Returns a function that
 * stops this.
 */
export function followBasketOffers(role: 'cashier' | 'display', whenIdle = whenBrowserIdle): () => void {
  runWhenIdle = whenIdle
  const leave = (clear: () => void): void => {
    const { answer } = useBasketOffers.getState()
    clear()
    if (role === 'cashier' && answer?.member) warnOfUnconfirmed(answer)
  }
  const stops = [
    useSale.subscribe(({ current }, before) => {
      if (current?.id !== before.current?.id) leave(forget)
      if (current?.id !== before.current?.id || current?.version !== before.current?.version) scheduleOffers()
    }),
    useTerminal.subscribe(({ locale }, before) => {
      if (locale !== before.locale) scheduleOffers()
    }),
    useMemberSession.subscribe(({ session }, before) => {
      if (session === before.session) return
      if (before.session?.state === 'signed-in') leave(forgetMember)
      scheduleOffers()
    }),
    ...(role === 'cashier'
      ? [useBasketOffers.subscribe((now, before) => reportChanges(before.answer, now.answer))]
      : []),
  ]
  scheduleOffers()
  return () => {
    for (const stop of stops) stop()
    clearTimeout(timer)
  }
}

const REFUSED_TOPIC = 'offer-refused'
const MAX_NAMED = 2

/** Warns that the member may not have opted in, when the sale or sign-in ended before the program answered. */
function warnOfUnconfirmed({ offers }: BasketOffers): void {
  const awards = offers.filter(({ changing }) => changing === 'opt-in').map(({ award }) => award)
  if (awards.length > 0)
    notify('warning', ({ t }) => t('basketOffers.notConfirmed', { awards: awards.slice(0, MAX_NAMED).join(', ') }), {
      topic: REFUSED_TOPIC,
    })
}

/** Reports completed changes of the member's offers; a rejection stays readable over every dialog. */
function reportChanges(before: BasketOffers | null, now: BasketOffers | null): void {
  if (!before || !now || before === now) return
  const wasRefused = (id: string): boolean =>
    before.offers.some((offer) => offer.id === id && offer.refused !== null && offer.changing === null)
  const [refused] = now.offers.filter(({ id, ...offer }) => isRefused(offer) && !wasRefused(id))
  if (refused?.refused) {
    const { award, refused: why } = refused
    notify('warning', ({ t }) => t('basketOffers.notDone', { award, why: t(`basketOffers.refused.${why}`) }), {
      topic: REFUSED_TOPIC,
    })
  } else if ((before.member?.changing ?? 0) > 0 && now.member?.changing === 0)
    announce(({ t }) => t('basketOffers.confirmed'))
}

export const isRefused = ({ refused, changing }: Pick<BasketOffer, 'refused' | 'changing'>): boolean =>
  refused !== null && changing === null

export const countToOptIn = ({ answer }: Pick<BasketOffersState, 'answer'>): number =>
  (answer?.member && answer.optInAll?.offerIds.length) || 0

/** For tests: resets the offers to the state of a new window. */
export function resetBasketOffers(): void {
  forget()
  useBasketOffers.setState({ listed: false })
}

export const applyOfferCoupon = (offerId: string, applied: boolean): Promise<boolean> =>
  onCurrent('change', (sale) => api.applyOfferCoupon(sale.id, { version: sale.version, offerId, applied }))

/**
 * Sends changes of the member's offers. A second command of the same `kind` is a double tap. The program's answer
 * arrives as an event.
 */
async function change(kind: string, changes: ChangeOfferStates['changes']): Promise<void> {
  const saleId = useSale.getState().current?.id
  if (saleId === undefined || changes.length === 0 || isInFlight(kind)) return
  try {
    await enqueue(kind, () => api.changeOfferStates(saleId, { changes }))
    await refreshBasketOffers()
  } catch (error) {
    report(error)
  }
}

/** Kind of the command that opts in to all offers; for a single offer, the offer's id follows it. */
export const OPT_IN_ALL = 'offer-states'
export const changeKind = (offerId: string): string => `${OPT_IN_ALL} ${offerId}`

export const changeOffer = (offerId: string, wanted: OfferChange): Promise<void> =>
  change(changeKind(offerId), [{ offerId, change: wanted }])

export const optInToAll = (): Promise<void> => {
  const { answer } = useBasketOffers.getState()
  const offerIds = answer?.member ? (answer.optInAll?.offerIds ?? []) : []
  return change(
    OPT_IN_ALL,
    offerIds.map((offerId) => ({ offerId, change: 'opt-in' })),
  )
}
