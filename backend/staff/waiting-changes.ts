import type { z } from 'zod'
import {
  type WaitingChangeKey,
  type WaitingChanges,
  WAITING_KINDS,
  type WaitingChange,
} from '../../contracts/staff/settings.ts'
import {
  type ConfirmedRequest,
  CHANGE_PATHS,
  ConfirmedChanges,
  MAX_FACTS_PER_QUERY,
  PersonChange,
  SettingChange,
} from '../../contracts/store/changes.ts'
import { isoOf } from '../core/clock.ts'
import type { Tx } from '../core/db/transact.ts'
import { ProblemError } from '../core/problem.ts'
import type { Waiting, WaitingKey } from '../store/changes.sql.ts'
import type { AuditDetail } from '../core/audit.ts'
import { STORE_PROTOCOL } from '../../contracts/store/protocol.ts'
import type { App } from '../core/http/app.ts'
import { staffContract } from '../../contracts/staff/staff.routes.ts'
import { serve } from '../core/http/serve.ts'
import { signedIn } from '../core/http/guards.ts'
import { changesOf } from '../store/changes.ts'
import { staffOf } from './sign-in.ts'
import { settingsOf } from './settings/settings.ts'
import { type Ctx, perLane, bound } from '../core/context.ts'
import { isStopping, runLater } from '../core/lifecycle.ts'
import { storeOf } from '../store/store-link.ts'

function announce(ctx: Ctx): void {
  ctx.transact.afterCommit(() => {
    ctx.publish({ type: 'staff-changed' })
  })
}

function factsOf({ kind, subject, lane, value }: Waiting): { subject?: string; detail: AuditDetail } {
  if (kind === 'setting') return { detail: { change: kind, setting: subject, lane } }
  const changedPerson = kind === 'person' ? PersonChange.parse(value) : null
  return {
    subject,
    detail: { change: kind, ...(changedPerson ? { name: changedPerson.name, role: changedPerson.role } : {}), lane },
  }
}

function summaryOf(ctx: Ctx, { kind, subject, value }: Waiting): WaitingChange['what'] {
  switch (kind) {
    case 'person': {
      const { name, role } = PersonChange.parse(value)
      const known = staffOf(ctx)
        .roster.all()
        .find(({ id }) => id === subject)
      const pin = changesOf(ctx).changedAt('person-pin', subject)
      return {
        of: 'person',
        name,
        role,
        before: known?.active ? known.role : null,
        pinFrom: pin?.elsewhere ? pin.lane : null,
      }
    }
    case 'setting':
      return { of: 'setting', name: subject, ...settingOf(ctx, subject, SettingChange.parse(value)) }
    default:
      return { of: kind === 'person-pin' ? 'pin' : 'badge', name: nameOf(ctx, subject) }
  }
}

function nameOf(ctx: Ctx, id: string): string {
  const changes = changesOf(ctx)
    .waiting()
    .find(({ kind, subject }) => kind === 'person' && subject === id)
  return changes ? PersonChange.parse(changes.value).name : staffOf(ctx).nameOf(id)
}

function settingOf(
  ctx: Ctx,
  subject: string,
  { rows }: SettingChange,
): { before: z.core.util.JSONType; after: z.core.util.JSONType[] } {
  const setting = settingsOf(ctx)
    .list()
    .find(({ name }) => name === subject)
  const after = rows.map(({ value }) =>
    value === null ? (setting?.profile ?? null) : (JSON.parse(value) as z.core.util.JSONType),
  )
  return { before: setting?.value ?? null, after: after.length === 0 ? [setting?.profile ?? null] : after }
}

function found(ctx: Ctx, key: WaitingChangeKey): Waiting {
  const change = changesOf(ctx).findWaiting(key)
  if (!change) throw new ProblemError('changed-meanwhile')
  return change
}

function confirm(ctx: Ctx, tx: Tx, change: Waiting, confirmedBy: string, actorId: string | null, why?: string): void {
  const { detail, ...about } = factsOf(change)
  ctx.audit.record(tx, {
    kind: 'change-confirmed',
    actorId,
    ...about,
    detail: { ...detail, ...(actorId === null ? { owner: confirmedBy } : {}), ...(why === undefined ? {} : { why }) },
  })
  changesOf(ctx).confirm(tx, change, confirmedBy)
  announce(ctx)
}

const list = (ctx: Ctx): WaitingChanges => ({
  changes: changesOf(ctx)
    .waiting()
    .flatMap((change): WaitingChange[] => {
      const { subject, clock, lane, at, byId } = change
      const kind = WAITING_KINDS.find((one) => one === change.kind)
      if (kind === undefined) return []
      const by = byId === null ? null : staffOf(ctx).nameOf(byId)
      return [{ kind, subject, clock, lane, at: isoOf(at), by, what: summaryOf(ctx, change) }]
    }),
})

