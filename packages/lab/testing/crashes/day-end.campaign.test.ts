import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, test } from 'vitest'
import { brokenDayEnd } from '../../simulation/day-end-invariants.ts'
import { TerminalGoneError } from '../../rig/window.ts'
import { prepareLane, type CrashingLane, type CrashPoint } from './lane.ts'
import { ITEMS, openShop } from './crash-store.ts'

const MANAGER = { staffId: 'sam', pin: '9999' }
const sum = (cents: number) => ({ by: 'sum', cents })

const shop = await openShop({ collectors: 1 })
const lane = prepareLane(shop, 'day')
await lane.start()
afterAll(async () => {
  await lane.stop()
  await shop.close()
})

/**
 * Sends a command as a window does: repeats it under the same idempotency key after a restart until it gets a response.
 */
async function call(of: CrashingLane, method: string, path: string, body?: object) {
  const key = randomUUID()
  for (;;) {
    try {
      const answer = await of.window.call(method, path, body, key)
      if (answer.status < 500 && answer.status !== 401) return answer
      await of.window.call('POST', '/api/sign-in', MANAGER)
    } catch (error) {
      if (!(error instanceof TerminalGoneError)) throw error
      await of.crashed()
      of.crashAt(null)
      await of.start()
      await of.window.call('POST', '/api/sign-in', MANAGER)
    }
  }
}

async function playDay(of: CrashingLane): Promise<number> {
  const ask = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await call(of, method, path, body)
    expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).toBe(200)
    return answer.body as unknown as Answer
  }
  const sell = async (): Promise<void> => {
    const { sale } = await ask<{ sale: { id: string; version: number; totals: { cashDueCents: number } } }>(
      'POST',
      '/api/sales/current/lines',
      { sku: ITEMS.partial },
    )
    const { version, totals } = sale
    await ask('POST', `/api/sales/${sale.id}/tenders`, { kind: 'cash', version, tenderedCents: totals.cashDueCents })
  }
  await ask('POST', '/api/sign-in', MANAGER)
  const { shift } = await ask<{ shift: { id: number } | null }>('GET', '/api/shifts/current')
  const id = shift?.id ?? (await ask<{ shift: { id: number } }>('POST', '/api/shifts', { float: sum(5_000) })).shift.id
  await sell()
  await ask('POST', '/api/shifts/current/movements', { kind: 'drop', amountCents: 500, reason: 'safe' })
  const count = { cash: sum(6_000), cardSlipsCents: null, chequesCents: null }
  await ask('POST', `/api/shifts/${id}/counts`, { count })
  await sell()
  await ask('POST', `/api/shifts/${id}/close`, { reason: 'counted so', leftCents: 4_000 })
  return (await ask<{ report: { number: number } }>('POST', '/api/z-reports')).report.number
}

function books(): { days: number; sales: number; drops: number; broken: string[] } {
  const db = new Database(join(lane.data, 'terminal.db'), { readonly: true })
  try {
    const count = (what: string): number => db.prepare<[], number>(`SELECT count(*) FROM ${what}`).pluck().get() ?? 0
    return {
      days: count('z_report'),
      sales: count("sale WHERE state = 'completed'"),
      drops: count("cash_movement WHERE kind = 'drop' AND reason = 'safe'"),
      broken: brokenDayEnd(db),
    }
  } finally {
    db.close()
  }
}

lane.clearSteps()
const rehearsed = await playDay(lane)
const crashPoints: CrashPoint[] = [...new Set(lane.steps())]
  .filter((step) => /commit: .*(shift|cash_movement|z_report|tender)/.test(step))
  .map((step) => ({ step, occurrence: 1 }))

describe('closing a day at a lane', () => {
  test('has a planned kill at the commits of its shift, count, cash movement and Z report', () => {
    expect(rehearsed).toBe(1)
    const steps = crashPoints.map(({ step }) => step).join('\n')
    for (const table of ['insert shift', 'insert shift_count', 'insert cash_movement', 'insert z_report'])
      expect(steps).toContain(table)
  })

  test.each(crashPoints)(
    'makes one Z report without a gap, loss or duplicate when the lane is killed at the step $step',
    async (crashPoint) => {
      const before = books()
      lane.crashAt(crashPoint)
      expect(await playDay(lane)).toBe(before.days + 1)
      lane.crashAt(null)
      expect(books()).toEqual({
        days: before.days + 1,
        sales: before.sales + 2,
        drops: before.drops + 1,
        broken: [],
      })
    },
  )
})
