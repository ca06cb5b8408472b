import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { cents } from '../../contracts/core/money.ts'
import type { Sale } from '../../contracts/sales/sales.ts'
import {
  currentSale,
  done,
  payByVoucher,
  payCash,
  perform,
  ring,
  sellGiftCard,
} from '../../packages/lab/rig/cashier.ts'
import { callerAt } from '../../packages/lab/rig/window.ts'
import { now } from '../checkout/clock.ts'
import type { MeasuredLane } from './measured-store.ts'

const Presented = z.object({ voucher: z.object({ id: z.string(), balanceCents: z.int() }) })
const PAPER_WITHIN_MS = 10_000

export interface Counter {
  ring(sku: string): Promise<number>
  scan(code: string): Promise<void>
  take(): Promise<void>
  pay(): Promise<{ readonly id: string; readonly answered: number; readonly printed: number; readonly at: number }>
  tender(): Promise<{
    readonly id: string
    readonly answered: number
    readonly printed: Promise<number>
    readonly at: number
  }>
  sellGiftCard(amountCents: number): Promise<string>
  isWorth(code: string): Promise<boolean>
  payByGiftCard(code: string, amountCents: number): Promise<{ readonly answered: number; readonly isPaid: boolean }>
  status(path: string): Promise<number>
}

export function openCounter({ url, headers, paper }: MeasuredLane): Counter {
  const lane = { call: callerAt(url, headers) }
  let open: Sale | null = null
  async function present(code: string): Promise<z.infer<typeof Presented>['voucher'] | null> {
    const { status, body } = await lane.call('POST', '/api/vouchers/present', { code })
    return status === 200 ? Presented.parse(body).voucher : null
  }
  const papers = (): number => readdirSync(paper).filter((name) => name.endsWith('.txt')).length
  async function untilPrinted(saleId: string, before: number, from: number): Promise<number> {
    while (papers() === before) {
      if (now() - from > PAPER_WITHIN_MS) throw new Error(`the receipt of ${saleId} was not printed`)
      await pause(1)
    }
    return now() - from
  }
  async function tender() {
    if (open === null) throw new Error('no sale is open')
    const { id } = open
    const before = papers()
    const from = now()
    await done(lane, payCash(open))
    const at = now()
    open = null
    return { id, answered: at - from, printed: untilPrinted(id, before, from), at }
  }
  function newestCode(): string | null {
    for (const name of readdirSync(paper).toSorted().toReversed()) {
      if (!name.endsWith('.txt')) continue
      const text = readFileSync(path.join(paper, name), 'utf8')
      const code = /^\[(?:Code 128|QR): ([A-Z0-9-]+)\]$/m.exec(text)?.[1]
      if (code !== undefined && /^Value\s/m.test(text)) return code
    }
    return null
  }
  return {
    async ring(sku) {
      const from = now()
      open = await done(lane, ring(sku))
      return now() - from
    },
    async scan(code) {
      const { status } = await lane.call('POST', '/api/training/scan', { code })
      if (status >= 400) throw new Error(`the scanner call failed with status ${status}`)
    },
    async take() {
      open = await currentSale(lane)
    },
    tender,
    async pay() {
      const { printed, ...paid } = await tender()
      return { ...paid, printed: await printed }
    },
    async sellGiftCard(amountCents) {
      open = await done(lane, sellGiftCard(amountCents))
      const before = newestCode()
      const { printed } = await tender()
      const from = now()
      await printed
      for (let code = newestCode(); ; code = newestCode()) {
        if (code !== null && code !== before) return code
        if (now() - from > PAPER_WITHIN_MS) throw new Error('the gift card was not printed')
        await pause(1)
      }
    },
    isWorth: async (code) => ((await present(code))?.balanceCents ?? 0) > 0,
    async payByGiftCard(code, amountCents) {
      if (open === null) throw new Error('no sale is open')
      const from = now()
      const card = await present(code)
      if (card === null) return { answered: now() - from, isPaid: false }
      const { status, body } = await perform(lane, payByVoucher(open, card.id, cents(amountCents)))
      const answered = now() - from
      const isPaid = status === 200
      if (isPaid) open = body.sale
      return { answered, isPaid }
    },
    status: async (target) => (await lane.call('GET', target)).status,
  }
}
