import type { ApprovalRequest } from '../../../contracts/sales/approvals.ts'
import type { ApprovalAction, DiscountReason } from '../../../contracts/sales/sale-changes.ts'
import type { Role, Staff } from '../../../contracts/staff/session.ts'
import type { AuditKind } from '../../../contracts/staff/audit-kinds.ts'
import { APPROVER_ROLES } from '../../../contracts/staff/permissions.ts'
import type { Permission } from '../../../contracts/sales/sale-rules.ts'
import { needsSupervisor } from '../sale/discounts.ts'
import type { Tx } from '../../core/db/transact.ts'
import { type StoreTax, storeTaxesOf } from '../../catalog/tax.ts'
import { ProblemError } from '../../core/problem.ts'
import { pricingOf, totalsOf, type PricedParts, type SaleParts } from '../sale/sale-parts.ts'
import type { AuditDetail } from '../../core/audit.ts'
import { approvalRequest, changeOfSale, covered, subjectOf, type ApprovalFacts, type ChangeOfSale } from './request.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'

/** A PIN beside a command. It approves nothing by being there: only what the command needs, and as it was shown. */
export interface GivenApproval {
  readonly by: string
  readonly role: Role
  /** What was shown to whoever gave it. */
  readonly covers: string
}

/** Who asks for a change, and with whose PIN beside it. */
export interface Who {
  readonly actorId: string
  readonly role: Role
  readonly approval: GivenApproval | null
}

/** On whose word a change was made: one's own, where a cashier would have had to ask; null where nobody would. */
export interface Word {
  readonly actorId: string
  readonly approvedBy: string | null
}

/** What the store's table says of a command, before anything of it is written. */
type Verdict =
  | { readonly kind: 'free' }
  | { readonly kind: 'word'; readonly action: ApprovalAction; readonly approvedBy: string }
  | { readonly kind: 'refused'; readonly problem: ProblemError }

/** Who may approve at all; for what, is in the store's table. */
export const mayApprove = ({ role }: Pick<Staff, 'role'>): boolean => role !== 'cashier'
/** A command without a PIN beside it. */
export const onOwnWord = (actor: Pick<Staff, 'id' | 'role'>): Who => ({
  actorId: actor.id,
  role: actor.role,
  approval: null,
})

const settings = (ctx: Ctx) => ctx.profile.approvals

const ruleOf = (ctx: Ctx, action: ApprovalAction): Permission => settings(ctx).actions[action]

/** One approval covers all that a command does: `actions` names it, what is told first first. */
function judge(
  ctx: Ctx,
  actions: readonly ApprovalAction[],
  who: Who,
  facts: () => ApprovalFacts,
  thing?: string,
): Verdict {
  const permits = actions.map((action) => ({
    action,
    rule: ruleOf(ctx, action),
    permit: ruleOf(ctx, action)[who.role],
  }))
  const refused = (...problem: ConstructorParameters<typeof ProblemError>): Verdict => ({
    kind: 'refused',
    problem: new ProblemError(...problem),
  })
  const never = permits.find(({ permit }) => permit === 'never')
  if (never) return refused('not-permitted', [{ path: 'action', message: never.action }])
  const asking = permits.filter(({ permit }) => permit === 'with-approval')
  if (asking.length === 0) {
    // What a cashier could not have done alone stands in the trail as a word of one's own, whoever's PIN came with
    // it.
    const override = permits.find(({ rule }) => rule.cashier !== 'alone')
    return override ? { kind: 'word', action: override.action, approvedBy: who.actorId } : { kind: 'free' }
  }
  const request = requestOf(
    ctx,
    asking.map(({ action }) => action),
    facts(),
    thing,
  )
  const { approval } = who
  if (approval === null || approval.by === who.actorId || approval.covers !== request.covers)
    return refused('approval-required', [{ path: 'action', message: request.action }], { approval: request })
  if (!request.approvers.some((role) => role === approval.role)) return refused('approver-not-allowed')
  return { kind: 'word', action: request.action, approvedBy: approval.by }
}

