import type { Database } from 'better-sqlite3'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { createReconciliationRepository } from '../../../backend/loyalty/reconciliation/reconciliation.sql.ts'
import { MISMATCHED } from '../../../backend/loyalty/calls/redeem.ts'
import { brokenDayEnd } from './day-end-invariants.ts'
import { brokenRequests, brokenReturns } from './goods-invariants.ts'
import { createSeal } from '../../../backend/core/integrity/seal.ts'
import type { ModelMembers } from './members.ts'
import { MASTER_KEY } from './terminal.ts'
import { isFinal, isManualMove, type OperationKind, type OperationState } from '../../../backend/core/outbox/states.ts'
import type { Effect, ModelCentral } from './central.ts'
import type { Delivery } from './network.ts'

/** Everything observed while a seed was played, once no work is pending. */
export interface Observation {
  readonly db: Database
  readonly central: ModelCentral
  readonly deliveries: readonly Delivery[]
  readonly runs: number
  readonly shownApplied: ReadonlySet<string>
  readonly shownNotApplied: ReadonlySet<string>
  readonly areOperationsFinal: boolean
  readonly outputs: readonly string[]
  readonly answers: ReadonlyMap<string, string>
  readonly privateCollectors: readonly string[]
  readonly members?: Pick<ModelMembers, 'taken' | 'tokens'>
}

interface Op {
  readonly id: string
  readonly kind: OperationKind
  readonly type: string
  readonly state: OperationState
  readonly amountCents: number | null
  readonly miles: number | null
  readonly pendingMiles: number | null
  readonly rejectedMiles: number | null
  readonly approvedOnAttempt: number | null
  readonly traceId: string
  readonly key: string | null
  readonly saleId: string
  /** 1: an earlier send of the operation may have succeeded, and the exceptions queue shows a warning. */
  readonly mayBeDone: 0 | 1
}

const ON_THE_LIST: ReadonlySet<string> = new Set([
  'escalated',
  'dead',
  'rejected',
  'reversal-expired',
  'reversal-escalated',
])

