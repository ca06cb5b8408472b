/** Rules that hold for a store without pending work. */
export type Rule =
  | 'no-gaps'
  | 'none-quarantined'
  | 'violation-views'
  | 'pushed-once'
  | 'sale-paid'
  | 'sale-printed'
  | 'printed-in-books'
  | 'one-original'
  | 'held-once'
  | 'miles'
  | 'return'
  | 'return-pieces'
  | 'return-money'
  | 'voucher'
  | 'voucher-printed'
  | 'z-numbers'
  | 'z-sums'
  | 'z-printed'

export interface Finding {
  readonly rule: Rule
  readonly what: string
}
export type Find = (rule: Rule, what: string) => void
