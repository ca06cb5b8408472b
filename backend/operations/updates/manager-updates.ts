import type { UpdateDecision, Updates, NextVersion } from '../../../contracts/operations/updates.ts'
import { writeUpdateInstruction, isHeldAt, readUpdateInstruction } from '../../../packages/delivery/updates/get.ts'
import type { Slots } from '../../../packages/delivery/updates/slots.ts'
import { type SlotName, type SlotsState, otherSlot } from '../../../packages/delivery/updates/slots-state.ts'
import { isoOf } from '../../core/clock.ts'
import { ProblemError } from '../../core/problem.ts'
import { type CheckResult, type UpdateActivity, laneSlotsOf, updatesOf } from './lane-updates.ts'
import type { App } from '../../core/http/app.ts'
import { updatesContract } from '../../../contracts/operations/operations.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'
import { programOf } from '../../core/program/lane-program.ts'
import { type Ctx, perLane } from '../../core/context.ts'

/** Duration in ms of “not now”: long enough for a busy week, too short to miss updates for good. */
const HOLD_MS = 7 * 86_400_000

export interface InstalledLane {
  readonly slots: Pick<Slots, 'folder' | 'folderOf' | 'stagingOf' | 'installedIn' | 'state'>
  readonly own: SlotName
  readonly activity: () => UpdateActivity
}

const managerUpdatesOf = perLane((ctx: Ctx) => {
  const { clock, transact, audit } = ctx
  const version = programOf(ctx).version
  const lane = installedLaneOf(ctx)
  const read = (): Updates =>
    lane === null
      ? { slots: false, running: { version, since: null, notes: null }, next: null, last: null, look: null }
      : { slots: true, ...readLane(lane, version, clock.now()) }

  return {
    read,

    /**
     * Stores a manager's decision. Throws ProblemError `update-gone` when another version is pending than the one that
     * was shown.
     */
    decide({ version: wanted, when }: UpdateDecision, staffId: string): Updates {
      if (lane === null || read().next?.version !== wanted) throw new ProblemError('update-gone')
      const now = clock.now()
      const until = when === 'not-now' ? isoOf(now + HOLD_MS) : null
      transact((tx) => {
        audit.record(tx, {
          kind: until === null ? 'update-ordered' : 'update-postponed',
          actorId: staffId,
          subject: wanted,
          ...(until === null ? {} : { detail: { until } }),
        })
        const facts = { at: isoOf(now), by: staffId }
        // Written before the commit, so that a failed write to disk leaves no audit entry.
        writeUpdateInstruction(
          lane.slots.folder,
          until === null ? { kind: 'tonight', ...facts } : { kind: 'hold', ...facts, until },
        )
      })
      return read()
    },
  }
})

function readLane(lane: InstalledLane, version: string, now: number): Omit<Updates, 'slots'> {
  const { slots, own } = lane
  const state = slots.state()
  const { last } = state
  const isOfLast = last?.outcome === 'running' && last.version === version
  const { checked } = lane.activity()
  return {
    running: {
      version,
      since: isOfLast ? last.at : null,
      notes: slots.installedIn(slots.folderOf(own))?.manifest.notes ?? null,
    },
    next: nextOf(lane, state, now),
    last,
    look: checked === null ? null : { at: isoOf(checked.at), trouble: troubleOf(checked) },
  }
}

function nextOf({ slots, own, activity }: InstalledLane, state: SlotsState, now: number): NextVersion | null {
  const { fetching } = activity()
  const wanted = state.pending?.version ?? fetching?.version
  if (wanted === undefined) return null
  const other = otherSlot(own)
  const program = [slots.stagingOf(other), slots.folderOf(other)]
    .map((folder) => slots.installedIn(folder))
    .find((one) => one?.manifest.version === wanted)
  if (!program) return null
  const { releasedAt, notes } = program.manifest
  const isFetching = state.pending === null
  return {
    version: wanted,
    releasedAt,
    notes,
    ...decidedOf(slots.folder, state, now, isFetching),
    bytes: isFetching && fetching ? { done: fetching.done, total: fetching.all } : null,
  }
}

/** Returns the manager's decision about the pending version; one about an earlier version no longer counts. */
function decidedOf(
  folder: string,
  { last }: SlotsState,
  now: number,
  isFetching: boolean,
): Pick<NextVersion, 'state' | 'heldUntil'> {
  const instruction = readUpdateInstruction(folder)
  const isOver = instruction !== null && last !== null && instruction.at <= last.at
  if (instruction?.kind === 'hold' && isHeldAt(instruction, new Date(now)))
    return { state: 'not-now', heldUntil: instruction.until }
  if (instruction?.kind === 'tonight' && !isOver) return { state: 'tonight', heldUntil: null }
  return { state: isFetching ? 'fetching' : 'ready', heldUntil: null }
}

const REFUSED = { 'too-large': 'damaged', other: 'changed' } as const

function troubleOf(checked: CheckResult): NonNullable<Updates['look']>['trouble'] {
  switch (checked.kind) {
    case 'newest':
    case 'waiting':
    case 'on-trial':
    case 'held-back':
      return null
    case 'refused':
      return checked.why === 'too-large' || checked.why === 'other' ? REFUSED[checked.why] : checked.why
    case 'other-content':
      return 'changed'
    case 'no-room':
      return 'disk-full'
    case 'unreachable':
      return 'unreachable'
    case 'not-written':
      return 'not-writable'
  }
}

export function managerUpdatesRoutes(ctx: Ctx, app: App): void {
  const updates = managerUpdatesOf(ctx)
  serve(app, updatesContract['GET /updates'], () => updates.read())
  serve(app, updatesContract['POST /updates/order'], (request) => updates.decide(request.body, signedIn(request).id))
}

function installedLaneOf(ctx: Ctx): InstalledLane | null {
  const slots = laneSlotsOf(ctx)
  const updates = updatesOf(ctx)
  return updates && slots && { ...slots, activity: () => updates.activity() }
}
