import { ACTIVITY_TYPES, type HistoryOrder, colourOfSponsor } from '../../../contracts/loyalty/kinds.ts'
import type { MemberTransaction } from '../../../contracts/loyalty/member.ts'
import { type Activity, MOST_SORTS, momentOf } from '../../../contracts/central/history.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { SponsorSettings } from '../../../contracts/core/profile.ts'
import type { HistoryQuery } from '../services/history.ts'
import { isoOf } from '../../core/clock.ts'
import { shortened } from '../../core/masking.ts'
import type { ReceiptBlock, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { type Paper, type ReceiptWords, paperOf, receiptWords } from '../../core/paper/layout.ts'
import { type DocumentFacts, top } from '../../core/paper/document.ts'

/** Some lines of a paper: a text without an end is none of a transaction. */
const MOST_WORDS = 160

/** The service has its words in English and in French; other languages of the lane read the English ones. */
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

/** The sorts of the service: what is equal by those that were asked for stands newest first, where there is room. */
export function sortsOf(orders: readonly HistoryOrder[], locale: Locale): NonNullable<HistoryQuery['sort']> {
  const dated = orders.some((order) => order === 'newest' || order === 'oldest')
  return (dated ? orders : [...orders, 'newest' as const]).slice(0, MOST_SORTS).map((order) => sortOf(order, locale))
}

/**
 * A transaction as a screen and a paper may have it. What is named here is what is told: no card number, and no balance
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
    description: description && shortened(description, MOST_WORDS),
    offer: offer && shortened(offer, MOST_WORDS),
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

/** The words of this language, else those of the other. */
const worded = (english: string | undefined, french: string | undefined, locale: Locale): string | null =>
  isFrench(locale) ? (filled(french) ?? filled(english)) : (filled(english) ?? filled(french))

/**
 * `transactionDescription` is of no language that the specification names. Where it repeats the offer's words of either
 * language, the offer's of this one stand for it.
 */
function descriptionOf(
  { transactionDescription, offerDescriptionEnglish: english, offerDescriptionFrench: french }: Activity,
  locale: Locale,
): Pick<MemberTransaction, 'description' | 'offer'> {
  const own = filled(transactionDescription)
  const offer = worded(english, french, locale)
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
  const told = worded(sponsorDescriptionEnglish, sponsorDescriptionFrench, locale)
  const name = settings?.name?.[locale] ?? told ?? code
  return name === null
    ? null
    : { name: shortened(name, MOST_WORDS), colour: settings?.colour ?? colourOfSponsor(code ?? name) }
}

export interface HistoryPaperFacts extends DocumentFacts {
  readonly columns: number
  readonly transactions: readonly MemberTransaction[]
}

/**
 * The last transactions of a member, for the member. It names nobody and has no balance (specification 3 §4.5 rule 4);
 * it has no barcode, since nothing can be found by it.
 */
export function composeHistory(facts: HistoryPaperFacts): ReceiptDocument {
  const words = receiptWords(facts.locale)
  const paper = paperOf(facts.columns)
  const { say } = words
  return {
    locale: facts.locale,
    title: say('history-title'),
    blocks: [
      ...top('history-heading', facts, words, paper),
      ...facts.transactions.flatMap((transaction) => [
        { kind: 'rule' } as const,
        ...rowsOf(transaction, facts, words, paper),
      ]),
      { kind: 'rule' },
      ...paper.text(say('history-hint'), 'center'),
    ],
  }
}

function rowsOf(
  { at, description, offer, activity, sponsor, miles }: MemberTransaction,
  { profile }: HistoryPaperFacts,
  words: ReceiptWords,
  paper: Paper,
): ReceiptBlock[] {
  const { say } = words
  const what = activity === null ? null : say(`history-activity-${activity}`)
  return [
    ...paper.row(
      at === null ? say('history-no-date') : words.dateTime(Date.parse(at), profile.timeZone),
      miles === null ? '' : words.miles(miles),
      { bold: true },
    ),
    ...[sponsor?.name, description ?? what, offer, description === null ? null : what].flatMap((text) =>
      text ? paper.text(text, 'left') : [],
    ),
  ]
}
