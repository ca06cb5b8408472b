import type { Item } from '../../contracts/catalog/catalog.ts'
import type { ReturnSettings } from '../../contracts/payments/return-rules.ts'

/**
 * Days within which an item can be returned by today's rules: its own, else of its department, else of the store; 0 for
 * a final sale, null without a rule.
 */
export const returnDaysOf = (
  { days, departments }: Pick<ReturnSettings, 'days' | 'departments'>,
  { returnDays, departmentId }: Pick<Item, 'departmentId'> & { readonly returnDays?: Item['returnDays'] },
): number | null => returnDays ?? departments.find(({ id }) => id === departmentId)?.days ?? days ?? null

/** Days within which sold goods can be returned: the larger of the numbers at the sale and today. */
export const daysThatApply = (soldDays: number | null, today: number | null): number | null =>
  soldDays === null || today === null ? today : Math.max(soldDays, today)
