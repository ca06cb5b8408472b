import { z } from 'zod'
import type { CorrectionList } from '../../../contracts/api/queue.ts'
import { miles } from '../../../contracts/miles.ts'
import { cents } from '../../../contracts/money.ts'
import { isoOf } from '../../clock.ts'
import type { CorrectionRow, QueueRepository } from './repository.ts'

const PAGE = 50

/** Facts of an entry of the trail that the list shows. */
const Facts = z.object({
  saleId: z.string().nullish(),
  note: z.string().nullish(),
  reason: z.string().nullish(),
  miles: z.int().nullish(),
  amountCents: z.int().nullish(),
  /** Of a card slip: what was given back. */
  overCents: z.int().nullish(),
})
const IsCall = z.uuid()

/** Lists what people ordered and settled, with who and why: every order of the queue is in the audit trail. */
export const createCorrections =
  ({
    repository,
    staffName,
  }: {
    readonly repository: Pick<QueueRepository, 'corrections'>
    readonly staffName: (id: string) => string
  }) =>
  (before: number = Number.MAX_SAFE_INTEGER): CorrectionList => {
    const rows = repository.corrections(before, PAGE + 1)
    const shown = rows.slice(0, PAGE)
    const last = shown.at(-1)
    return {
      corrections: shown.map((row) => correctionOf(row, staffName)),
      next: rows.length > PAGE && last ? String(last.number) : null,
    }
  }

function correctionOf(row: CorrectionRow, staffName: (id: string) => string): CorrectionList['corrections'][number] {
  const facts = Facts.parse(JSON.parse(row.detail))
  const amountCents = facts.amountCents ?? facts.overCents ?? null
  return {
    number: row.number,
    at: isoOf(row.at),
    by: row.actorId === null ? null : staffName(row.actorId),
    what: row.what,
    operationId: IsCall.safeParse(row.subject).data ?? null,
    saleId: facts.saleId ?? null,
    note: facts.note ?? facts.reason ?? null,
    miles: facts.miles == null ? null : miles(facts.miles),
    amountCents: amountCents === null ? null : cents(amountCents),
  }
}
