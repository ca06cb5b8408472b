import type { Offer } from '../../../contracts/central/offers.ts'
import { writtenDate } from '../../../contracts/i18n/written-date.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { lastDayOf } from '../../../contracts/loyalty/kinds.ts'
import { receiptTexts, wrap } from '../../core/paper/layout.ts'
import { ADVANCE, type Page, type Shape } from '../../core/paper/page.ts'
import { pdfOfPages } from '../../core/paper/pdf.ts'
import { printableText } from '../../../contracts/core/printable-text.ts'

export interface ShelfCardPlace {
  readonly storeName: string
  readonly training: boolean
}

/** Size of the page in points: half a Letter sheet in landscape, for the office printers of Canada. */
const CARD = { width: 612, height: 396 }
const MARGIN = 30
const CONTENT = CARD.width - MARGIN * 2
const LEADING = 1.2
const HEAD = { partner: 16, category: 11, height: 32 }
const FOOT = { size: 7, height: 14 }
const LEGAL = 7.5
const GAP = 10
const ACROSS_GAP = 2
/** Font sizes of the award, the largest first, before they are multiplied by one of `SCALES`. */
const AWARD = [66, 56, 48, 42, 36, 30, 26, 22, 18]
const QUALIFIER = [26, 22, 19, 16, 13]
const MAX_LINES = { award: 2, qualifier: 3 }
const LEVEL = 14
const NOTE = 14
const LEAST_LEGAL = 8
const SCALES = [1, 0.9, 0.8, 0.7, 0.6, 0.5]

/**
 * Composes shelf cards, one page for each language: award, conditions and dates. Conditions are never shortened; they
 * continue on another page. The output is byte-identical for the same offer.
 */
export function shelfCardPdf(
  copies: readonly { readonly locale: Locale; readonly offer: Offer }[],
  place: ShelfCardPlace,
): Buffer {
  const title = [copies[0]?.offer.partnerLabel, copies[0]?.offer.awardShort].join(' · ')
  return pdfOfPages(
    copies.flatMap(({ locale, offer }) => shelfCardPages(offer, locale, place)),
    { title: printableText(title) },
  )
}

interface Line {
  readonly section: 'award' | 'qualifier' | 'level' | 'note'
  readonly size: number
  readonly bold: boolean
  readonly text: string | readonly [left: string, right: string]
}

export function shelfCardPages(offer: Offer, locale: Locale, place: ShelfCardPlace): Page[] {
  const legal = paragraphs(offer.legalText ?? '').flatMap((text) => wrap(text, columnsAt(LEGAL)))
  const legalHeight = legal.length * LEGAL * LEADING
  const room = CARD.height - MARGIN * 2 - HEAD.height - FOOT.height
  const bodies = SCALES.map((scale) => bodyOf(offer, locale, scale))
  const within = (height: number) => bodies.find((body) => heightOf(body) + GAP + height <= room)
  // Reserve only a few lines for long conditions: they continue on the next page, and the other text need not shrink.
  const body = within(legalHeight) ?? within(LEAST_LEGAL * LEGAL * LEADING) ?? bodies.at(-1) ?? []
  const linesBelow = Math.max(0, Math.floor((room - heightOf(body) - GAP) / LEGAL / LEADING))
  const first = legal.slice(0, linesBelow)
  const top = MARGIN + HEAD.height
  const spare = room - heightOf(body) - GAP - first.length * LEGAL * LEADING
  const card: Shape[] = [
    ...headOf(offer),
    ...drawn(body, top + Math.max(0, spare) / 2),
    ...legalOf(first, CARD.height - MARGIN - FOOT.height - first.length * LEGAL * LEADING),
    ...footOf(offer, locale, place),
  ]
  const each = Math.floor(room / LEGAL / LEADING)
  const more = Array.from({ length: Math.ceil((legal.length - first.length) / each) }, (_, index) =>
    legal.slice(first.length + index * each, first.length + (index + 1) * each),
  )
  return [
    card,
    ...more.map((lines) => [...headOf(offer), ...legalOf(lines, top), ...footOf(offer, locale, place)]),
  ].map((shapes) => ({ ...CARD, shapes }))
}

const columnsAt = (size: number): number => Math.floor(CONTENT / size / ADVANCE)
const widthOf = (text: string, size: number): number => [...text].length * size * ADVANCE
const paragraphs = (text: string): string[] =>
  text
    .split(/[\r\n]+/)
    .map((line) => printableText(line).trim())
    .filter((line) => line !== '')

function fitted(text: string, sizes: readonly number[], maxLines: number): { size: number; lines: string[] } {
  const words = printableText(text).trim()
  const longest = Math.max(...words.split(' ').map((word) => [...word].length))
  const smallest = sizes.at(-1) ?? NOTE
  const size =
    sizes.find((one) => longest <= columnsAt(one) && wrap(words, columnsAt(one)).length <= maxLines) ?? smallest
  return { size, lines: wrap(words, columnsAt(size)) }
}