/**
 * Applies a change that the owner of the store confirmed at the store server, with the name and reason entered there.
 */
function confirmForOwner(ctx: Ctx, key: WaitingKey, by: string, why: string): void {
  ctx.transact((tx) => {
    const change = changesOf(ctx).findWaiting(key)
    if (change) confirm(ctx, tx, change, by, null, why)
  })
}

/**
 * Refuses a waiting change by sending this lane's state as a change to every lane. A PIN or badge simply stays as it is
 * at this lane. Throws ProblemError `changed-meanwhile`.
 */
function refuse(ctx: Ctx, key: WaitingChangeKey, managerId: string): void {
  ctx.transact((tx) => {
    const change = found(ctx, key)
    ctx.audit.record(tx, { kind: 'change-refused', actorId: managerId, ...factsOf(change) })
    const { kind, subject } = change
    changesOf(ctx).dropWaiting(tx, kind, subject)
    if (kind === 'person') staffOf(ctx).roster.sendCurrent(tx, subject, nameIn(change), managerId)
    if (kind === 'setting') settingsOf(ctx).sendCurrent(tx, subject, managerId)
    announce(ctx)
  })
}

/** Other lanes' changes that wait for a manager of this lane, or for the owner of the store. */
export const waitingChangesOf = perLane((ctx: Ctx) => {
  changesOf(ctx).onWaiting((tx, change) => {
    ctx.audit.record(tx, { kind: 'change-waiting', actorId: change.byId, ...factsOf(change) })
    announce(ctx)
  })
  return {
    ...bound(ctx, {
      list,
      confirmForOwner,
      refuse,
    }),
    /** Confirms a waiting change. Throws ProblemError `changed-meanwhile` if it does not wait any more. */
    confirm(key: WaitingChangeKey, managerId: string): void {
      ctx.transact((tx) => {
        confirm(ctx, tx, found(ctx, key), managerId, managerId)
      })
    },
  }
})

const nameIn = ({ value }: Waiting): string => PersonChange.parse(value).name

const QUERY_EVERY_MS = 10_000

/** While changes wait at this lane, asks the store server which of them the store's owner has confirmed. */
export function followOwner(ctx: Ctx): void {
  const { log } = ctx
  const link = storeOf(ctx)
  const changes = changesOf(ctx)
  const waiting = waitingChangesOf(ctx)
  let callOff: () => void = () => undefined
  let isRunning = false

  async function ask(): Promise<void> {
    const known = new Map(changes.waiting().flatMap((one) => (one.fact ? [[keyOf(one.fact), one] as const] : [])))
    const facts = [...known.values()].flatMap(({ fact }) => (fact ? [fact] : []))
    for (let from = 0; from < facts.length && !isStopping(ctx); from += MAX_FACTS_PER_QUERY) {
      const asked: ConfirmedRequest = { protocol: STORE_PROTOCOL, facts: facts.slice(from, from + MAX_FACTS_PER_QUERY) }
      const response = await link.send(CHANGE_PATHS.confirmed, asked, ConfirmedChanges)
      if (response.kind !== 'answer' || isStopping(ctx)) return
      for (const { by, why, ...fact } of response.body.confirmed) {
        const change = known.get(keyOf(fact))
        if (change) waiting.confirmForOwner(change, by, why)
      }
    }
  }

  function checkConfirmed(): void {
    callOff()
    if (isStopping(ctx) || isRunning || link.state().kind === 'none') return
    isRunning = true
    ask()
      .catch((error: unknown) => log.error({ err: error }, 'confirmations of the owner could not be read'))
      .finally(() => {
        isRunning = false
        callOff = runLater(ctx, QUERY_EVERY_MS, checkConfirmed)
      })
  }

  link.events.on('reached', checkConfirmed)
}

const keyOf = ({ stream, seq }: ConfirmedRequest['facts'][number]): string => `${stream}/${seq}`

export function waitingChangesRoutes(ctx: Ctx, app: App): void {
  const waiting = waitingChangesOf(ctx)
  serve(app, staffContract['GET /waiting-changes'], () => waiting.list())
  serve(app, staffContract['POST /waiting-changes/confirm'], (request) => {
    waiting.confirm(request.body, signedIn(request).id)
    return waiting.list()
  })
  serve(app, staffContract['POST /waiting-changes/refuse'], (request) => {
    waiting.refuse(request.body, signedIn(request).id)
    return waiting.list()
  })
}
