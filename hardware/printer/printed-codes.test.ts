import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PrinterLanguage } from '../../contracts/core/profile.ts'
import type { ReceiptBlock } from '../../contracts/core/receipt.ts'
import { code128 } from '../../contracts/core/symbols/barcodes.ts'
import { qr } from '../../contracts/core/symbols/qr.ts'
import type { PaperMark } from '../virtual/printer-decoder.ts'
import { decoderOf } from '../virtual/paper-roll.ts'
import { encodeReceipt } from './encode.ts'

const ZBAR = '/usr/bin/zbarimg'
const cannotRead = !existsSync(ZBAR)

const COLUMN = 12
const BAR = 2
const SQUARE = 4
const VOUCHER = 'MWMWMWMWMWMWMWMWM'
const EARLIER = 'ABCDEFGHJKMNPQRTABQE'
const WIDEST_SALE = 'A1B201000000423K7Q'

const bytesOf = (data: string, columns: 32 | 42 | 48, language: PrinterLanguage): Buffer => {
  const block: ReceiptBlock = { kind: 'barcode', symbology: 'code128', data }
  return Buffer.from(
    encodeReceipt({ locale: 'en-CA', title: '', blocks: [block] }, { language, columns, openDrawer: false, logo: null })
      .bytes,
  )
}

function marksOf(data: string, columns: 32 | 42 | 48, language: PrinterLanguage): PaperMark[] {
  const decoder = decoderOf(language)
  decoder.push(bytesOf(data, columns, language))
  const marks: PaperMark[] = []
  for (let mark = decoder.next(); mark !== null; mark = decoder.next()) marks.push(mark)
  return marks.filter(({ kind }) => kind === 'barcode' || kind === 'qr')
}

function paperOf(mark: PaperMark, columns: 32 | 42 | 48): boolean[][] {
  const dots = columns * COLUMN
  if (mark.kind === 'qr') {
    const modules = qr(mark.text) ?? []
    const left = Math.floor((dots - modules.length * SQUARE) / 2)
    return Array.from({ length: (modules.length + 8) * SQUARE }, (_, y) =>
      Array.from(
        { length: dots },
        (_column, x) => modules[Math.floor(y / SQUARE) - 4]?.[Math.floor((x - left) / SQUARE)] === true,
      ),
    )
  }
  const { width, bars } = code128(mark.kind === 'barcode' ? mark.text : '')
  const left = Math.floor((dots - width * BAR) / 2)
  const row = Array.from({ length: dots }, (_, x) =>
    bars.some(([at, wide]) => x >= left + at * BAR && x < left + (at + wide) * BAR),
  )
  return Array.from({ length: 80 }, () => row)
}

function readSymbols(rows: readonly (readonly boolean[])[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'milepost-bars-'))
  try {
    const head = Buffer.from(`P5 ${rows[0]?.length ?? 0} ${rows.length} 255\n`)
    writeFileSync(
      join(folder, 'paper.pgm'),
      Buffer.concat([head, Buffer.from(rows.flatMap((row) => row.map((black) => (black ? 0 : 255))))]),
    )
    return execFileSync(ZBAR, ['--quiet', join(folder, 'paper.pgm')], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .trim()
      .split('\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test.each([42, 48] as const)(
  'any voucher code fits as a barcode with quiet zones on paper of %i columns',
  (columns) => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Z]{17}$/), (code) => {
        expect(marksOf(code, columns, 'esc-pos')).toEqual([{ kind: 'barcode', symbology: 'Code 128', text: code }])
        expect(code128(code).width * BAR).toBeLessThanOrEqual(columns * COLUMN)
      }),
      { numRuns: 100 },
    )
    // Checks that the printer gets the bars that this test measures: two dots per module, and letters in code set B.
    const bytes = bytesOf(VOUCHER, columns, 'esc-pos')
    expect([
      bytes.includes(Buffer.from([0x1d, 0x77, 2])),
      bytes.includes(Buffer.from([0x1d, 0x6b, 73, 19, 0x7b, 0x42])),
    ]).toEqual([true, true])
  },
)

describe.each([32, 42, 48] as const)('a code printed on paper of %i columns', (columns) => {
  test('is a barcode for the widest sale id', () => {
    expect(marksOf(WIDEST_SALE, columns, 'esc-pos')).toEqual([
      { kind: 'barcode', symbology: 'Code 128', text: WIDEST_SALE },
    ])
  })

  test.each(['esc-pos', 'star-prnt', 'star-line'] as const)(
    'is a QR code in %s if a barcode would be too wide for the paper',
    (language) => {
      const [mark] = marksOf(EARLIER, columns, language)
      expect(mark).toEqual(
        columns <= 42 ? { kind: 'qr', text: EARLIER } : { kind: 'barcode', symbology: 'Code 128', text: EARLIER },
      )
      expect(marksOf('M'.repeat(40), columns, language)).toEqual([{ kind: 'qr', text: 'M'.repeat(40) }])
    },
  )

  test.skipIf(cannotRead)(
    `is decoded from its dots by another program${cannotRead ? ' (not installed: zbarimg)' : ''}`,
    () => {
      for (const code of [VOUCHER, 'ABCDEFGHJKLMNPQRS', EARLIER]) {
        const [mark] = marksOf(code, columns, 'esc-pos')
        expect(mark && readSymbols(paperOf(mark, columns))).toEqual([
          `${mark?.kind === 'qr' ? 'QR-Code' : 'CODE-128'}:${code}`,
        ])
      }
    },
  )
})
