import type { Sale } from '../../../contracts/sales/sales.ts'
import { giveBackOf, givenBackWords } from '../../payments/tender/give-back.ts'
import { amountOfLine, changedLine, outcomeOf } from '../../sales/sale.ts'
import { announce, type Saying } from './notices.ts'

/** What there is to hear of a change: the line and what is owed politely, an outcome at once. */
export interface Announcement {
  readonly say: Saying
  readonly urgency: 'polite' | 'assertive'
}

/** Speak of a change once, whether an answer or an event brought it. */
export function announceChange(before: Sale | null, after: Sale): void {
  for (const { say, urgency } of announcementsOf(before, after)) announce(say, urgency)
}

/**
 * What a person who does not look at the screen must hear of a change, at most one saying of each urgency: the later
 * one would take the place of the other before it is read. Amounts are those that stand on the screen.
 */
export function announcementsOf(before: Sale | null, after: Sale): Announcement[] {
  if (after.state === 'cancelled')
    return before?.state === 'open' ? [{ say: cancelled(after), urgency: 'assertive' }] : reversalSaid(before, after)
  const done = after.state === 'completed' && before?.state === 'open'
  const outcomes = [...redemptionSaid(before, after), ...(done ? [completed(after)] : [])]
  const spoken: Announcement[] = outcomes.length > 0 ? [{ say: inTurn(outcomes), urgency: 'assertive' }] : []
  if (after.state !== 'open') return spoken
  const news = [...memberSaid(before, after), ...basketSaid(before, after, outcomes.length > 0)]
  return news.length > 0 ? [...spoken, { say: inTurn(news), urgency: 'polite' }] : spoken
}

const inTurn =
  (sayings: readonly Saying[]): Saying =>
  (words) =>
    sayings.map((say) => say(words)).join(' ')

/** The later result of a reversal replaces what the cancellation announced, e.g. that miles return. */
function reversalSaid(before: Sale | null, after: Sale): Announcement[] {
  if (before === null) return []
  return redemptionSaid(before, after).map((say) => ({ say, urgency: 'assertive' }))
}

/** What became of a redemption, when it has become something. */
function redemptionSaid(before: Sale | null, { redemption, totals }: Sale): Saying[] {
  if (!redemption || (redemption.id === before?.redemption?.id && redemption.state === before.redemption.state))
    return []
  switch (outcomeOf(redemption)) {
    case 'progress':
      return []
    case 'approved':
      return [
        ({ t, format }) =>
          t('redeem.announceApproved', {
            amount: format.money(redemption.amountCents),
            number: redemption.confirmationNumber ?? '',
            due: format.money(totals.dueCents),
          }),
      ]
    case 'failed':
      return [({ t }) => t('redeem.announceNotApplied', { reason: t(`redeem.outcome.${redemption.outcome}`) })]
    case 'reversal':
      return [({ t }) => t(`redeem.outcome.${redemption.outcome}`)]
  }
}

function completed({ tenders }: Sale): Saying {
  const change = tenders.reduce((sum, tender) => sum + tender.changeCents, 0)
  return ({ t, format }) =>
    change > 0 ? t('after.announce', { change: format.money(change) }) : t('after.announceNoChange')
}

function cancelled(sale: Sale): Saying {
  const back = giveBackOf(sale)
  return (words) => {
    const { t, format } = words
    return [
      t('sale.cancelled'),
      ...(back.cashCents > 0 ? [t('tender.giveBackCash', { amount: format.money(back.cashCents) })] : []),
      ...back.others.map((other) => givenBackWords(other, words)),
      ...(back.miles > 0
        ? [
            t('tender.giveBackMiles', {
              miles: t('sale.milesValue', { miles: format.miles(back.miles), count: back.miles }),
            }),
          ]
        : []),
    ].join(' ')
  }
}

/** A card that the program has answered for: what it may redeem, or why it may not. */
function memberSaid(before: Sale | null, { member }: Sale): Saying[] {
  const known = before?.member
  if (
    !member ||
    member.state === 'pending' ||
    (known?.last4 === member.last4 &&
      known.state === member.state &&
      known.noRedemption === member.noRedemption &&
      known.availableCents === member.availableCents &&
      known.noEarning === member.noEarning)
  )
    return []
  const reason = member.noEarning ?? member.noRedemption
  const { availableCents, last4 } = member
  return [
    ({ t, format }) =>
      [
        t('member.announce', { last4 }),
        reason
          ? t(`member.reason.${reason}`)
          : availableCents === null
            ? ''
            : t('member.announceAvailable', { amount: format.money(availableCents) }),
      ]
        .join(' ')
        .trim(),
  ]
}

/** The line that was rung, the payment that was taken, and what is owed now. */
function basketSaid(before: Sale | null, after: Sale, outcomeSaid: boolean): Saying[] {
  const { totals, tenders } = after
  const owed: Saying = ({ t, format }) =>
    totals.tenderedCents > 0
      ? t('sale.announceDue', { due: format.money(totals.dueCents) })
      : t('sale.announceTotal', { total: format.money(totals.totalCents) })
  const line = changedLine(before, after)
  if (line) {
    const amountCents = amountOfLine(after, line)
    return [
      ({ t, format }) =>
        t('sale.announceLine', {
          name: format.text(line.name),
          count: line.quantity,
          amount: format.money(amountCents),
        }),
      owed,
    ]
  }
  // Miles are told with their outcome.
  const paid = tenders.slice(before?.tenders.length ?? tenders.length).filter(({ kind }) => kind !== 'miles')
  if (paid.length > 0)
    return [
      ...paid.map(
        (tender): Saying =>
          ({ t, format }) =>
            t('tender.announce', { kind: t(`tender.kind.${tender.kind}`), amount: format.money(tender.amountCents) }),
      ),
      owed,
    ]
  const moved =
    before !== null && (before.totals.totalCents !== totals.totalCents || before.totals.dueCents !== totals.dueCents)
  return moved && !outcomeSaid ? [owed] : []
}
