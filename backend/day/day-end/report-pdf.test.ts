import { describe, expect, test } from 'vitest'
import { ReceiptView } from '../../../contracts/sales/sales.ts'
import { CurrentShift } from '../../../contracts/day/shifts.ts'
import type { ReceiptBlock } from '../../../contracts/core/receipt.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { APPLES, buy, COFFEE, DETERGENT, returnPieces, NOVEL } from '../../../packages/lab/testing/return-steps.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { textOfPdf } from '../../core/paper/pixels.fixture.ts'
import { pageOf, type Page } from '../../core/paper/page.ts'
import { sheetsOf } from '../../core/paper/sheets.ts'

const central = useCentral()

const LANGUAGES = [
  { locale: 'en-CA', copy: 'COPY', x: 'X REPORT', foot: / {2,}Page (\d) of (\d)$/, hidden: 'Cash once shifts are' },
  { locale: 'fr-CA', copy: 'COPIE', x: 'RAPPORT X', foot: / {2,}Page (\d) sur (\d)$/, hidden: 'Comptant une fois' },
] as const

const flat = (line: string): string => line.replaceAll(/\s+/g, ' ').trim()

const linesOf = (blocks: readonly ReceiptBlock[]): string[] =>
  blocks
    .flatMap((block) =>
      block.kind === 'text' ? [block.text] : block.kind === 'row' ? [`${block.left} ${block.right}`] : [],
    )
    .map(flat)

function readPdf(bytes: Buffer, foot: RegExp): { lines: string[]; sheets: number[][]; feet: string[] } {
  const lines = textOfPdf(bytes)
    .split(/[\n\f]/)
    .filter((line) => line.trim() !== '')
  const feet = lines.filter((line) => foot.test(line))
  return {
    lines: lines.filter((line) => !foot.test(line)).map(flat),
    sheets: feet.map((line) => (foot.exec(line) ?? []).slice(1).map(Number)),
    feet: feet.map(flat),
  }
}

async function aDay(locale: 'en-CA' | 'fr-CA'): Promise<TerminalHarness> {
  const here = await openTerminalHarness(central, {
    staffId: 'sam',
    taxes: [
      { code: 'GST', percent: 5 },
      { code: 'QST', percent: 9.975 },
    ],
  })
  await here.call('PUT', '/api/staff/me/locale', { locale })
  await here.call('POST', '/api/shifts', { float: { by: 'sum', cents: 100_00 } })
  const sale = await buy(here, [
    [DETERGENT, 60],
    [NOVEL, 1],
    [APPLES, 2],
  ])
  await returnPieces(here, sale, [1, 2])
  await buy(here, [[COFFEE, 1]], { cash: true })
  return here
}

async function closeDay(here: TerminalHarness): Promise<void> {
  const { shift } = CurrentShift.parse((await here.call('GET', '/api/shifts/current')).body)
  const count = { cash: { by: 'sum', cents: 120_00 }, cardSlipsCents: null, chequesCents: null }
  for (const number of [1, 2]) await here.call('POST', `/api/shifts/${shift?.id}/counts`, { number, count })
  await here.call('POST', `/api/shifts/${shift?.id}/close`, { reason: 'any', leftCents: 0 })
  expect((await here.call('POST', '/api/z-reports')).status).toBe(200)
}

