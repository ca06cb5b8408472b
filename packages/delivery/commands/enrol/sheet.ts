import { correction, generate } from 'lean-qr'
import { toSvgSource } from 'lean-qr/extras/svg'
import { createTranslator } from 'use-intl/core'
import { formatCode, formatTicket, shortFingerprint } from '../../../../contracts/operations/enrolment-code.ts'
import { CATALOGS } from '../../../../contracts/i18n/catalogs.ts'
import { FIRST_LOCALE, LOCALES } from '../../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../../contracts/core/locales.ts'
import type { IssuedCode } from '../../../store-server/enrolment/issue.ts'
import type { makePins } from './secrets.ts'
import type { Store } from './stores.ts'
import { readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { writeWhole } from '../../whole-file.ts'

export interface SheetOptions {
  readonly store: Store
  readonly onlyLane: string | null
  readonly locale: Locale
  readonly service: string
  /** SHA-256 of the certificate that lanes pin; null if a public authority signed the server's certificate. */
  readonly fingerprint: string | null
  readonly withPins: boolean
}

export interface Sheet {
  readonly locale: Locale
  readonly title: string
  readonly body: readonly string[]
}

export function laneSheet(codes: readonly IssuedCode[], options: SheetOptions): Sheet {
  const translate = translatorIn(options.locale)
  const title = translate('title', { store: storeName(options.store) })
  const cards = codes.map((code) => card(code, options))
  return {
    locale: options.locale,
    title,
    body: [`<h1>${text(title)}</h1>`, `<p>${text(translate('intro'))}</p>`, ...cards],
  }
}

export function pinSheet(pins: ReturnType<typeof makePins>, { store, onlyLane, locale }: SheetOptions): Sheet {
  const translate = translatorIn(locale)
  const where = onlyLane === null ? [] : [translate('lane', { lane: onlyLane })]
  const title = translate('pinsTitle', { store: [storeName(store), ...where].join(', ') })
  const rows = store.staff.flatMap(({ id, name, role }) => {
    const pin = pins.find(({ staff }) => staff === id)?.pin
    return pin === undefined
      ? []
      : [`<tr><td>${text(name)}</td><td>${text(translate(`roles.${role}`))}</td><td class="code">${pin}</td></tr>`]
  })
  const head = (['person', 'role', 'pin'] as const).map((column) => `<th>${text(translate(column))}</th>`).join('')
  const body = [
    `<h1>${text(title)}</h1>`,
    `<p>${text(translate('pinsIntro'))} ${text(translate('pinsUse'))}</p>`,
    `<table><tr>${head}</tr>`,
    ...rows,
    '</table>',
  ]
  return { locale, title, body }
}

export const sheetFile = ({ locale, title, body }: Sheet): string => page(locale, title, body)

export const printFile = (sheets: readonly Sheet[], title: string): string =>
  page(
    FIRST_LOCALE,
    title,
    sheets.map(({ locale, body }) => `<section class="sheet" lang="${locale}">${body.join('\n')}</section>`),
  )

const translatorIn = (locale: Locale) =>
  createTranslator({ locale, messages: CATALOGS[locale], namespace: 'enrolmentSheet' })

const storeName = ({ store }: Store): string => `${store.id} – ${store.name}`

function card(
  { lane, code, expiresAt }: IssuedCode,
  { store, locale, service, fingerprint, withPins }: SheetOptions,
): string {
  const translate = translatorIn(locale)
  const time = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: store.timeZone })
  const typed = [
    [translate('service'), service.replace(/^https:\/\//, '')],
    [translate('code'), formatCode(code)],
    ...(fingerprint === null ? [] : [[translate('check'), shortFingerprint(fingerprint)]]),
  ]
  return [
    '<section class="card">',
    `<h2>${text(translate('lane', { lane }))}<span>${text(storeName(store))}</span></h2>`,
    '<div class="what"><ol>',
    `<li>${text(translate('step1'))}</li>`,
    `<li>${text(translate('step2'))}<dl>`,
    ...typed.map(([name = '', value = '']) => `<dt>${text(name)}</dt><dd class="code">${text(value)}</dd>`),
    `</dl></li><li>${text(translate(withPins ? 'step3' : 'step3ByHand'))}</li></ol>`,
    `<p class="until">${text(translate('expires', { time: time.format(expiresAt) }))}</p></div>`,
    `<div class="qr">${qr(formatTicket({ service, code, certificate: fingerprint }))}</div>`,
    '</section>',
  ].join('\n')
}

/** The QR code has error correction level M, so that it is readable on folded paper. */
const qr = (held: string): string =>
  toSvgSource(generate(held, { minCorrectionLevel: correction.M }), { on: '#000', scale: 1 })

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const text = (value: string): string => value.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '')

