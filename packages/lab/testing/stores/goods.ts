import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SeededRng } from '../../simulation/rng.ts'
import { readPaper } from './judge/papers.ts'

/** A voucher in somebody’s hand: what its paper says. */
export interface VoucherPaper {
  readonly code: string
  readonly lane: string
}

/** What the customers of the store carry from lane to lane. */
export interface Goods {
  /** Takes what the printer of the lane has cut off since. */
  collect(lane: string, folder: string): void
  bought(saleId: string): void
  /** A receipt of any lane; null while nobody has one. */
  receipt(rng: SeededRng): string | null
  /** A voucher of any lane; two customers may hold copies of one paper. Null while there is none. */
  voucher(rng: SeededRng): VoucherPaper | null
  spent(voucher: VoucherPaper): void
}

/** Customers come back soon, or not at all. */
const MOST_RECEIPTS = 500

export function createGoods(): Goods {
  const receipts: string[] = []
  const vouchers: VoucherPaper[] = []
  const seen = new Map<string, number>()
  const pick = <One>(all: readonly One[], rng: SeededRng): One | null => (all.length === 0 ? null : rng.pick(all))
  return {
    collect(lane, folder) {
      for (let next = (seen.get(lane) ?? 0) + 1; ; next += 1) {
        const file = join(folder, `${String(next).padStart(4, '0')}.txt`)
        if (!existsSync(file)) return
        const paper = readPaper(lane, readFileSync(file, 'utf8'))
        if (paper.kind === 'voucher' && !vouchers.some(({ code }) => code === paper.code))
          vouchers.push({ code: paper.code, lane })
        seen.set(lane, next)
      }
    },
    bought(saleId) {
      receipts.push(saleId)
      if (receipts.length > MOST_RECEIPTS) receipts.shift()
    },
    receipt: (rng) => pick(receipts, rng),
    voucher: (rng) => pick(vouchers, rng),
    spent(voucher) {
      const at = vouchers.findIndex(({ code }) => code === voucher.code)
      if (at >= 0) vouchers.splice(at, 1)
    },
  }
}
