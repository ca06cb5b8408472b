import { isDeepStrictEqual } from 'node:util'
import { UNIT_RULES } from '../../../contracts/catalog/measure-units.ts'
import type { ApprovalRequest } from '../../../contracts/sales/approvals.ts'
import type { ApprovalAction, DiscountReason } from '../../../contracts/sales/sale-changes.ts'
import type { Role, Staff } from '../../../contracts/staff/session.ts'
import type { AuditKind } from '../../../contracts/staff/audit-kinds.ts'
import { APPROVER_ROLES } from '../../../contracts/staff/permissions.ts'
import type { Permission } from '../../../contracts/sales/sale-rules.ts'
import { isEmpties } from '../../catalog/charges.ts'
import { needsSupervisor } from '../sale/discounts.ts'
import type { Tx } from '../../core/db/transact.ts'
import { type StoreTax, storeTaxesOf } from '../../catalog/tax.ts'
import { ProblemError } from '../../core/problem.ts'
import { pricingOf, totalsOf, type PricedParts, type SaleParts } from '../sale/sale-parts.ts'
import type { AuditDetail } from '../../core/audit.ts'
import { approvalRequest, changeOfSale, covered, subjectOf, type ApprovalFacts, type ChangeOfSale } from './request.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'

/**
 * An approval by the PIN sent with a command. It approves only what the command needs and what was shown. See
 * docs/decisions/0017-an-approval-covers-what-was-shown.md.
 */
export interface GivenApproval {
  readonly by: string
  readonly role: Role
  readonly covers: string
}

export interface Who {
  readonly actorId: string
  readonly role: Role
  readonly approval: GivenApproval | null
}

/**
 * The actor of a change and its approver. For an override, the actor is also the approver; null if no approval is
 * required.
 */
export interface Authorization {
  readonly actorId: string
  readonly approvedBy: string | null
}

type Verdict =
  | { readonly kind: 'free' }
  | { readonly kind: 'word'; readonly action: ApprovalAction; readonly approvedBy: string }
  | { readonly kind: 'refused'; readonly problem: ProblemError }

/** Whether a role can be an approver at all; the store's permissions define of which actions. */
export const mayApprove = ({ role }: Pick<Staff, 'role'>): boolean => role !== 'cashier'
export const withoutApproval = (actor: Pick<Staff, 'id' | 'role'>): Who => ({
  actorId: actor.id,
  role: actor.role,
  approval: null,
})

const settings = (ctx: Ctx) => ctx.profile.approvals

const ruleOf = (ctx: Ctx, action: ApprovalAction): Permission => settings(ctx).actions[action]

/**
 * Checks all actions of a command against the permissions. One approval covers all of them; the request for it names
 * the first action that needs it as the reason.
 */
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
    // The actor needs no other person. An action that a cashier may not do alone is the actor's override, even if
    // another person's PIN was sent.
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

function requestOf(
  ctx: Ctx,
  actions: readonly ApprovalAction[],
  facts: ApprovalFacts,
  thing?: string,
): ApprovalRequest {
  const [first] = actions
  if (first === undefined) throw new Error('an approval request needs at least one action')
  const approvers = APPROVER_ROLES.filter((role) =>
    actions.every((action) => ruleOf(ctx, action).approvers.includes(role)),
  )
  return approvalRequest(first, approvers, facts, thing)
}

const authorizationOf = ({ actorId }: Who, verdict: Verdict): Authorization => ({
  actorId,
  approvedBy: verdict.kind === 'word' ? verdict.approvedBy : null,
})

function needAll(
  ctx: Ctx,
  actions: readonly ApprovalAction[],
  who: Who,
  facts: () => ApprovalFacts,
  thing?: string,
): Authorization {
  const verdict = judge(ctx, actions, who, facts, thing)
  if (verdict.kind === 'refused') throw verdict.problem
  if (verdict.kind === 'word') recordAuthorization(ctx, verdict.action, verdict.approvedBy, who.actorId, facts(), thing)
  return authorizationOf(who, verdict)
}