const STYLE = `
@page { size: letter; margin: 0.6in; }
* { box-sizing: border-box; }
body { font: 11pt/1.3 system-ui, sans-serif; color: #000; background: #fff; margin: 0 auto; max-width: 7.3in; }
.sheet { break-before: page; }
.sheet:first-of-type { break-before: auto; }
h1 { font-size: 17pt; margin: 0.2in 0 0.05in; }
h2 { font-size: 15pt; margin: 0; grid-column: 1 / -1; display: flex; justify-content: space-between; }
h2 span { font-size: 10pt; font-weight: normal; align-self: end; }
.card { display: grid; grid-template-columns: 1fr 1.75in; gap: 0.1in 0.25in; margin-top: 0.15in; padding: 0.15in 0.18in;
  border: 1.5pt solid #000; border-radius: 6pt; break-inside: avoid; }
ol { margin: 0; padding-left: 0.25in; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 0.02in 0.15in; margin: 0.05in 0; align-items: baseline; }
dt { font-size: 9.5pt; }
dd { margin: 0; }
.code { font: 600 13pt/1.35 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.until { margin: 0.06in 0 0; font-size: 9.5pt; }
.qr svg { width: 1.75in; height: 1.75in; display: block; shape-rendering: crispEdges; }
table { border-collapse: collapse; width: 100%; margin-top: 0.15in; }
th, td { text-align: left; padding: 0.07in 0.1in; border-bottom: 0.75pt solid #999; }
tr { break-inside: avoid; }
`

const page = (locale: Locale, title: string, body: readonly string[]): string =>
  [
    `<!doctype html><html lang="${locale}"><head><meta charset="utf-8"><title>${text(title)}</title>`,
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<style>${STYLE}</style></head><body>`,
    ...body,
    '</body></html>',
    '',
  ].join('\n')

export interface SheetsToWrite extends Pick<SheetOptions, 'onlyLane' | 'service' | 'fingerprint'> {
  readonly out: string
  readonly stores: readonly Store[]
  readonly pins: ReadonlyMap<string, ReturnType<typeof makePins>>
}

/**
 * Names of the print files: one has all stores' enrolment cards, the other all stores' PINs. Each store begins a page
 * and is in its language.
 */
const PRINT_FILES = { lanes: '_print-all.html', pins: '_print-all-pins.html' } as const

interface NamedSheet {
  readonly file: string
  readonly kind: keyof typeof PRINT_FILES
  readonly sheet: Sheet
}

export function writeSheets(issued: readonly IssuedCode[], toWrite: SheetsToWrite): string[] {
  const { out, stores } = toWrite
  const written: string[] = []
  const write = (file: string, text: string): void => {
    writeWhole(path.join(out, file), text)
    written.push(file)
  }
  const toPrint: NamedSheet[] = []
  for (const store of stores) {
    const own = issued.filter((code) => code.store === store.store.id)
    for (const locale of LOCALES) {
      const sheets = sheetsOf(store, own, locale, toWrite)
      for (const { file, sheet } of sheets) write(file, sheetFile(sheet))
      if (locale === store.locales.default) toPrint.push(...sheets)
    }
  }
  if (stores.length === 1) return written
  for (const [kind, file] of Object.entries(PRINT_FILES)) {
    const sheets = toPrint.filter((one) => one.kind === kind).map(({ sheet }) => sheet)
    if (sheets.length > 0) write(file, printFile(sheets, file))
  }
  return written
}

function sheetsOf(store: Store, own: readonly IssuedCode[], locale: Locale, toWrite: SheetsToWrite): NamedSheet[] {
  const { stores: _stores, out: _out, pins, ...more } = toWrite
  const people = pins.get(store.store.id) ?? []
  const name = more.onlyLane === null ? store.store.id : `${store.store.id}-${more.onlyLane}`
  const options = { ...more, store, locale, withPins: people.length > 0 }
  return [
    { file: `${name}.${locale}.html`, kind: 'lanes', sheet: laneSheet(own, options) },
    ...(people.length > 0
      ? [{ file: `${name}-pins.${locale}.html`, kind: 'pins', sheet: pinSheet(people, options) } as const]
      : []),
  ]
}

/**
 * File name of a sheet: the store id, the lane number if the sheet is of a single lane, `-pins` if it is a sheet of
 * PINs, and the language.
 */
const SHEET = /^(.+?)(?:-(\d{2}))?(?:-pins)?\.[a-z]{2}-[A-Z]{2}\.html$/

function olderSheets(
  { out, stores }: SheetsToWrite,
  written: readonly string[],
): { file: string; lane: string | null }[] {
  const ids = new Set(stores.map(({ store }) => store.id))
  return readdirSync(out).flatMap((file) => {
    if (Object.values<string>(PRINT_FILES).includes(file)) return written.includes(file) ? [] : [{ file, lane: null }]
    const [, store = '', lane = null] = SHEET.exec(file) ?? []
    return ids.has(store) && !written.includes(file) ? [{ file, lane }] : []
  })
}

/**
 * Removes older sheets whose codes and PINs are all revoked, so that they are not distributed. Returns the older sheets
 * that remain because they also have codes of other lanes; they are invalid for the lanes of the new sheets.
 */
export function removeObsolete(toWrite: SheetsToWrite, written: readonly string[]): string[] {
  const { onlyLane, out } = toWrite
  const older = olderSheets(toWrite, written)
  const isObsolete = (lane: string | null): boolean => onlyLane === null || lane === onlyLane
  for (const { file, lane } of older) if (isObsolete(lane)) rmSync(path.join(out, file), { force: true })
  return older.flatMap(({ file, lane }) => (isObsolete(lane) || lane !== null ? [] : [file]))
}

export function removeSheets(out: string, written: readonly string[]): void {
  for (const file of written) rmSync(path.join(out, file), { force: true })
}
