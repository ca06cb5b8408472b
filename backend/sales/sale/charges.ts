import { CHARGE_DEPARTMENTS, CHARGE_SKUS } from '../../../contracts/catalog/goods.ts'
import type { LineCharge } from '../../../contracts/catalog/charges.ts'
import { isCharge, isGoods } from '../../catalog/charges.ts'
import type { BasketLine, Pieces } from './basket.ts'
import type { LineRow } from './sales.sql.ts'

/** Distance between the number of a line and those of its charges: above the highest number of rung lines. */
const STEP = 10_000

/**
 * Returns the columns of a deposit or fee that differ from its goods. A deposit has no tax (Excise Tax Act s. 226; CRA
 * B-089); a fee is a part of the price of its item, with its tax category, rule and exemption.
 */
const chargeColumns = (number: number, charge: LineCharge, at: number) => ({
  number: number + (at + 1) * STEP,
  sku: CHARGE_SKUS[charge.kind],
  name: charge.name,
  unitPriceCents: charge.cents,
  departmentId: CHARGE_DEPARTMENTS[charge.kind],
  categoryId: charge.id,
  chargeOf: number,
  ...(charge.kind === 'deposit' ? ({ taxCategory: 'zero-rated', taxRule: null } as const) : {}),
})

const chargeLine = (line: LineRow, charge: LineCharge, at: number): LineRow => ({
  ...line,
  ...chargeColumns(line.number, charge, at),
  regularPriceCents: null,
  exemption: charge.kind === 'deposit' ? null : line.exemption,
  note: null,
  minimumAge: null,
  packPieces: null,
  charges: [],
})

/** Returns a deposit or fee of goods that are returned without a record. */
export const chargeOfGoods = (goods: BasketLine, charge: LineCharge, at: number): BasketLine => ({
  ...goods,
  ...chargeColumns(goods.number, charge, at),
  regularPriceCents: null,
  earns: charge.earns,
})

/**
 * Returns the lines with their deposits and fees, each below its goods. Those of an open sale are derived from
 * `charges` of its lines; those of a closed sale are lines already.
 */
export function withCharges(lines: readonly LineRow[], isOpen: boolean): readonly LineRow[] {
  if (isOpen)
    return lines.some(({ charges }) => charges.length > 0)
      ? lines.flatMap((line) => [line, ...line.charges.map((charge, at) => chargeLine(line, charge, at))])
      : lines
  const ofLine = Map.groupBy(lines, ({ chargeOf }) => chargeOf)
  return ofLine.size > 1
    ? (ofLine.get(null) ?? []).flatMap((line) => [line, ...(ofLine.get(line.number) ?? [])])
    : lines
}

/** Whether a deposit or fee counts for miles, by the profile at the time when its line was rung. */
export const chargeEarns = (lines: readonly LineRow[], { chargeOf, categoryId }: LineRow): boolean =>
  lines.find(({ number }) => number === chargeOf)?.charges.find(({ id }) => id === categoryId)?.earns ?? false

/** Whether a line may be sent to the program: goods, and deposits and fees if they count for miles. */
export const isSent = (line: Pick<BasketLine, 'sku' | 'earns'>): boolean =>
  isGoods(line) || (isCharge(line) && line.earns === true)

/** Adds the deposits and fees of returned pieces; they cannot be returned alone. */
export const piecesWithCharges = (sold: readonly BasketLine[], pieces: readonly Pieces[]): Pieces[] =>
  pieces.flatMap((piece) => [
    piece,
    ...sold
      .filter(({ chargeOf, voided }) => chargeOf === piece.number && !voided)
      .map(({ number, quantity }) => ({ number, quantity: Math.min(quantity, piece.quantity) })),
  ])