/** The invariants as functions that return descriptions of violations. The numbers are those of docs/reliability.md. */
export const INVARIANTS: readonly {
  readonly number: number
  readonly name: string
  readonly broken: (seen: Observation) => string[]
}[] = [
  {
    number: 1,
    name: 'identical bytes per key',
    broken: ({ deliveries }) => {
      const bytes = new Map<string, string>()
      return deliveries.flatMap(({ key, bodyHash, path }) => {
        if (key === null) return []
        const known = bytes.get(key) ?? bodyHash
        bytes.set(key, known)
        return known === bodyHash ? [] : [`${path} under ${key} was sent with other bytes`]
      })
    },
  },
  {
    number: 3,
    name: 'at most one effect per operation at the loyalty service',
    broken: ({ central }) => {
      const done = new Map<string, number>()
      for (const { kind, of, cancelled } of central.effects)
        if (!cancelled) done.set(`${kind} ${of}`, (done.get(`${kind} ${of}`) ?? 0) + 1)
      return [...done].filter(([, times]) => times > 1).map(([what, times]) => `${what} was done ${times} times`)
    },
  },
  {
    number: 4,
    name: 'applied less reversed equals the loyalty service’s net effect, or the operation is on the list',
    broken: ({ db, central }) =>
      operations(db).flatMap((op) => {
        if (op.kind === 'issuance') return issuanceAgrees(op, central.effects)
        if (op.kind === 'offer-state') return []
        const net =
          sum(
            central.effects.filter(({ kind, of, cancelled }) => kind === 'redeem' && of === op.traceId && !cancelled),
          ) - sum(central.effects.filter(({ kind, of }) => kind === 'reverse' && of === op.traceId))
        // Miles payments of the sale, less those that a cancellation or a return reversed.
        const applied =
          db
            .prepare<[string, string], { cents: number }>(
              `SELECT (SELECT coalesce(sum(amount_cents), 0) FROM tender
                WHERE operation_id = ?) - (SELECT coalesce(sum(amount_cents), 0) FROM refund
                WHERE operation_id = ?) AS cents`,
            )
            .get(op.id, op.id)?.cents ?? 0
        if (ON_THE_LIST.has(op.state))
          return applied === 0 ? [] : [`${op.id} is ${op.state}, but ${applied} cents of it are applied`]
        const isApplied = op.state === 'approved'
        // A unit of the model is 95 miles for ten dollars.
        const worth = (net / 95) * 1000
        return [
          ...(isApplied && op.amountCents !== worth
            ? [
                `${op.id} is approved with ${op.amountCents ?? 0} cents, but the loyalty service took miles ` +
                  `worth ${worth}`,
              ]
            : []),
          ...(net === (isApplied ? (op.miles ?? 0) : 0)
            ? []
            : [`${op.id} is ${op.state} with ${op.miles ?? 0} miles, but the loyalty service has ${net}`]),
          ...(applied === (isApplied ? (op.amountCents ?? 0) : 0)
            ? []
            : [`${op.id} is ${op.state} with ${op.amountCents ?? 0} cents, but ${applied} are applied`]),
        ]
      }),
  },
  {
    number: 4,
    name: 'miles reversed too late become printed store credit, once',
    broken: ({ db }) =>
      db
        .prepare<[], { id: string; paid: number; credited: number }>(`SELECT id,
      (SELECT coalesce(sum(amount_cents), 0) FROM tender WHERE operation_id = operation.id
      AND amount_cents > 0) AS paid,
      (SELECT coalesce(sum(amount_cents), 0) FROM voucher_entry WHERE operation_id = operation.id AND kind = 'issued'
        AND EXISTS (SELECT 1 FROM print_job WHERE voucher_id = voucher_entry.voucher_id)) AS credited
      FROM operation WHERE state = 'reversal-expired'`)
        .all()
        .filter(({ paid, credited }) => paid !== credited)
        .map(
          ({ id, paid, credited }) =>
            `${id} was reversed too late with ${paid} cents, but ${credited} are printed store credit`,
        ),
  },
  {
    number: 4,
    name: 'a REVERSE has the transactionId of its POST’s response',
    broken: ({ db, deliveries }) => {
      const named = new Set(
        db
          .prepare<[], { transactionId: string }>(
            "SELECT transaction_id AS transactionId FROM operation WHERE type = 'post' AND transaction_id IS NOT NULL",
          )
          .all()
          .map(({ transactionId }) => transactionId),
      )
      return deliveries
        .filter(({ path }) => path === ISSUANCE_PATHS.reverse)
        .flatMap(({ key, body }) =>
          named.has(String(body['originalTransactionId']))
            ? []
            : [`REVERSE ${key ?? ''} names ${String(body['originalTransactionId'])}`],
        )
    },
  },
  {
    number: 4,
    name: 'an approval that cannot be applied is reversed by its number',
    broken: ({ db, deliveries, runs }) => [
      // Approvals of redemptions in the journal: each is applied to a sale, or its reversal was begun. If another
      // redemption has the same number, a manager decides (decision 13).
      ...db
        .prepare<
          [],
          { id: string; state: string }
        >(`SELECT id, state FROM operation WHERE kind = 'redemption' AND confirmation_number IS NOT NULL
          AND state IN ('declined', 'escalated')
        AND NOT (state = 'escalated'
        AND EXISTS (SELECT 1 FROM operation AS other WHERE other.confirmation_number = operation.confirmation_number
        AND other.id <> operation.id))`)
        .all()
        .map(({ id, state }) => `${id} is ${state}, but has the number of an approval`),
      ...mismatchesOnTheWire(deliveries, runs)
        .filter(
          ({ number, traceId }) =>
            !deliveries.some(
              ({ path, body }) => path === CASH_PATHS.reverse && body['txnConfirmationNumber'] === number,
            ) && !isApproved(db, traceId),
        )
        .map(
          ({ number, traceId }) =>
            `the approval ${number} of ${traceId} was received, but neither applied nor reversed`,
        ),
    ],
  },
  {
    number: 4,
    name: 'an approval that matches its request is accepted',
    broken: ({ db, deliveries }) => {
      const spoiled = new Set(
        deliveries
          .filter(
            ({ path, fault }) => path === CASH_PATHS.redeem && (fault === 'wrong-amount' || fault === 'wrong-echo'),
          )
          .map(({ key }) => key),
      )
      return db
        .prepare<
          [string],
          { id: string; key: string }
        >(`SELECT DISTINCT operation_call.operation_id AS id, idempotency_key AS key
      FROM journal_entry JOIN operation_call ON operation_call.operation_id = journal_entry.operation_id
      AND purpose = 'redeem' WHERE instr(journal_entry.detail, ?)`)
        .all(MISMATCHED)
        .filter(({ key }) => !spoiled.has(key))
        .map(({ id }) => `the approval of ${id} matches its request, but was not accepted`)
    },
  },
  {
    number: 5,
    name: 'an operation shown as not applied is never applied later',
    broken: ({ db, shownNotApplied }) =>
      [...shownNotApplied].flatMap((id) => {
        const rows =
          db.prepare<[string], { n: number }>('SELECT count(*) AS n FROM tender WHERE operation_id = ?').get(id)?.n ?? 0
        return rows === 0 ? [] : [`${id} was shown as not applied, but is applied`]
      }),
  },
  {
    number: 6,
    name: 'final states are never left',
    broken: ({ db }) => {
      const entries = db
        .prepare<
          [],
          { operationId: string; kind: OperationKind; fromState: OperationState | null; toState: OperationState }
        >(
          `SELECT operation_id AS operationId, kind, from_state AS fromState, to_state AS toState FROM journal_entry
            JOIN operation ON operation.id = operation_id ORDER BY seq`,
        )
        .all()
      const last = new Map<string, OperationState>()
      return entries.flatMap(({ operationId, kind, fromState, toState }) => {
        const before = last.get(operationId) ?? null
        last.set(operationId, toState)
        if (before !== fromState)
          return [`${operationId} left ${fromState ?? 'nothing'}, but was in ${before ?? 'nothing'}`]
        return before !== null && isFinal(kind, before) && !isManualMove(kind, before, toState)
          ? [`${operationId} left the final state ${before}`]
          : []
      })
    },
  },
  {
    number: 7,
    name: 'a collector’s calls are sent in the order of their creation',
    broken: ({ db, deliveries }) => {
      const collectors = new Map<string, string>()
      const firstSend = new Map<string, number>()
      deliveries.forEach(({ key, body }, index) => {
        if (key === null) return
        if (!firstSend.has(key)) firstSend.set(key, index)
        collectors.set(key, String(body['collectorNumber']))
      })
      const newest = new Map<string, number>()
      return operations(db).flatMap(({ kind, key, id }) => {
        const sent = key === null ? undefined : firstSend.get(key)
        const collector = key === null ? undefined : collectors.get(key)
        // A call that a manager requested to send again may be sent after newer calls of its collector, so it is not
        // checked.
        const isRequested =
          db.prepare("SELECT 1 FROM journal_entry WHERE operation_id = ? AND detail LIKE '%orderedBy%'").get(id) !==
          undefined
        if (kind !== 'issuance' || sent === undefined || collector === undefined || isRequested) return []
        const before = newest.get(collector) ?? -1
        newest.set(collector, Math.max(before, sent))
        return sent > before ? [] : [`${id} was sent before an older one of its collector`]
      })
    },
  },
  {
    number: 8,
    name: 'a redeem is sent at most twice; an issue never after 200, 202 or 400',
    broken: ({ deliveries }) => {
      const byKey = Map.groupBy(
        deliveries.filter(({ key }) => key !== null),
        ({ key }) => key ?? '',
      )
      return [...byKey].flatMap(([key, sends]) => {
        const path = sends[0]?.path ?? ''
        const seen = sends.filter(wasProcessed).length
        if (path === CASH_PATHS.redeem && seen > 2) return [`redeem ${key} was sent ${seen} times`]
        if (path.startsWith('/checkout/issuance')) {
          // A later run of the terminal may send the call again: the run that got the response may have ended before it
          // recorded it.
          const seenSends = sends.filter(wasProcessed)
          const again = seenSends.some(
            ({ answer, run }, index) =>
              answer?.kind === 'answer' &&
              understood(answer.status, answer.bytes, sends[0]?.body ?? {}) &&
              seenSends[index + 1]?.run === run,
          )
          if (again) return [`${path} ${key} was sent again after its response`]
        }
        return []
      })
    },
  },
  {
    number: 9,
    name: 'the reconciliation report is exactly the approvals on a retry',
    broken: ({ db, deliveries }) => {
      const reported = new Set(
        createReconciliationRepository(db)
          .unreported()
          .map(({ operationId }) => operationId),
      )
      const went = (id: string, to: string): boolean =>
        db.prepare('SELECT 1 FROM journal_entry WHERE operation_id = ? AND to_state = ?').get(id, to) !== undefined
      return operations(db).flatMap(({ id, kind, key }) => {
        if (kind !== 'redemption') return []
        const sends = deliveries.filter((sent) => sent.key === key && wasProcessed(sent)).length
        const onRetry = went(id, 'approved') && went(id, 'retry')
        if (reported.has(id) !== onRetry)
          return [
            `${id} was ${onRetry ? '' : 'not '}approved on a retry, but ${reported.has(id) ? 'is' : 'is not'} ` +
              'in the report',
          ]
        // The journal alone is not sufficient: also count the sends that the services received. A redemption that they
        // received twice must be in the report.
        return went(id, 'approved') && !reported.has(id) && sends > 1
          ? [`${id} was sent ${sends} times before its approval, but is not in the report`]
          : []
      })
    },
  },
  {
    number: 10,
    name: 'every operation becomes final when faults stop',
    broken: ({ areOperationsFinal, db }) =>
      areOperationsFinal
        ? []
        : operations(db)
            .filter(({ kind, state }) => state !== 'approved' && !isFinal(kind, state))
            .map(({ id, state }) => `${id} is still ${state}`),
  },
  {
    number: 12,
    name: 'private balances are neither stored nor shown',
    broken: ({ db, outputs, central, privateCollectors }) => {
      if (privateCollectors.length === 0) return []
      const texts = (sql: string): string[] =>
        db
          .prepare<[], { text: string }>(sql)
          .all()
          .map(({ text }) => text)
      const stored = [
        ...texts("SELECT coalesce(inquiry, '') AS text FROM sale"),
        ...texts('SELECT detail AS text FROM journal_entry'),
      ]
      const shown = [...outputs, ...texts('SELECT document AS text FROM print_job')]
      const found = (where: string, all: readonly string[], numbers: readonly string[]): string[] =>
        numbers.flatMap((number) =>
          all.filter((text) => text.includes(number)).map((text) => `${where}: ${text.slice(0, 80)}`),
        )
      return [...found('stored', stored, central.neverStored), ...found('shown', shown, central.neverShown)]
    },
  },
  {
    number: 12,
    name: 'the token of a member is neither stored nor shown',
    broken: ({ db, outputs, members }) => {
      const image = Buffer.from(db.serialize())
      const all = outputs.join('\n')
      return (members?.tokens ?? []).flatMap((token) => [
        ...(image.includes(token) ? [`the database contains ${token}`] : []),
        ...(all.includes(token) ? [`${token} was outputs`] : []),
      ])
    },
  },
  {
    number: 16,
    name: 'an offer’s state changes as its member requested, and confirmed changes exist',
    broken({ db, members }) {
      if (!members) return []
      const asked = new Map(operations(db).flatMap((op) => (op.kind === 'offer-state' ? [[op.traceId, op]] : [])))
      const seal = createSeal(MASTER_KEY)
      const collectorOf = db.prepare<[string], Buffer>('SELECT collector_hash FROM operation WHERE id = ?').pluck()
      const done = new Set(members.taken.map(({ correlationId }) => correlationId))
      return [
        ...members.taken.flatMap(({ collector, offerId, correlationId }) => {
          const op = asked.get(correlationId)
          if (!op) return [`${offerId} of ${collector} was changed without a request`]
          return collectorOf.get(op.id)?.equals(seal.keyedHash(collector)) === true
            ? []
            : [`${offerId} was changed for ${collector}, who did not request it`]
        }),
        ...[...asked.values()].flatMap(({ id, state, traceId }) =>
          state === 'confirmed' && !done.has(traceId) ? [`${id} is confirmed, but the program does not have it`] : [],
        ),
      ]
    },
  },
  {
    number: 13,
    name: 'one effect per command key',
    broken({ db, answers }) {
      const effects = new Map(
        db
          .prepare<[], { key: string; times: number }>('SELECT key, count(*) AS times FROM effect_seen GROUP BY key')
          .all()
          .map(({ key, times }) => [key, times]),
      )
      return [
        ...[...effects].flatMap(([key, times]) => (times > 1 ? [`the command ${key} was run ${times} times`] : [])),
        ...[...answers.keys()].flatMap((key) =>
          effects.has(key) ? [] : [`the command ${key} got a response, but was not run`],
        ),
      ]
    },
  },
  {
    number: 14,
    name: 'every row is in one shift and one Z, and every Z is the sum of its rows',
    broken: ({ db }) => brokenDayEnd(db),
  },
  {
    number: 17,
    name: 'returns give back what was paid, and never more',
    broken: ({ db }) => brokenReturns(db),
  },
  {
    number: 18,
    name: 'the items of a request have whole quantities and amounts that add up',
    broken: ({ deliveries }) => brokenRequests(deliveries),
  },
]

