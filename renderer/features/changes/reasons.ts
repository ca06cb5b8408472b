import type { DiscountReason, Exemption } from '../../../contracts/api/sale-changes.ts'

/** In the order in which they are chosen most. */
export const REASONS = [
  'promotion',
  'damaged',
  'price-match',
  'price-error',
  'goodwill',
  'staff',
] as const satisfies readonly DiscountReason[]
export const EXEMPTION_REASONS = [
  'first-nations',
  'diplomat',
  'government',
  'resale',
  'charity',
] as const satisfies readonly Exemption['reason'][]
export const RELIEFS = ['provincial', 'all'] as const satisfies readonly Exemption['relief'][]
