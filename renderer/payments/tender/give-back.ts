import type { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import type { Saying } from '../../core/state/notices.ts'

/** Cash and miles go back by rules of their own. */
type OtherKind = Exclude<TenderKind, 'cash' | 'miles'>

export interface OtherGiveBack {
  readonly kind: OtherKind
  readonly amountCents: number
  readonly reference: string | null
}

export interface GiveBack {
  /** Coins and notes to hand back: what was kept of the cash, change taken off, in cents. */
  readonly cashCents: number
  /**
   * Charges to void on the card terminal, vouchers that hold what they paid again, and what else goes back as it came.
   */
  readonly others: readonly OtherGiveBack[]
  /** Miles that go back to the collector; 0 when none were paid with or when they cannot go back any more. */
  readonly miles: number
  /** Store credit that is printed in the place of miles that can no longer go back, in cents. */
  readonly lateCents: number
}

/**
 * What the customer must get back when this sale is cancelled, before and after: the entries that undo a tender count
 * for nothing here.
 */
export function giveBackOf({ tenders, redemption }: Pick<Sale, 'tenders' | 'redemption'>): GiveBack {
  const taken = tenders.filter(({ amountCents, tenderedCents }) => amountCents > 0 || tenderedCents > 0)
  const returning =
    redemption?.goesBackAs === 'miles' || redemption?.state === 'reversing' || redemption?.state === 'reversed'
  const late = redemption?.goesBackAs === 'store-credit' || redemption?.state === 'reversal-expired'
  return {
    cashCents: taken.reduce((sum, tender) => (tender.kind === 'cash' ? sum + cashKept(tender) : sum), 0),
    others: taken.flatMap(({ kind, amountCents, reference }) =>
      kind === 'cash' || kind === 'miles' ? [] : [{ kind, amountCents, reference }],
    ),
    miles: redemption && returning && taken.some(({ kind }) => kind === 'miles') ? redemption.miles : 0,
    lateCents: late ? taken.reduce((sum, { kind, amountCents }) => (kind === 'miles' ? sum + amountCents : sum), 0) : 0,
  }
}

/** What to do with it. */
export const givenBackWords = (
  { kind, amountCents, reference }: OtherGiveBack,
  { t, format }: Parameters<Saying>[0],
): string => t(`tender.giveBack.${kind}`, { amount: format.money(amountCents), number: reference ?? '' })

/** Cash that stayed in the drawer for a tender, in cents: rounded to five cents, as the receipt shows it. */
export const cashKept = ({
  tenderedCents,
  changeCents,
}: Pick<Sale['tenders'][number], 'tenderedCents' | 'changeCents'>): number => tenderedCents - changeCents