function recordAuthorization(
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

function touchedBy(ctx: Ctx, before: SaleParts, after: SaleParts): ApprovalAction[] {
  return [
    ...(voidsLine(before, after) ? (['line-void'] as const) : []),
    ...(pricesMore(before, after) ? (['price'] as const) : []),
    ...(weighsByHand(before, after) ? (['weight-typed'] as const) : []),
    ...(exemptsMore(before, after, storeTaxesOf(ctx)()) ? (['exemption'] as const) : []),
    ...buyersSet(before, after),
    ...emptiesAbove(ctx, before, after),
    ...(isAboveLimit(ctx, before, after) ? (['discount'] as const) : []),
  ]
}

const isAboveLimit = (ctx: Ctx, before: SaleParts, after: SaleParts): boolean =>
  needsSupervisor(Math.round(settings(ctx).discountAbovePercent * 10_000), pricingOf(before), pricingOf(after))

/** Returns the limit of discounts without approval, in percent, if a change exceeds it; else null. */
const limitExceeded = (ctx: Ctx, before: SaleParts, after: SaleParts): number | null =>
  isAboveLimit(ctx, before, after) ? settings(ctx).discountAbovePercent : null

const factsOf = (ctx: Ctx, before: SaleParts, after: SaleParts, reason: DiscountReason | null): ChangeOfSale =>
  changeOfSale(before, after, storeTaxesOf(ctx)(), { reason, limitPercent: limitExceeded(ctx, before, after) })

/** Returns the authorization that `needAll` will return, for a row that must be inserted before. Records nothing. */
const authorize = (
  ctx: Ctx,
  actions: readonly ApprovalAction[],
  who: Who,
  facts: ApprovalFacts,
  thing?: string,
): Authorization =>
  authorizationOf(
    who,
    judge(ctx, actions, who, () => facts, thing),
  )

/** Checks a change of an open sale. An approval covers only the change that was shown to the approver. */
const change = (
  ctx: Ctx,
  before: SaleParts,
  after: SaleParts,
  who: Who,
  reason: DiscountReason | null = null,
): Authorization => needAll(ctx, touchedBy(ctx, before, after), who, () => factsOf(ctx, before, after, reason))

const changeAuthorization = (
  ctx: Ctx,
  before: SaleParts,
  after: SaleParts,
  who: Who,
  reason: DiscountReason | null,
): Authorization =>
  authorizationOf(
    who,
    judge(ctx, touchedBy(ctx, before, after), who, () => factsOf(ctx, before, after, reason)),
  )

/** Checks the permission to hold or cancel a sale as a whole. */
function whole(ctx: Ctx, action: 'sale-void' | 'hold', now: SaleParts, who: Who): Authorization {
  const after = action === 'hold' ? now : { ...now, lines: now.lines.map((line) => ({ ...line, voided: 1 as const })) }
  return needAll(ctx, [action], who, () => changeOfSale(now, after, storeTaxesOf(ctx)()))
}

/**
 * Whether ringing an item without a typed weight could need an approval in this sale: only if a person changed prices,
 * discounts or taxes of the sale.
 */
const mayAsk = ({ sale, lines, discounts }: PricedParts): boolean =>
  sale.exemption !== null ||
  discounts.some(({ source }) => source === 'cashier') ||
  lines.some(
    ({ regularPriceCents, exemption, voided }) => (regularPriceCents !== null || exemption !== null) && voided === 0,
  )

/** Adds an audit entry for a change. `detail` has the values before and after, never a PIN or a card number. */
function record(
  ctx: Ctx,
  tx: Tx,
  kind: AuditKind,
  saleId: string,
  { actorId, approvedBy }: Authorization,
  detail: AuditDetail,
): void {
  ctx.audit.record(tx, { kind, actorId, subject: saleId, detail: { ...detail, approvedBy } })
}

/**
 * Checks the permissions of roles, and audits restricted actions. Call in the transaction of the change: a refusal
 * rolls it back, and the audit entry commits with it. Call after all other checks, so that no approval is requested for
 * a command that is refused anyway.
 */
export const guardOf = perLane((ctx: Ctx) => ({
  ...bound(ctx, {
    authorize,
    change,
    changeAuthorization,
    limitExceeded,
    requestOf,
    whole,
    record,
  }),
  /**
   * Checks one action and returns its authorization. Throws ProblemError `not-permitted`, `approver-not-allowed`, or
   * `approval-required` with the change to approve, unless exactly this change was approved.
   */
  need: (action: ApprovalAction, who: Who, facts: ApprovalFacts, thing?: string): Authorization =>
    needAll(ctx, [action], who, () => facts, thing),
  needAll: (actions: readonly ApprovalAction[], who: Who, facts: ApprovalFacts, thing?: string): Authorization =>
    needAll(ctx, actions, who, () => facts, thing),
  changeOf: (before: SaleParts, after: SaleParts): ChangeOfSale => changeOfSale(before, after, storeTaxesOf(ctx)()),
  mayAsk,
}))

const effectiveLines = ({ lines }: SaleParts) => lines.filter(({ voided }) => voided === 0)

function voidsLine(before: SaleParts, after: SaleParts): boolean {
  const left = new Set(effectiveLines(after).map(({ number }) => number))
  return effectiveLines(before).some(({ number }) => !left.has(number))
}

/** Returns the action of a change that sets another buyer group; removing the group requires no permission. */
const buyersSet = (before: SaleParts, after: SaleParts): ApprovalAction[] =>
  after.sale.buyers === null || after.sale.buyers === before.sale.buyers ? [] : [`${after.sale.buyers}-price`]

/**
 * Returns the action of a change that takes back more empty containers, if their value reaches the limit of the
 * profile.
 */
function emptiesAbove(ctx: Ctx, before: SaleParts, after: SaleParts): ApprovalAction[] {
  const refunded = (parts: SaleParts): number =>
    effectiveLines(parts).reduce((sum, line) => (isEmpties(line) ? sum - line.quantity * line.unitPriceCents : sum), 0)
  const limit = Math.round(ctx.profile.deposits.empties.approvalFromDollars * 100)
  return refunded(after) > refunded(before) && refunded(after) >= limit ? ['empties'] : []
}

/** Whether a change gives a line a price other than the catalog's, or adds pieces at such a price. */
function pricesMore(before: SaleParts, after: SaleParts): boolean {
  const was = new Map(effectiveLines(before).map((line) => [line.number, line]))
  return effectiveLines(after).some(({ number, regularPriceCents, unitPriceCents, quantity }) => {
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

/** Whether a change adds a line whose weight a person typed. Other quantities, such as metres, are always typed. */
function weighsByHand(before: SaleParts, after: SaleParts): boolean {
  const was = new Set(effectiveLines(before).map(({ number }) => number))
  return effectiveLines(after).some(
    ({ number, measure }) => measure?.source === 'typed' && UNIT_RULES[measure.unit].isWeight && !was.has(number),
  )
}

function exemptsMore(before: SaleParts, after: SaleParts, taxes: readonly StoreTax[]): boolean {
  const exempted = effectiveLines(after).filter(({ exemption }) => exemption !== null)
  if (after.sale.exemption === null && exempted.length === 0) return false
  const was = new Map(effectiveLines(before).map(({ number, exemption }) => [number, exemption]))
  return (
    (after.sale.exemption !== null && before.sale.exemption !== after.sale.exemption) ||
    exempted.some(({ number, exemption }) => !isDeepStrictEqual(exemption, was.get(number))) ||
    spared(after, taxes) > spared(before, taxes)
  )
}

const spared = (parts: SaleParts, taxes: readonly StoreTax[]): number =>
  totalsOf(
    {
      ...parts,
      sale: { ...parts.sale, exemption: null },
      lines: parts.lines.map((line) => ({ ...line, exemption: null })),
    },
    taxes,
  ).totalCents - totalsOf(parts, taxes).totalCents
