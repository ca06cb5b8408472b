import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SeededRng } from '../../simulation/rng.ts'
import { parseDocument } from './judge/documents.ts'

export interface PrintedVoucher {
  readonly code: string
  readonly lane: string
}

export interface Goods {
  /** Reads the documents that the lane has printed since the last call. */
  collect(lane: string, folder: string): void
  bought(saleId: string): void
  receipt(rng: SeededRng): string | null
  /** Returns a voucher of any lane; null if there is no voucher. Two customers may have copies of one document. */
  voucher(rng: SeededRng): PrintedVoucher | null
  spent(voucher: PrintedVoucher): void
}

/** Number of newest receipts to remember: only goods of recent sales are returned. */
const MAX_RECEIPTS = 500

export function createGoods(): Goods {
  const receipts: string[] = []
  const vouchers: PrintedVoucher[] = []
  const seen = new Map<string, number>()
  const pick = <One>(all: readonly One[], rng: SeededRng): One | null => (all.length === 0 ? null : rng.pick(all))
  return {
    collect(lane, folder) {
      for (let next = (seen.get(lane) ?? 0) + 1; ; next += 1) {
        const file = join(folder, `${String(next).padStart(4, '0')}.txt`)
        if (!existsSync(file)) return
        const paper = parseDocument(lane, readFileSync(file, 'utf8'))
        if (paper.kind === 'voucher' && !vouchers.some(({ code }) => code === paper.code))
          vouchers.push({ code: paper.code, lane })
        seen.set(lane, next)
      }
    },
    bought(saleId) {
      receipts.push(saleId)
      if (receipts.length > MAX_RECEIPTS) receipts.shift()
    },
    receipt: (rng) => pick(receipts, rng),
    voucher: (rng) => pick(vouchers, rng),
    spent(voucher) {
      const at = vouchers.findIndex(({ code }) => code === voucher.code)
      if (at >= 0) vouchers.splice(at, 1)
    },
  }
}
