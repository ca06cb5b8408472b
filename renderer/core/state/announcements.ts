import type { Sale } from '../../../contracts/sales/sales.ts'
import { giveBackOf, refundText } from '../../payments/tender/give-back.ts'
import { amountOfLine, changedLine, outcomeOf } from '../../sales/sale.ts'
import { announce, type LazyText } from './notices.ts'

/** Screen-reader text of a change: lines and totals are polite, an outcome is assertive. */
export interface Announcement {
  readonly text: LazyText
  readonly urgency: 'polite' | 'assertive'
}

/** Announces a change of a sale once, whether an answer or an event reported it. */
export function announceChange(before: Sale | null, after: Sale): void {
  for (const { text, urgency } of announcementsOf(before, after)) announce(text, urgency)
}

/**
 * Screen-reader texts for a change, at most one per urgency, because a later text would replace an unread one. Amounts
 * are those on the screen.
 */
export function announcementsOf(before: Sale | null, after: Sale): Announcement[] {
  if (after.state === 'cancelled')
    return before?.state === 'open'
      ? [{ text: cancelled(after), urgency: 'assertive' }]
      : reversalAnnouncements(before, after)
  const done = after.state === 'completed' && before?.state === 'open'
  const outcomes = [...redemptionTexts(before, after), ...(done ? [completed(after)] : [])]
  const announced: Announcement[] = outcomes.length > 0 ? [{ text: inSequence(outcomes), urgency: 'assertive' }] : []
  if (after.state !== 'open') return announced
  const news = [...memberTexts(before, after), ...basketTexts(before, after, outcomes.length > 0)]
  return news.length > 0 ? [...announced, { text: inSequence(news), urgency: 'polite' }] : announced
}

const inSequence =
  (texts: readonly LazyText[]): LazyText =>
  (i18n) =>
    texts.map((text) => text(i18n)).join(' ')

/** For a sale that was cancelled before, announces only a new state of its reversal, e.g. that miles were returned. */
function reversalAnnouncements(before: Sale | null, after: Sale): Announcement[] {
  if (before === null) return []
  return redemptionTexts(before, after).map((text) => ({ text, urgency: 'assertive' }))
}

function redemptionTexts(before: Sale | null, { redemption, totals }: Sale): LazyText[] {
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

function completed({ tenders }: Sale): LazyText {
  const change = tenders.reduce((sum, tender) => sum + tender.changeCents, 0)
  return ({ t, format }) =>
    change > 0 ? t('after.announce', { change: format.money(change) }) : t('after.announceNoChange')
}

function cancelled(sale: Sale): LazyText {
  const back = giveBackOf(sale)
  return (i18n) => {
    const { t, format } = i18n
    return [
      t('sale.cancelled'),
      ...(back.cashCents > 0 ? [t('tender.giveBackCash', { amount: format.money(back.cashCents) })] : []),
      ...back.others.map((other) => refundText(other, i18n)),
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

function memberTexts(before: Sale | null, { member }: Sale): LazyText[] {
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

function basketTexts(before: Sale | null, after: Sale, outcomeAnnounced: boolean): LazyText[] {
  const { totals, tenders } = after
  const amountDue: LazyText = ({ t, format }) =>
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
      amountDue,
    ]
  }
  // A payment in miles is announced with the outcome of its redemption.
  const paid = tenders.slice(before?.tenders.length ?? tenders.length).filter(({ kind }) => kind !== 'miles')
  if (paid.length > 0)
    return [
      ...paid.map(
        (tender): LazyText =>
          ({ t, format }) =>
            t('tender.announce', { kind: t(`tender.kind.${tender.kind}`), amount: format.money(tender.amountCents) }),
      ),
      amountDue,
    ]
  const moved =
    before !== null && (before.totals.totalCents !== totals.totalCents || before.totals.dueCents !== totals.dueCents)
  return moved && !outcomeAnnounced ? [amountDue] : []
}
