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
import { announce, notify, report, settleTopic } from '../../core/state/notices.ts'
import { useSale } from '../../sales/sale.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { inTurn, isUnderWay } from '../../core/state/command-queue.ts'
import { onCurrent } from '../../sales/sale-commands.ts'

interface BasketOffersState {
  /** Of the open sale, as they were answered last; null: not answered yet, or no sale is open. */
  readonly answer: BasketOffers | null
  /** Why they could not be asked for the last time; an answer from before stays. */
  readonly failed: ApiProblem | null
  /** The lane has offers, as the last answer of any sale had it: then a sale keeps a place for them from its start. */
  readonly listed: boolean
  /** The cashier looks at all of them. */
  readonly open: boolean
}

export const useBasketOffers = create<BasketOffersState>()(() => ({
  answer: null,
  failed: null,
  listed: false,
  open: false,
}))

/** Without a change for so long, in milliseconds, the offers are asked for: not between two quick scans. */
const QUIET_MS = 150
/** However busy the window is, in milliseconds. */
const MOST_BUSY_MS = 1_000

/** Once the line is painted and the browser has nothing else to do. */
const atLeisure = (run: () => void): void => {
  requestIdleCallback(run, { timeout: MOST_BUSY_MS })
}

/** What the next question and every answer are held against: an answer that another has overtaken is not shown. */
let asked = 0
let timer: ReturnType<typeof setTimeout> | undefined
let leisure = atLeisure

/** The offers of the open sale in the language of the screen, now. */
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

/** Something may have changed them: they are asked for when nothing more has changed for a moment. */
export function askForOffersSoon(): void {
  clearTimeout(timer)
  if (useSale.getState().current) timer = setTimeout(() => leisure(() => void refreshBasketOffers()), QUIET_MS)
}

/** What the member has of offers has gone on; of another sale it is no news. */
export const takeOfferStates = (saleId: string): void => {
  if (useSale.getState().current?.id === saleId) askForOffersSoon()
}

/** They go with their sale, and so does an answer that is still on its way. */
function forget(): void {
  asked += 1
  clearTimeout(timer)
  useBasketOffers.setState({ answer: null, failed: null, open: false })
  settleTopic(REFUSED_TOPIC)
}

/** What was a member's goes with the sign-in and not with the next answer, and so does one that is on its way. */
function forgetMember(): void {
  asked += 1
  if (useBasketOffers.getState().answer?.member) useBasketOffers.setState({ answer: null })
}

/**
 * Keeps the offers of the open sale. `whenIdle` runs what is no hurry, behind the paint of what changed. Answers a
 * function that stops.
 */
export function followBasketOffers(role: 'cashier' | 'display', whenIdle = atLeisure): () => void {
  leisure = whenIdle
  const leave = (forgotten: () => void): void => {
    const { answer } = useBasketOffers.getState()
    forgotten()
    if (role === 'cashier' && answer?.member) tellOfUnconfirmed(answer)
  }
  const stops = [
    useSale.subscribe(({ current }, before) => {
      if (current?.id !== before.current?.id) leave(forget)
      if (current?.id !== before.current?.id || current?.version !== before.current?.version) askForOffersSoon()
    }),
    useTerminal.subscribe(({ locale }, before) => {
      if (locale !== before.locale) askForOffersSoon()
    }),
    useMemberSession.subscribe(({ session }, before) => {
      if (session === before.session) return
      if (before.session?.state === 'signed-in') leave(forgetMember)
      askForOffersSoon()
    }),
    ...(role === 'cashier'
      ? [useBasketOffers.subscribe((now, before) => tellOfChanges(before.answer, now.answer))]
      : []),
  ]
  askForOffersSoon()
  return () => {
    for (const stop of stops) stop()
    clearTimeout(timer)
  }
}

const REFUSED_TOPIC = 'offer-refused'
/** Awards that a notice names. */
const MOST_TOLD = 2

/** The sale or the sign-in ends before the program has answered: nobody may think that the member has opted in. */
function tellOfUnconfirmed({ offers }: BasketOffers): void {
  const awards = offers.filter(({ changing }) => changing === 'opt-in').map(({ award }) => award)
  if (awards.length > 0)
    notify('warning', ({ t }) => t('basketOffers.notConfirmed', { awards: awards.slice(0, MOST_TOLD).join(', ') }), {
      topic: REFUSED_TOPIC,
    })
}

/** What the member asked for has come to its end: a refusal stays to be read, whatever is open. */
function tellOfChanges(before: BasketOffers | null, now: BasketOffers | null): void {
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

/** The newest change was not taken, and no other is on its way. */
export const isRefused = ({ refused, changing }: Pick<BasketOffer, 'refused' | 'changing'>): boolean =>
  refused !== null && changing === null

/** How many offers one press opts into: those that this basket would earn, of a member who is signed in. */
export const countToOptIn = ({ answer }: Pick<BasketOffersState, 'answer'>): number =>
  (answer?.member && answer.optInAll?.offerIds.length) || 0

/** Test seam: forget everything, as a fresh window. */
export function resetBasketOffers(): void {
  forget()
  useBasketOffers.setState({ listed: false })
}

/** Applies the code of an offer to the sale, or takes it off again. */
export const applyOfferCoupon = (offerId: string, applied: boolean): Promise<boolean> =>
  onCurrent('change', (sale) => api.applyOfferCoupon(sale.id, { version: sale.version, offerId, applied }))

/** `kind`: a second of it is a double tap. What the program says comes by an event. */
async function change(kind: string, changes: ChangeOfferStates['changes']): Promise<void> {
  const saleId = useSale.getState().current?.id
  if (saleId === undefined || changes.length === 0 || isUnderWay(kind)) return
  try {
    await inTurn(kind, () => api.changeOfferStates(saleId, { changes }))
    await refreshBasketOffers()
  } catch (error) {
    report(error)
  }
}

/** While this kind of command is on its way, the member's opt-ins are. */
export const OPT_IN_ALL = 'offer-states'
export const changeKind = (offerId: string): string => `${OPT_IN_ALL} ${offerId}`

/** What the member who is signed in wants with one offer. */
export const changeOffer = (offerId: string, wanted: OfferChange): Promise<void> =>
  change(changeKind(offerId), [{ offerId, change: wanted }])

/** Opts in to all offers that this basket would earn. */
export const optInToAll = (): Promise<void> => {
  const { answer } = useBasketOffers.getState()
  const offerIds = answer?.member ? (answer.optInAll?.offerIds ?? []) : []
  return change(
    OPT_IN_ALL,
    offerIds.map((offerId) => ({ offerId, change: 'opt-in' })),
  )
}
