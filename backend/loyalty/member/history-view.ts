import { ACTIVITY_TYPES, type HistoryOrder, colourOfSponsor } from '../../../contracts/loyalty/kinds.ts'
import type { MemberTransaction } from '../../../contracts/loyalty/member.ts'
import { type Activity, MAX_SORTS, momentOf } from '../../../contracts/central/history.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { SponsorSettings } from '../../../contracts/core/profile.ts'
import type { HistoryQuery } from '../services/history.ts'
import { isoOf } from '../../core/clock.ts'
import { shortened } from '../../core/masking.ts'
import type { ReceiptBlock, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { type Paper, type ReceiptTexts, paperOf, receiptTexts } from '../../core/paper/layout.ts'
import { type DocumentFacts, top } from '../../core/paper/document.ts'

const MAX_TEXT = 160

/** French texts of the service for a French locale; for every other locale, the English ones. */
const isFrench = (locale: Locale): boolean => locale.startsWith('fr')

const sortOf = (order: HistoryOrder, locale: Locale): NonNullable<HistoryQuery['sort']>[number] => {
  switch (order) {
    case 'newest':
    case 'oldest':
      return { field: 'transactionDate', descending: order === 'newest' }
    case 'most-miles':
    case 'fewest-miles':
      return { field: 'transactionValue', descending: order === 'most-miles' }
    case 'sponsor':
      return {
        field: isFrench(locale) ? 'sponsorDescriptionFrench' : 'sponsorDescriptionEnglish',
        descending: false,
      }
  }
}

/**
 * Returns at most three sort keys for the service. If none is by date, "newest first" is added as the last one, unless
 * there are three.
 */
export function sortsOf(orders: readonly HistoryOrder[], locale: Locale): NonNullable<HistoryQuery['sort']> {
  const dated = orders.some((order) => order === 'newest' || order === 'oldest')
  return (dated ? orders : [...orders, 'newest' as const]).slice(0, MAX_SORTS).map((order) => sortOf(order, locale))
}

/**
 * Converts a transaction for screen and paper, field by field. The result contains no card number and no balance
 * (specification 3 §4.5 rule 4).
 */
export function transactionOf(
  activity: Activity,
  locale: Locale,
  sponsors: readonly SponsorSettings[],
): MemberTransaction {
  const { description, offer } = descriptionOf(activity, locale)
  return {
    at: dateOf(activity.transactionDate) ?? dateOf(activity.postingDate),
    description: description && shortened(description, MAX_TEXT),
    offer: offer && shortened(offer, MAX_TEXT),
    activity: ACTIVITY_TYPES.find((type) => type === activity.activityType?.toUpperCase()) ?? null,
    sponsor: sponsorOf(activity, locale, sponsors),
    miles: activity.transactionValue ?? null,
    cashPart: activity.cashMiles ?? null,
    dreamPart: activity.dreamMiles ?? null,
  }
}

function dateOf(text: string | undefined): string | null {
  const at = text === undefined ? Number.NaN : momentOf(text)
  return Number.isNaN(at) ? null : isoOf(at)
}

const filled = (text: string | undefined): string | null => (text === undefined || text.trim() === '' ? null : text)

const textIn = (english: string | undefined, french: string | undefined, locale: Locale): string | null =>
  isFrench(locale) ? (filled(french) ?? filled(english)) : (filled(english) ?? filled(french))

/**
 * The specification does not define the language of `transactionDescription`. If that text repeats the offer's
 * description in either language, only the offer's description in this language is used.
 */
function descriptionOf(
  { transactionDescription, offerDescriptionEnglish: english, offerDescriptionFrench: french }: Activity,
  locale: Locale,
): Pick<MemberTransaction, 'description' | 'offer'> {
  const own = filled(transactionDescription)
  const offer = textIn(english, french, locale)
  return own === null || own === english || own === french
    ? { description: offer ?? own, offer: null }
    : { description: own, offer }
}

function sponsorOf(
  { sponsorCode, sponsorDescriptionEnglish, sponsorDescriptionFrench }: Activity,
  locale: Locale,
  sponsors: readonly SponsorSettings[],
): MemberTransaction['sponsor'] {
  const code = filled(sponsorCode)
  const settings = sponsors.find((sponsor) => sponsor.code === code)
  const description = textIn(sponsorDescriptionEnglish, sponsorDescriptionFrench, locale)
  const name = settings?.name?.[locale] ?? description ?? code
  return name === null
    ? null
    : { name: shortened(name, MAX_TEXT), colour: settings?.colour ?? colourOfSponsor(code ?? name) }
}

export interface HistoryPaperFacts extends DocumentFacts {
  readonly transactions: readonly MemberTransaction[]
}

/**
 * Composes the printed list of a member's last transactions, without name, balance (specification 3 §4.5 rule 4) or
 * barcode.
 */
export function composeHistory(facts: HistoryPaperFacts): ReceiptDocument {
  const words = receiptTexts(facts.locale)
  const paper = paperOf(facts.columns)
  const { t } = words
  return {
    locale: facts.locale,
    title: t('history-title'),
    blocks: [
      ...top('history-heading', facts, words, paper),
      ...facts.transactions.flatMap((transaction) => [
        { kind: 'rule' } as const,
        ...rowsOf(transaction, facts, words, paper),
      ]),
      { kind: 'rule' },
      ...paper.text(t('history-hint'), 'center'),
    ],
  }
}

function rowsOf(
  { at, description, offer, activity, sponsor, miles }: MemberTransaction,
  { profile }: HistoryPaperFacts,
  words: ReceiptTexts,
  paper: Paper,
): ReceiptBlock[] {
  const { t } = words
  const what = activity === null ? null : t(`history-activity-${activity}`)
  return [
    ...paper.row(
      at === null ? t('history-no-date') : words.dateTime(Date.parse(at), profile.timeZone),
      miles === null ? '' : words.miles(miles),
      { bold: true },
    ),
    ...[sponsor?.name, description ?? what, offer, description === null ? null : what].flatMap((text) =>
      text ? paper.text(text, 'left') : [],
    ),
  ]
}
