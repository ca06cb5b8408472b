import { setTimeout as delay } from 'node:timers/promises'
import type { AuditVerification } from '../../../contracts/staff/audit.ts'
import { Backups } from '../../../contracts/operations/backups.ts'
import type { ZReport } from '../../../contracts/day/day-end.ts'
import type { ReportRun } from '../../../contracts/day/reports.ts'
import { ReturnableSale, ReturnQuote } from '../../../contracts/payments/returns.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { SupportPreview } from '../../../contracts/operations/support.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import type { Window } from '../rig/window.ts'

export interface Customers {
  readonly sku: string
  readonly cardId: string
}

export interface Day {
  readonly sales: readonly string[]
  readonly returned: string
  readonly z: ZReport
}

type At = Pick<Window, 'call' | 'event' | 'swipe' | 'reached' | 'next'>

const sum = (cents: number) => ({ by: 'sum', cents })

async function ask<Answer>(window: At, method: string, path: string, body?: object): Promise<Answer> {
  const answer = await window.call(method, path, body)
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body as unknown as Answer
}

async function payCash(window: At, { id, version, totals }: Sale): Promise<Sale> {
  const tender = { kind: 'cash', version, tenderedCents: totals.cashDueCents }
  return (await ask<{ sale: Sale }>(window, 'POST', `/api/sales/${id}/tenders`, tender)).sale
}

const ring = async (window: At, sku: string): Promise<Sale> =>
  (await ask<{ sale: Sale }>(window, 'POST', '/api/sales/current/lines', { sku, quantity: 1 })).sale

async function sellToMember(window: At, { sku, cardId }: Customers): Promise<string> {
  await ring(window, sku)
  const { id, version } = await window.swipe(cardId)
  await ask(window, 'POST', `/api/sales/${id}/redemption`, { version, units: 1 })
  const redeemed = await window.reached((sale) => sale.id === id && sale.redemption?.state === 'approved')
  await payCash(window, redeemed)
  for (;;) {
    const { sale } = await ask<{ sale: Sale }>(window, 'GET', `/api/sales/${id}`)
    if (sale.issuance?.state === 'confirmed') return id
    await window.next()
  }
}

async function takeBack(window: At, saleId: string): Promise<string> {
  const returnable = ReturnableSale.parse(await ask(window, 'GET', `/api/sales/${saleId}/returnable`))
  const lines = returnable.lines.map(({ number, leftQuantity }) => ({ number, quantity: leftQuantity }))
  const quote = ReturnQuote.parse(await ask(window, 'POST', '/api/returns/quote', { saleId, lines }))
  const refunds = quote.refunds.map(({ kind, paidBy, amountCents }) => ({ kind, paidBy, amountCents }))
  const body = { saleId, version: quote.version, lines, refunds }
  return (await ask<{ return: { id: string } }>(window, 'POST', '/api/returns', body)).return.id
}

/**
 * Plays a manager’s day: two sales, the second to a member who pays a portion with miles, the first returned; cash paid
 * in; the drawer counted and closed; the Z report. Resolves when the Z report is printed.
 */
export async function playDay(window: At, customers: Customers): Promise<Day> {
  await ask(window, 'POST', '/api/sign-in', { staffId: 'sam', pin: '9999' })
  const { id } = await payCash(window, await ring(window, customers.sku))
  const sales = [id, await sellToMember(window, customers)]
  const returned = await takeBack(window, id)
  await ask(window, 'POST', '/api/shifts/current/movements', { kind: 'paid-in', amountCents: 500, reason: 'change' })
  const { shift } = await ask<{ shift: { id: number } }>(window, 'GET', '/api/shifts/current')
  const count = { cash: sum(4_000), cardSlipsCents: null, chequesCents: null }
  await ask(window, 'POST', `/api/shifts/${shift.id}/counts`, { number: 1, count })
  const close = { reason: 'counted so', leftCents: 1_000 }
  const closed = await window.call('POST', `/api/shifts/${shift.id}/close`, close)
  // The counted amount differs too much from the expected one, so a second count is needed and is final.
  if (closed.status !== 200) {
    await ask(window, 'POST', `/api/shifts/${shift.id}/counts`, { number: 2, count })
    await ask(window, 'POST', `/api/shifts/${shift.id}/close`, close)
  }
  const { report } = await ask<{ report: ZReport }>(window, 'POST', '/api/z-reports')
  await window.event(
    (event): event is Extract<TerminalEvent, { type: 'print-job' }> =>
      event.type === 'print-job' && event.paper === 'z-report' && event.state === 'confirmed',
  )
  return { sales, returned, z: report }
}

/** The lane’s records as a manager checks them. `audit` and `backup` are null if they have no problem. */
export interface Records {
  readonly audit: string | null
  readonly backup: string | null
  readonly report: ReportRun['state']
  readonly found: number
  readonly supportSchema: number
}

/**
 * Verifies the audit trail, makes and proves a backup, runs a report, searches the electronic journal and previews the
 * support file.
 */
export async function checkRecords(window: At, day: string): Promise<Records> {
  await ask(window, 'POST', '/api/audit/verification')
  const verified = await whenDone<AuditVerification>(window, '/api/audit/verification', ({ state }) => state === 'done')
  await ask(window, 'POST', '/api/backups')
  const made = await backupsAtRest(window)
  const name = made.backups[0]?.name ?? ''
  await ask(window, 'POST', `/api/backups/${name}/proof`)
  const proved = (await backupsAtRest(window)).backups.find((one) => one.name === name)
  const run = await ask<ReportRun>(window, 'POST', '/api/reports/runs', { from: day, to: day })
  const report = await whenDone<ReportRun>(window, `/api/reports/runs/${run.id}`, ({ state }) => state !== 'running')
  const journal = await ask<{ entries: object[] }>(window, 'GET', '/api/journal')
  await ask(window, 'GET', '/api/audit')
  const { file } = SupportPreview.parse(await ask(window, 'POST', '/api/support-file/previews', {}))
  const broken = verified.verdict?.broken
  return {
    audit: broken === null || broken === undefined ? null : JSON.stringify(broken),
    backup: proved?.proof.state === 'held' ? null : `${name}: ${proved?.proof.problem ?? made.last?.outcome ?? 'none'}`,
    report: report.state,
    found: journal.entries.length,
    supportSchema: file.program.schema,
  }
}

async function whenDone<Answer>(window: At, path: string, done: (answer: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const answer = await ask<Answer>(window, 'GET', path)
    if (done(answer)) return answer
    // No event reports the end of this work: poll, and leave the lane processor time.
    await delay(20)
  }
}

const backupsAtRest = async (window: At): Promise<Backups> =>
  Backups.parse(
    await whenDone<Backups>(window, '/api/backups', ({ work, copies }) => work === null && copies.state !== 'copying'),
  )
