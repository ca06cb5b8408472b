import { readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { LOCALES } from '../../contracts/i18n/languages.ts'
import type { Locale } from '../../contracts/locales.ts'
import { writeWhole } from '../../delivery/whole-file.ts'
import type { IssuedCode } from '../../store-server/enrolment/issue.ts'
import type { makePins } from './pins.ts'
import { laneSheet, pinSheet, printFile, sheetFile, type Sheet, type SheetOptions } from './sheet.ts'
import type { Store } from './stores.ts'

export interface SheetsToWrite extends Pick<SheetOptions, 'onlyLane' | 'service' | 'fingerprint'> {
  readonly out: string
  readonly stores: readonly Store[]
  /** By store; empty where no PINs are made. */
  readonly pins: ReadonlyMap<string, ReturnType<typeof makePins>>
}

/** Files to print all stores' cards and all their PINs by, each store on pages of its own in its own language. */
const PRINT_FILES = { lanes: '_print-all.html', pins: '_print-all-pins.html' } as const

interface NamedSheet {
  readonly file: string
  readonly kind: keyof typeof PRINT_FILES
  readonly sheet: Sheet
}

/** Writes the sheets of every store in every language, and of several stores one file to print; returns the names. */
export function writeSheets(issued: readonly IssuedCode[], order: SheetsToWrite): string[] {
  const { out, stores } = order
  const written: string[] = []
  const write = (file: string, text: string): void => {
    writeWhole(path.join(out, file), text)
    written.push(file)
  }
  const toPrint: NamedSheet[] = []
  for (const store of stores) {
    const own = issued.filter((code) => code.store === store.store.id)
    for (const locale of LOCALES) {
      const sheets = sheetsOf(store, own, locale, order)
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

function sheetsOf(store: Store, own: readonly IssuedCode[], locale: Locale, order: SheetsToWrite): NamedSheet[] {
  const { stores: _stores, out: _out, pins, ...more } = order
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

/** The store, a lane alone, PINs, the language. */
const SHEET = /^(.+?)(?:-(\d{2}))?(?:-pins)?\.[a-z]{2}-[A-Z]{2}\.html$/

/** Sheets of the same stores that lie there from before. */
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
 * Takes away the older sheets whose codes and PINs all end with these: beside the new ones they would be handed out.
 * Answers those that stay, since other lanes' codes are on them too: for the lanes of the new sheets they are waste.
 */
export function removeWaste(order: SheetsToWrite, written: readonly string[]): string[] {
  const { onlyLane, out } = order
  const older = olderSheets(order, written)
  const isWaste = (lane: string | null): boolean => onlyLane === null || lane === onlyLane
  for (const { file, lane } of older) if (isWaste(lane)) rmSync(path.join(out, file), { force: true })
  return older.flatMap(({ file, lane }) => (isWaste(lane) || lane !== null ? [] : [file]))
}

/** Of codes that were not made after all: handed out they would only be refused. */
export function takeBack(out: string, written: readonly string[]): void {
  for (const file of written) rmSync(path.join(out, file), { force: true })
}