function bodyOf(offer: Offer, locale: Locale, scale: number): Line[] {
  const scaled = (sizes: readonly number[]): number[] => sizes.map((size) => size * scale)
  const award = fitted(offer.awardShort, scaled(AWARD), MAX_LINES.award)
  const qualifier = fitted(offer.qualifierShort, scaled(QUALIFIER), MAX_LINES.qualifier)
  const notes = notesOf(offer, locale).flatMap((note) => wrap(note, columnsAt(NOTE * scale)))
  return [
    ...award.lines.map((text) => ({ section: 'award' as const, text, size: award.size, bold: true })),
    ...qualifier.lines.map((text) => ({ section: 'qualifier' as const, text, size: qualifier.size, bold: false })),
    ...levelsOf(offer, LEVEL * scale),
    ...notes.map((text) => ({ section: 'note' as const, text, size: NOTE * scale, bold: true })),
  ]
}

function levelsOf({ tiers }: Offer, size: number): Line[] {
  if (tiers.length < 2) return []
  const level = { section: 'level', size } as const
  return tiers.flatMap(({ awardLong, qualifierLong }): Line[] => {
    const award = printableText(awardLong)
    const columns = columnsAt(size)
    const leftColumns = columns - [...award].length - ACROSS_GAP
    if (leftColumns < columns / 2)
      return [
        ...wrap(printableText(qualifierLong), columns).map((text) => ({
          ...level,
          text: [text, ''] as const,
          bold: false,
        })),
        ...wrap(award, columns).map((text) => ({ ...level, text: ['', text] as const, bold: true })),
      ]
    return wrap(printableText(qualifierLong), leftColumns).map((text, index) => ({
      ...level,
      text: [text, index === 0 ? award : ''] as const,
      bold: false,
    }))
  })
}

function notesOf({ startDate, endDate, mechanisms }: Offer, locale: Locale): string[] {
  const { t } = receiptTexts(locale)
  const form = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
  const day = (date: string): string => writtenDate(form, new Date(`${date.slice(0, 10)}T00:00:00Z`), locale)
  return [
    t('shelf-dates', { from: day(startDate), until: day(lastDayOf(endDate)) }),
    ...mechanisms.flatMap(({ mechanismType, mechanismValue }) => {
      if (mechanismType === 'optIn') return [t('shelf-opt-in')]
      return mechanismType === 'couponCode' && mechanismValue !== undefined
        ? [t('shelf-code', { code: mechanismValue })]
        : []
    }),
  ].map(printableText)
}

const gapAfter = (lines: readonly Line[], index: number): number => {
  const next = lines[index + 1]
  return next === undefined || next.section === lines[index]?.section ? 0 : GAP
}
const heightOf = (lines: readonly Line[]): number =>
  lines.reduce((sum, { size }, index) => sum + size * LEADING + gapAfter(lines, index), 0)

const text = (words: string, x: number, y: number, size: number, bold: boolean): Shape => ({
  kind: 'text',
  x,
  y,
  width: widthOf(words, size),
  text: words,
  size,
  bold,
})

function drawn(lines: readonly Line[], top: number): Shape[] {
  let y = top
  return lines.flatMap(({ text: words, size, bold }, index) => {
    const baseline = y + size
    y += size * LEADING + gapAfter(lines, index)
    if (typeof words === 'string')
      return [text(words, MARGIN + (CONTENT - widthOf(words, size)) / 2, baseline, size, bold)]
    const [left, right] = words
    return [
      ...(left === '' ? [] : [text(left, MARGIN, baseline, size, false)]),
      ...(right === '' ? [] : [text(right, MARGIN + CONTENT - widthOf(right, size), baseline, size, true)]),
    ]
  })
}

const legalOf = (lines: readonly string[], top: number): Shape[] =>
  lines.map((line, index) => text(line, MARGIN, top + index * LEGAL * LEADING + LEGAL, LEGAL, false))

function headOf({ partnerLabel, categoryLabel = '' }: Offer): Shape[] {
  const partner = printableText(partnerLabel)
  const [name = ''] = wrap(partner, columnsAt(HEAD.partner))
  const room = Math.floor((CONTENT - widthOf(name, HEAD.partner)) / HEAD.category / ADVANCE) - ACROSS_GAP
  const category = printableText(categoryLabel)
  const y = MARGIN + HEAD.partner
  return [
    text(name, MARGIN, y, HEAD.partner, true),
    ...(category !== '' && [...category].length <= room
      ? [text(category, MARGIN + CONTENT - widthOf(category, HEAD.category), y, HEAD.category, false)]
      : []),
    { kind: 'rule', x: MARGIN, y: MARGIN + HEAD.height - GAP / 2, width: CONTENT },
  ]
}

function footOf({ id }: Offer, locale: Locale, { storeName, training }: ShelfCardPlace): Shape[] {
  const { t } = receiptTexts(locale)
  const y = CARD.height - MARGIN
  const whose = printableText([...(training ? [t('training')] : []), storeName].join(' · '))
  const room = columnsAt(FOOT.size) - id.length - ACROSS_GAP
  return [
    text([...whose].slice(0, room).join(''), MARGIN, y, FOOT.size, training),
    text(id, MARGIN + CONTENT - widthOf(id, FOOT.size), y, FOOT.size, false),
  ]
}
