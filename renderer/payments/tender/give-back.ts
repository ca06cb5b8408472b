import type { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import type { LazyText } from '../../core/state/notices.ts'

/** Payment types other than cash and miles, which have their own rules. */
type OtherKind = Exclude<TenderKind, 'cash' | 'miles'>

export interface OtherGiveBack {
  readonly kind: OtherKind
  readonly amountCents: number
  readonly reference: string | null
}

export interface GiveBack {
  /** Cash to pay out in coins and notes, in cents: the received cash less change. */
  readonly cashCents: number
  /**
   * Other payments: charges to void on the card terminal, vouchers whose balance is restored, and payments to refund in
   * their form.
   */
  readonly others: readonly OtherGiveBack[]
  /** Miles returned to the collector; 0 if none were paid or they can no longer be returned. */
  readonly miles: number
  /** Store credit for miles that can no longer be returned, in cents. */
  readonly lateCents: number
}

/**
 * Returns the customer's refund for a cancelled sale. It is the same before and after the cancellation, because entries
 * that undo a tender are ignored.
 */
export function giveBackOf({ tenders, redemption }: Pick<Sale, 'tenders' | 'redemption'>): GiveBack {
  const received = tenders.filter(({ amountCents, tenderedCents }) => amountCents > 0 || tenderedCents > 0)
  const returning =
    redemption?.goesBackAs === 'miles' || redemption?.state === 'reversing' || redemption?.state === 'reversed'
  const late = redemption?.goesBackAs === 'store-credit' || redemption?.state === 'reversal-expired'
  return {
    cashCents: received.reduce((sum, tender) => (tender.kind === 'cash' ? sum + cashRetained(tender) : sum), 0),
    others: received.flatMap(({ kind, amountCents, reference }) =>
      kind === 'cash' || kind === 'miles' ? [] : [{ kind, amountCents, reference }],
    ),
    miles: redemption && returning && received.some(({ kind }) => kind === 'miles') ? redemption.miles : 0,
    lateCents: late
      ? received.reduce((sum, { kind, amountCents }) => (kind === 'miles' ? sum + amountCents : sum), 0)
      : 0,
  }
}

export const refundText = (
  { kind, amountCents, reference }: OtherGiveBack,
  { t, format }: Parameters<LazyText>[0],
): string => t(`tender.giveBack.${kind}`, { amount: format.money(amountCents), number: reference ?? '' })

/** Cash that stayed in the drawer for a tender, in cents: rounded to five cents, as the receipt shows it. */
export const cashRetained = ({
  tenderedCents,
  changeCents,
}: Pick<Sale['tenders'][number], 'tenderedCents' | 'changeCents'>): number => tenderedCents - changeCents
