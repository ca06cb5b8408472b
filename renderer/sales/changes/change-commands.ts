import type { BuyerGroup, DiscountReason, Exemption, DiscountAmount } from '../../../contracts/sales/sale-changes.ts'
import type { z } from 'zod'
import { api } from '../../core/api/terminal-api.ts'
import { command, onCurrent } from '../sale-commands.ts'

/** A discount as sent: an amount in integer cents or a share in parts per million. */
export type DiscountInput = z.input<typeof DiscountAmount>

export const giveDiscount = (line: number | null, off: DiscountInput, reason: DiscountReason): Promise<boolean> =>
  onCurrent('change', (sale, approval) =>
    api.giveDiscount(sale.id, { version: sale.version, line, off, reason, approval }),
  )

export const removeDiscount = (number: number): Promise<boolean> =>
  onCurrent('change', (sale, approval) => api.removeDiscount(sale.id, number, { version: sale.version, approval }))

/** Changes the unit price of a line; null restores the catalog's price. */
export const changePrice = (line: number, unitPriceCents: number | null, reason: DiscountReason): Promise<boolean> =>
  onCurrent('change', (sale, approval) =>
    api.changePrice(sale.id, line, { version: sale.version, unitPriceCents, reason, approval }),
  )

/** Corrects a line to the lower price on the shelf. `compensate`: with the compensation of the region's rule. */
export const correctPrice = (line: number, shelfPriceCents: number, compensate: boolean): Promise<boolean> =>
  onCurrent('change', (sale, approval) =>
    api.correctPrice(sale.id, line, { version: sale.version, shelfPriceCents, compensate, approval }),
  )

export const takeCoupon = (code: string): Promise<boolean> => command('change', () => api.takeCoupon(code))

/** Sets the tax exemption of a line or (null) of the sale; null removes it. */
export const setExemption = (line: number | null, exemption: z.input<typeof Exemption> | null): Promise<boolean> =>
  onCurrent('change', (sale, approval) =>
    api.setExemption(sale.id, { version: sale.version, line, exemption, approval }),
  )

export const setBuyers = (buyers: BuyerGroup | null): Promise<boolean> =>
  onCurrent('change', (sale, approval) => api.setBuyers(sale.id, { version: sale.version, buyers, approval }))

/** Sets the note of a line or (null) of the sale; an empty text removes it. */
export const setNote = (line: number | null, note: string): Promise<boolean> =>
  onCurrent('change', (sale) => api.setNote(sale.id, { version: sale.version, line, note }))