/** What an approval of all these actions would be asked for. */
function requestOf(
  ctx: Ctx,
  actions: readonly ApprovalAction[],
  facts: ApprovalFacts,
  thing?: string,
): ApprovalRequest {
  const [first] = actions
  if (first === undefined) throw new Error('an approval is of an action')
  const approvers = APPROVER_ROLES.filter((role) =>
    actions.every((action) => ruleOf(ctx, action).approvers.includes(role)),
  )
  return approvalRequest(first, approvers, facts, thing)
}

const wordOf = ({ actorId }: Who, verdict: Verdict): Word => ({
  actorId,
  approvedBy: verdict.kind === 'word' ? verdict.approvedBy : null,
})

function needAll(
  ctx: Ctx,
  actions: readonly ApprovalAction[],
  who: Who,
  facts: () => ApprovalFacts,
  thing?: string,
): Word {
  const verdict = judge(ctx, actions, who, facts, thing)
  if (verdict.kind === 'refused') throw verdict.problem
  if (verdict.kind === 'word') recordWord(ctx, verdict.action, verdict.approvedBy, who.actorId, facts(), thing)
  return wordOf(who, verdict)
}

function recordWord(
  ctx: Ctx,
  action: ApprovalAction,
  approvedBy: string,
  askedBy: string,
  facts: ApprovalFacts,
  thing?: string,
): void {
  const onOwn = approvedBy === askedBy
  const subject = subjectOf(facts) ?? thing
  ctx.transact((tx) => {
    ctx.audit.record(tx, {
      kind: onOwn ? 'override' : 'approval-given',
      actorId: approvedBy,
      ...(subject === undefined ? {} : { subject }),
      detail: { action, ...(onOwn ? {} : { askedBy }), ...covered(facts, ctx.profile.locales.default) },
    })
  })
}

/** What of a change the store's table speaks of, in the order in which it is named. */
function touchedBy(ctx: Ctx, before: SaleParts, after: SaleParts): ApprovalAction[] {
  return [
    ...(voidsLine(before, after) ? (['line-void'] as const) : []),
    ...(pricesMore(before, after) ? (['price'] as const) : []),
    ...(exemptsMore(before, after, storeTaxesOf(ctx)()) ? (['exemption'] as const) : []),
    ...(isAboveLimit(ctx, before, after) ? (['discount'] as const) : []),
  ]
}

const isAboveLimit = (ctx: Ctx, before: SaleParts, after: SaleParts): boolean =>
  needsSupervisor(Math.round(settings(ctx).discountAbovePercent * 10_000), pricingOf(before), pricingOf(after))

const factsOf = (ctx: Ctx, before: SaleParts, after: SaleParts, reason: DiscountReason | null): ChangeOfSale =>
  changeOfSale(before, after, storeTaxesOf(ctx)(), {
    reason,
    limitPercent: isAboveLimit(ctx, before, after) ? settings(ctx).discountAbovePercent : null,
  })

/** On whose word `need` would let it be done: for a row that is written before, and once. Asks nobody. */
const word = (ctx: Ctx, action: ApprovalAction, who: Who, facts: ApprovalFacts): Word =>
  wordOf(
    who,
    judge(ctx, [action], who, () => facts),
  )

/**
 * For every change of an open sale, by whichever door it comes: an approval covers what it was given for, and
 * nothing that comes after.
 */
const change = (ctx: Ctx, before: SaleParts, after: SaleParts, who: Who, reason: DiscountReason | null = null): Word =>
  needAll(ctx, touchedBy(ctx, before, after), who, () => factsOf(ctx, before, after, reason))

/** As `word` is of `need`. */
const wordOfChange = (ctx: Ctx, before: SaleParts, after: SaleParts, who: Who, reason: DiscountReason | null): Word =>
  wordOf(
    who,
    judge(ctx, touchedBy(ctx, before, after), who, () => factsOf(ctx, before, after, reason)),
  )

