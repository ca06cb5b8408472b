import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A printed document with what a customer reads on it. Money is in cents. */
export type PrintedDocument = { readonly lane: string; readonly isCopy: boolean } & (
  | { readonly kind: 'sale'; readonly id: string; readonly totalCents: number }
  | { readonly kind: 'return'; readonly id: string; readonly ofSale: string | null; readonly totalCents: number }
  | { readonly kind: 'voucher'; readonly code: string; readonly valueCents: number }
  | {
      readonly kind: 'z'
      readonly number: number
      readonly sales: Sums
      readonly returns: Sums
    }
  | { readonly kind: 'other' }
)
export interface Sums {
  readonly count: number
  readonly totalCents: number
}

const AMOUNT = String.raw`(-?)\$([\d,]+)\.(\d\d)`
const centsOf = ([, sign, dollars = '', rest = '']: RegExpExecArray | []): number | null =>
  dollars === '' ? null : (sign === '-' ? -1 : 1) * (Number(dollars.replaceAll(',', '')) * 100 + Number(rest))
const amountAfter = (text: string, label: string): number | null =>
  centsOf(new RegExp(`^${label}\\s+${AMOUNT}$`, 'm').exec(text) ?? [])

export function parseDocument(lane: string, text: string): PrintedDocument {
  const isCopy = /^\s*COPY \d+\s*$/m.test(text)
  const code = /^\[(?:Code 128|QR): ([A-Z0-9-]+)\]$/m.exec(text)?.[1] ?? null
  const hasHeading = (heading: string): boolean => new RegExp(`^\\s+${heading}\\s*$`, 'm').test(text)
  const of = { lane, isCopy }
  if (hasHeading('Z REPORT')) return { ...of, ...zOf(text) }
  const returned = amountAfter(text, 'RETURNED')
  if (hasHeading('RETURN') && returned !== null && code !== null)
    return { ...of, kind: 'return', id: code, ofSale: /from sale (\w+)/.exec(text)?.[1] ?? null, totalCents: returned }
  const value = amountAfter(text, 'Value')
  if (value !== null && code !== null) return { ...of, kind: 'voucher', code, valueCents: value }
  const total = amountAfter(text, 'TOTAL')
  if (total !== null && code !== null) return { ...of, kind: 'sale', id: code, totalCents: total }
  return { ...of, kind: 'other' }
}

function zOf(text: string) {
  const [beforeReturns = '', afterReturns = ''] = text.split(/^Returns \([\d,]+\)$/m)
  const count = (label: string): number =>
    Number(new RegExp(`^${label} \\(([\\d,]+)\\)$`, 'm').exec(text)?.[1]?.replaceAll(',', ''))
  const sums = (label: string, part: string): Sums => ({
    count: count(label),
    totalCents: amountAfter(part, 'TOTAL') ?? Number.NaN,
  })
  return {
    kind: 'z' as const,
    number: Number(/^\s+Z (\d+)\s*$/m.exec(text)?.[1]),
    sales: sums('Sales', beforeReturns),
    returns: sums('Returns', afterReturns),
  }
}

export function readDocuments(lane: string, folder: string): PrintedDocument[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .toSorted()
    .map((name) => parseDocument(lane, readFileSync(join(folder, name), 'utf8')))
}