describe.each(LANGUAGES)('PDF files of reports: $locale', ({ locale, copy, x: xTitle, foot, hidden }) => {
  test('contain the Z line by line as on its paper, marked as a copy, and have the same bytes each time', async () => {
    const here = await aDay(locale)
    await closeDay(here)
    const { document } = ReceiptView.parse((await here.call('GET', '/api/z-reports/1/receipt')).body)
    const file = await here.file('/api/z-reports/1/report.pdf')
    expect([file.status, file.type, file.disposition]).toEqual([
      200,
      'application/pdf',
      'attachment; filename="z-report_TRAIN-001_lane-01_1.pdf"',
    ])
    const { lines, sheets, feet } = readPdf(file.bytes, foot)
    const paper = linesOf(document.blocks)
    expect(paper.filter((line) => /^(GST|QST|TPS|TVQ) .*\d/.test(line)).length).toBe(4)
    expect(lines.filter((line) => line !== copy)).toEqual(paper)
    expect(lines.filter((line) => line === copy)).toHaveLength(1)
    expect(sheets).toEqual([
      [1, 2],
      [2, 2],
    ])
    for (const line of feet) for (const word of [copy, 'Z 1', '01']) expect(line).toContain(word)
    // Neither later prints nor the language of the reader change the file.
    await here.call('POST', '/api/z-reports/1/reprint')
    await here.call('PUT', '/api/staff/me/locale', { locale: locale === 'en-CA' ? 'fr-CA' : 'en-CA' })
    expect((await here.file('/api/z-reports/1/report.pdf')).bytes.equals(file.bytes)).toBe(true)
  })

  test('contain the X without a number and copy mark, and without cash while a drawer is open', async () => {
    const here = await aDay(locale)
    const file = await here.file('/api/x-report.pdf')
    expect([file.status, file.type]).toEqual([200, 'application/pdf'])
    expect(file.disposition).toMatch(/filename="x-report_TRAIN-001_lane-01_\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.pdf"$/)
    const { lines, feet } = readPdf(file.bytes, foot)
    const text = lines.join('\n')
    expect(lines).toContain(xTitle)
    expect(feet[0]).toContain(xTitle)
    expect(text).not.toMatch(/\bZ\b|COPY|COPIE/)
    expect(text).toContain(hidden)
    expect(text).not.toMatch(/^(Cash|Comptant) \(/m)
    await closeDay(here)
    const { document } = ReceiptView.parse((await here.call('GET', '/api/z-reports/1/receipt')).body)
    // Lines that X and Z have in common are equal: a tax, a department, the total.
    const paper = new Set(linesOf(document.blocks))
    const shared = lines.filter((line) => paper.has(line))
    expect(shared.filter((line) => /\d[.,]\d\d/.test(line)).length).toBeGreaterThan(12)
  })
})

test('the PDF files of X and Z are returned only to a manager, and the file of a Z only if the Z exists', async () => {
  const here = await openTerminalHarness(central, { staffId: 'sam' })
  for (const number of ['1', '999']) expect((await here.file(`/api/z-reports/${number}/report.pdf`)).status).toBe(404)
  const cashier = await openTerminalHarness(central)
  for (const path of ['/api/x-report.pdf', '/api/z-reports/1/report.pdf'])
    expect((await cashier.file(path)).status).toBe(403)
  await cashier.call('POST', '/api/sign-out')
  expect((await cashier.file('/api/x-report.pdf')).status).toBe(401)
})

describe('pages of a PDF report', () => {
  const row = (left: string): ReceiptBlock => ({ kind: 'row', left, right: '1,00 $' })
  const sheets = (blocks: readonly ReceiptBlock[], columns: number): Page[] =>
    sheetsOf(pageOf({ locale: 'fr-CA', title: 'Z', blocks: [...blocks] }, { columns, logo: null }), {
      text: 'x'.repeat(300),
      page: (number, count) => `${number}/${count}`,
    })
  const textOn = (page: Page | undefined): string[] =>
    (page?.shapes ?? []).flatMap((shape) => (shape.kind === 'text' ? [shape.text] : []))
  const rows = (name: string, count: number) => Array.from({ length: count }, (_, index) => row(`${name}${index}`))

  test.each([32, 42, 48])('contain every line of %i columns once, in order, within the margins', (columns) => {
    const made = sheets(rows('a', 400), columns)
    expect(made.length).toBeGreaterThan(4)
    const lefts = made.flatMap((page) => textOn(page).filter((text) => text.startsWith('a')))
    expect(lefts).toEqual(Array.from({ length: 400 }, (_, index) => `a${index}`))
    for (const { width, height, shapes } of made) {
      for (const shape of shapes) {
        if (shape.kind !== 'text') continue
        expect(shape.x).toBeGreaterThan(36)
        expect(shape.x + shape.width).toBeLessThan(width - 36)
        expect(shape.y).toBeGreaterThan(36)
        expect(shape.y).toBeLessThan(height - 36)
      }
    }
  })

  test('end before a block of lines that would otherwise be split', () => {
    const made = sheets([...rows('a', 40), { kind: 'rule' }, ...rows('b', 20)], 42)
    expect(made.map((page) => textOn(page).filter((text) => /^[ab]/.test(text)).length)).toEqual([40, 20])
  })
})
