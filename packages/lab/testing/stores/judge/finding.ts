/** What must hold of a store that has come to rest. */
export type Rule =
  | 'gapless'
  | 'nothing-aside'
  | 'own-views'
  | 'told-once'
  | 'sale-paid'
  | 'sale-on-paper'
  | 'paper-in-books'
  | 'paper-once'
  | 'held-once'
  | 'miles'
  | 'return'
  | 'return-pieces'
  | 'return-money'
  | 'voucher'
  | 'voucher-paper'
  | 'z-numbers'
  | 'z-sums'
  | 'z-paper'

export interface Finding {
  readonly rule: Rule
  readonly what: string
}
/** Says what is wrong by one rule. */
export type Find = (rule: Rule, what: string) => void
