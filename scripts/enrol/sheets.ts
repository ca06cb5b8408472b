import { readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { LOCALES } from '../../contracts/i18n/languages.ts'
import { writeWhole } from '../../delivery/whole-file.ts'
import type { IssuedCode } from '../../store-server/enrolment/issue.ts'
import type { makePins } from './pins.ts'
import { laneSheet, pinSheet, type SheetOptions } from './sheet.ts'
import type { Store } from './stores.ts'

export interface SheetsToWrite extends Pick<SheetOptions, 'onlyLane' | 'service' | 'fingerprint'> {
  readonly out: string
  readonly stores: readonly Store[]
  /** By store; empty where no PINs are made. */
  readonly pins: ReadonlyMap<string, ReturnType<typeof makePins>>
}

/** Writes the sheets of every store in every language; answers their names. */
export function writeSheets(issued: readonly IssuedCode[], order: SheetsToWrite): string[] {
  const { out, stores, pins, ...more } = order
  return stores.flatMap((store) => {
    const own = issued.filter((code) => code.store === store.store.id)
    const people = pins.get(store.store.id) ?? []
    const name = more.onlyLane === null ? store.store.id : `${store.store.id}-${more.onlyLane}`
    return LOCALES.flatMap((locale) => {
      const options = { ...more, store, locale, withPins: people.length > 0 }
      const sheets = [
        [`${name}.${locale}.html`, laneSheet(own, options)],
        ...(people.length > 0 ? [[`${name}-pins.${locale}.html`, pinSheet(people, options)]] : []),
      ]
      for (const [file = '', text = ''] of sheets) writeWhole(path.join(out, file), text)
      return sheets.map(([file = '']) => file)
    })
  })
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