/** The same for a sale that is put aside or given up as a whole. */
function whole(ctx: Ctx, action: 'sale-void' | 'hold', now: SaleParts, who: Who): Word {
  const after = action === 'hold' ? now : { ...now, lines: now.lines.map((line) => ({ ...line, voided: 1 as const })) }
  return needAll(ctx, [action], who, () => changeOfSale(now, after, storeTaxesOf(ctx)()))
}

/** False where ringing can ask nobody: nothing of this sale was agreed by hand. */
const mayAsk = ({ sale, lines, discounts }: PricedParts): boolean =>
  sale.exemption !== null ||
  discounts.some(({ byHand }) => byHand) ||
  lines.some(({ regularPriceCents, voided }) => regularPriceCents !== null && voided === 0)

/** `detail` says what stood before and after. Never a PIN or a card number. */
function record(
  ctx: Ctx,
  tx: Tx,
  kind: AuditKind,
  saleId: string,
  { actorId, approvedBy }: Word,
  detail: AuditDetail,
): void {
  ctx.audit.record(tx, { kind, actorId, subject: saleId, detail: { ...detail, approvedBy } })
}

/**
 * What each role may do, by the store's table, and the trail of what was done. Every call stands inside the transaction
 * of its change: a refusal takes the change back, and the entry of the trail commits with it. It stands after
 * everything else that may refuse the change: nobody is called to approve what cannot be done anyway.
 */
export const guardOf = perLane((ctx: Ctx) => ({
  ...bound(ctx, {
    word,
    change,
    wordOfChange,
    requestOf,
    whole,
    record,
  }),
  /**
   * For one action; answers on whose word it is done. Throws ProblemError `not-permitted`, or `approval-required`
   * with what would be done, unless exactly that was approved.
   */
  need: (action: ApprovalAction, who: Who, facts: ApprovalFacts, thing?: string): Word =>
    needAll(ctx, [action], who, () => facts, thing),
  /** The same for a command that does more than one of them: one word does for all. */
  needAll: (actions: readonly ApprovalAction[], who: Who, facts: ApprovalFacts): Word =>
    needAll(ctx, actions, who, () => facts),
  /** What a change does to a sale, for `need`. */
  changeOf: (before: SaleParts, after: SaleParts): ChangeOfSale => changeOfSale(before, after, storeTaxesOf(ctx)()),
  mayAsk,
}))

const standing = ({ lines }: SaleParts) => lines.filter(({ voided }) => voided === 0)

function voidsLine(before: SaleParts, after: SaleParts): boolean {
  const left = new Set(standing(after).map(({ number }) => number))
  return standing(before).some(({ number }) => !left.has(number))
}

/** Another price than the catalog's, of a line or for pieces that did not have it before. */
function pricesMore(before: SaleParts, after: SaleParts): boolean {
  const was = new Map(standing(before).map((line) => [line.number, line]))
  return standing(after).some(({ number, regularPriceCents, unitPriceCents, quantity }) => {
    const then = was.get(number)
    return (
      regularPriceCents !== null &&
      (then === undefined ||
        then.regularPriceCents === null ||
        then.unitPriceCents !== unitPriceCents ||
        quantity > then.quantity)
    )
  })
}

/** Another exemption, or more tax that is not taken. */
function exemptsMore(before: SaleParts, after: SaleParts, taxes: readonly StoreTax[]): boolean {
  if (after.sale.exemption === null) return false
  return before.sale.exemption !== after.sale.exemption || spared(after, taxes) > spared(before, taxes)
}

const spared = (parts: SaleParts, taxes: readonly StoreTax[]): number =>
  totalsOf({ ...parts, sale: { ...parts.sale, exemption: null } }, taxes).totalCents - totalsOf(parts, taxes).totalCents