/**
 * 401 and 403 without a response code are about the token: the service did not process the call, so a send with a fresh
 * token is not a second send.
 */
export const wasProcessed = ({ fault }: Delivery): boolean => fault !== 'token-refused'

/** Returns approvals that the terminal received and that do not match their request, for seeds without a restart. */
function mismatchesOnTheWire(
  deliveries: readonly Delivery[],
  runs: number,
): { readonly number: string; readonly traceId: string }[] {
  if (runs > 1) return []
  return deliveries.flatMap(({ path, fault, answer, body }) => {
    if (path !== CASH_PATHS.redeem || fault !== 'wrong-amount' || answer?.kind !== 'answer') return []
    const response = JSON.parse(Buffer.from(answer.bytes).toString('utf8')) as Record<string, unknown>
    return typeof response['txnConfirmationNumber'] === 'string'
      ? [{ number: response['txnConfirmationNumber'], traceId: String(body['traceId']) }]
      : []
  })
}

const isApproved = (db: Database, traceId: string): boolean =>
  db
    .prepare(
      `SELECT 1 FROM operation JOIN operation_call ON operation_id = operation.id AND purpose = 'redeem'
        WHERE trace_id = ?
        AND state IN ('intent', 'retry', 'approved', 'reversing', 'reversed', 'reversal-expired',
        'reversal-escalated')`,
    )
    .get(traceId) !== undefined

