import type { Terminal } from '../../contracts/staff/session.ts'
import type { Checkout } from './checkout.ts'
import { noSecret } from '../core/central/client-secret.ts'
import { EXIT, StartRefusedError } from '../core/program/data-folder.ts'
import { createLaneStore } from '../operations/enrolment/lane-store.ts'
import { type Enrolment, createEnrolment, enrolmentRoutes } from '../operations/enrolment/enrolment.ts'
import { followStaff } from '../staff/follow.ts'
import { peopleRoutes } from '../staff/people.routes.ts'
import { pinKeyOf } from '../staff/pins.ts'
import { staffRoutes } from '../staff/sign-in.routes.ts'
import { createStaffService, type StaffService } from '../staff/sign-in.ts'
import type { Routes } from '../core/http/app.ts'
import { createSessions, type Sessions } from '../core/http/sessions.ts'
import type { LaneDevices } from './devices.ts'
import type { Foundation } from './foundation.ts'

/** How soon after its time somebody who is away is signed out. */
const SWEEP_MS = 15_000

interface SignInParts {
  readonly staff: StaffService
  readonly sessions: Sessions
  readonly enrolment: Enrolment
  readonly checkout: Pick<Checkout, 'publish'>
  readonly devices: Pick<LaneDevices, 'badgeReads'>
  readonly terminal: () => Omit<Terminal, 'signedIn'>
}

/** The people of the profile, as they stand in the database now. */
export async function openStaff(base: Foundation): Promise<StaffService> {
  const { db, clock, audit, outbox, folder, profile, changes, seal } = base
  const staff = createStaffService({
    db,
    clock,
    audit,
    committed: outbox.chain.committed,
    pinKey: pinKeyOf(folder.masterKey),
    training: profile.mode === 'training',
    pinDigits: () => profile.limits.pinDigits,
    badges: () => profile.signIn.badges,
    store: { changes, seal },
  })
  await staff.sync(profile)
  return staff
}

/**
 * How a lane that has nothing yet gets its secret and first PINs. Throws StartRefusedError, with the database closed,
 * where the secret is missing and nothing can bring it.
 */
export function composeEnrolment(base: Foundation, staff: StaffService) {
  const { options, dataFolder, folder, profile, lane, record, clock, log } = base
  const laneStore = createLaneStore({ dataFolder, masterKey: folder.masterKey, keyStore: options.keyStore === true })
  const enrolment = createEnrolment({
    store: laneStore,
    identity: { store: profile.store.id, lane: lane.id },
    training: profile.mode === 'training',
    hasSecret: options.clientSecret !== null,
    staff,
    record,
    clock,
    log,
    restart: options.restart,
  })
  if (options.clientSecret === null && !enrolment.isOffered()) {
    base.database.close()
    throw new StartRefusedError(noSecret(dataFolder), EXIT.badArguments)
  }
  return { laneStore, enrolment }
}

/** Who is signed in at which window of the lane. */
export function openSessions({ db, clock, seal, profile, events, record, publish }: Foundation): Sessions {
  return createSessions({
    db,
    clock,
    seal,
    idleMs: () => profile.limits.idleLockMs,
    longestMs: () => profile.limits.signedInMs,
    onGone: events.end,
    onEnd(staffId, why) {
      record({ kind: 'sign-out', actorId: staffId, detail: { why } })
      publish({ type: 'signed-out' })
      publish({ type: 'signed-in', staff: null })
    },
  })
}

/** Signs out whoever is away or there for too long, from now on; answers what ends that. */
export function keepSweeping({ sweep }: Sessions): () => void {
  const timer = setInterval(sweep, SWEEP_MS)
  return () => {
    clearInterval(timer)
  }
}

/** Signing in and out, the people of the store, and how a bare lane is enrolled. */
export function signInRoutes(base: Foundation, parts: SignInParts): Routes[] {
  const { options, plainly, acting, record, transact, changes } = base
  const { staff, sessions, terminal } = parts
  const { publish } = parts.checkout
  const takeBadge = parts.devices.badgeReads.take
  followStaff({ changes, staff, sessions, transact, publish })
  return [
    staffRoutes({
      staff,
      sessions,
      publish,
      record,
      atOnce: (work) => plainly(work),
      onLinkWanted: options.onLinkWanted,
      onSignIn: acting.signedInAt,
      takeBadge,
      terminal,
    }),
    enrolmentRoutes(parts.enrolment),
    peopleRoutes({ staff, transact, publish, takeBadge }),
  ]
}
