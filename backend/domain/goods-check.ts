import type { GoodsDoubt } from '../../contracts/goods.ts'
import type { GoodsChecks } from '../../contracts/profile.ts'

/** Lot and date of a piece, from its GS1 code. */
export interface GoodsLabel {
  readonly lot?: string | undefined
  /** `YYYY-MM-DD`: the last day on which it may be sold. */
  readonly expiry?: string | undefined
}

/** `base`: the barcode of the label with a price or weight of 0. */
export interface ScannedLabel extends GoodsLabel {
  readonly base?: string | undefined
}

export interface DoubtfulGoods {
  readonly doubt: GoodsDoubt
  readonly policy: 'refuse' | 'ask'
}

const gtin14 = (code: string): string => code.padStart(14, '0')

/** Why a piece may not be sold on this day (`YYYY-MM-DD`), by the rules of the profile; a refusal before a question. */
export function doubtAbout(
  goods: GoodsLabel & { readonly code: string },
  checks: GoodsChecks,
  today: string,
): DoubtfulGoods | null {
  const { code, lot, expiry } = goods
  const doubts: DoubtfulGoods[] = []
  const isRecalled = checks.recalledLots.some(
    (recalled) => recalled.lot === lot && gtin14(recalled.barcode) === gtin14(code),
  )
  if (lot !== undefined && isRecalled && checks.recalled !== 'ignore')
    doubts.push({ doubt: { kind: 'recalled', lot }, policy: checks.recalled })
  if (expiry !== undefined && expiry < today && checks.expired !== 'ignore')
    doubts.push({ doubt: { kind: 'expired', date: expiry }, policy: checks.expired })
  return doubts.find(({ policy }) => policy === 'refuse') ?? doubts[0] ?? null
}