const sum = (effects: readonly Effect[]): number => effects.reduce((total, { miles }) => total + miles, 0)

function understood(status: number, bytes: Uint8Array, request: Record<string, unknown>): boolean {
  if (status === 400) return true
  if (status !== 200 && status !== 202) return false
  try {
    const body = JSON.parse(Buffer.from(bytes).toString('utf8')) as Record<string, unknown>
    return (
      body['transactionId'] !== undefined &&
      body['checkoutTransactionId'] === request['checkoutTransactionId'] &&
      body['collectorNumber'] === request['collectorNumber'] &&
      body['responseCode'] !== '0092'
    )
  } catch {
    return false
  }
}

function issuanceAgrees(op: Op, effects: readonly Effect[]): string[] {
  // A RECORD moves no miles and has no idempotency key, so it has no effect at the services.
  if (op.key === null) return []
  const done = effects.filter(({ key }) => key === op.key)
  switch (op.state) {
    case 'confirmed':
    case 'accepted':
    case 'rejected':
      return done.length === 1 && sameMiles(op, done[0])
        ? []
        : [
            `${op.type} ${op.id} is ${op.state} with ${op.miles ?? 0} miles, ${op.pendingMiles ?? 0} pending ` +
              `and ${op.rejectedMiles ?? 0} rejected; the loyalty service did it ${done.length} times ` +
              `(${sum(done)} miles)`,
          ]
    case 'dead':
      return done.length === 0 || (done.length === 1 && op.mayBeDone === 1)
        ? []
        : [`${op.type} ${op.id} is dead, but the loyalty service did it`]
    default:
      return done.length <= 1 ? [] : [`${op.type} ${op.id} was done ${done.length} times`]
  }
}

const sameMiles = (op: Op, effect: Effect | undefined): boolean =>
  effect !== undefined &&
  op.miles === effect.miles &&
  op.pendingMiles === (effect.pending ?? 0) &&
  op.rejectedMiles === (effect.rejected ?? 0)

export function operations(db: Database): Op[] {
  return db
    .prepare<[], Op>(`SELECT operation.id, kind, type, state, sale_id AS saleId, amount_cents AS amountCents, miles,
      pending_miles AS pendingMiles, rejected_miles AS rejectedMiles, approved_on_attempt AS approvedOnAttempt,
      coalesce(operation_call.trace_id, operation_draft.trace_id) AS traceId, idempotency_key AS key,
      EXISTS (SELECT 1 FROM journal_entry WHERE operation_id = operation.id AND from_state = 'sent'
        AND to_state IN ('sent', 'queued') AND detail ->> '$.kept.undone' IS NULL) AS mayBeDone
    FROM operation LEFT JOIN operation_call ON operation_call.operation_id = operation.id AND purpose = type
    LEFT JOIN operation_draft ON operation_draft.operation_id = operation.id ORDER BY operation.rowid`)
    .all()
}
