import type { Cents } from '../../../../contracts/money.ts'
import type { AddTender } from '../../../../contracts/tenders/registry.ts'
import type { Tx } from '../../../db/transact.ts'
import { ProblemError } from '../../../http/problem.ts'
import type { NewTender } from '../../sales/repository.ts'

/** Checks a payment and answers its row. Throws ProblemError where it cannot be taken. */
export type Take<Kind extends AddTender['kind']> = (
  payment: { readonly tx: Tx; readonly saleId: string; readonly dueCents: Cents },
  command: Extract<AddTender, { kind: Kind }>,
) => NewTender

/** A payment of an amount pays a part or all of what is due, and nothing over it. */
export function checkAmount(amountCents: Cents, dueCents: Cents): void {
  if (amountCents <= 0) throw new ProblemError('tender-amount-invalid')
  if (amountCents > dueCents) throw new ProblemError('tender-exceeds-due')
}

/** The row of a payment of an amount: what was tendered is what it pays. */
export const amountRow = (kind: NewTender['kind'], amountCents: Cents, reference: string | null): NewTender => ({
  kind,
  amountCents,
  roundingCents: 0,
  tenderedCents: amountCents,
  changeCents: 0,
  reference,
  operationId: null,
})
