import { PaymentKind } from '../payments/tenders/registry.ts'
import { z } from 'zod'
import { SaleId, StaffId } from '../core/ids.ts'
import { Locale } from '../core/locales.ts'
import { Region } from '../core/regions.ts'
import { freeText } from '../core/text.ts'
import { Elsewhere } from '../store/status.ts'

const Base64Url = z.string().regex(/^[\w-]{20,64}$/)
const Proof = z.string().regex(/^[\da-f]{64}$/)
const Nonce = z.string().regex(/^[\w-]{16,64}$/)

/** POST /api/session: a one-time launch token becomes the key of a window (contracts/core/window.ts). */
export const OpenSession = z.object({
  launch: Proof.describe('HMAC under the launch token of the address; the token itself is never sent'),
  nonce: Nonce,
})
/** Names a window. Those of the customer's page say so, and only look on. */
export const WindowId = z.string().regex(/^(display-)?[\da-f-]{36}$/)
export const OpenedSession = z.object({ window: WindowId, key: Base64Url, proof: Proof })
export type OpenedSession = z.infer<typeof OpenedSession>

/** POST /api/session/link: the page for which whoever started the terminal is given a new launch link. */
export const WindowPage = z.enum(['/', '/customer'])
export type WindowPage = z.infer<typeof WindowPage>
export const AskLink = z.object({ page: WindowPage })

/** POST /api/session/launch-token. */
export const LaunchToken = z.object({ launchToken: z.string() })

/** GET /api/session/run: the lane proves to a window that it is its lane. */
export const AskRun = z.object({ window: WindowId, nonce: Nonce })
export const LaneRun = z.object({
  run: Base64Url.describe('names this run of the lane’s program'),
  proof: Proof,
})
export type LaneRun = z.infer<typeof LaneRun>

/**
 * A supervisor sells as a cashier does and approves what a cashier may not do alone; a manager does both and runs the
 * store.
 */
export const Role = z.enum(['cashier', 'supervisor', 'manager'])
export type Role = z.infer<typeof Role>

export const Staff = z.object({ id: StaffId, name: z.string(), role: Role, locale: Locale })
export type Staff = z.infer<typeof Staff>

/** GET /api/staff: who may sign in, for the tiles of the sign-in screen. */
export const StaffList = z.object({ staff: z.array(Staff) })
export type StaffList = z.infer<typeof StaffList>

/** Who cannot sign in or approve now, and why. */
export const StaffLock = Staff.pick({ id: true, name: true, role: true }).extend({
  pin: z
    .enum(['none', 'temporary', 'own'])
    .describe('temporary: set by another person; its owner changes it at the first sign-in'),
  lockedUntil: z.string().nullable().describe('at the sign-in screen (ISO 8601)'),
  approvalsLockedUntil: z.string().nullable().describe('until when nobody can approve what this person asks for'),
  badge: z.enum(['none', 'active', 'inactive']).describe('inactive: deactivated, and told so when it is shown'),
  mayNotApprove: z.boolean().describe('too many wrong PINs were tried at approvals in this person’s name'),
})
export type StaffLock = z.infer<typeof StaffLock>

/** GET /api/sessions, for managers: the windows that may talk to this terminal. POST /api/sessions/:id/end ends one. */
export const ListedSession = z.object({
  id: z.string(),
  staff: Staff.nullable(),
  openedAt: z.string(),
  signedInAt: z.string().nullable(),
  here: z.boolean().describe('the window that asks'),
})
export type ListedSession = z.infer<typeof ListedSession>
export const SessionList = z.object({ sessions: z.array(ListedSession) })
/**
 * Why somebody was signed out without asking for it: a start of the program, nobody did anything, or a day's work is
 * over.
 */
export const SessionEnd = z.enum(['restart', 'idle', 'longest', 'dismissed'])
export type SessionEnd = z.infer<typeof SessionEnd>

const Pin = z.string().regex(/^\d{4,8}$/)
/** What a window calls its stream of events (`/api/events?as=`): chance, known to that window alone. */
export const StreamName = z.string().regex(/^[\w-]{8,64}$/)
/** A badge that was read, by the name that the window was told. */
export const BadgeReadId = z.string().regex(/^\S{1,64}$/)
/**
 * POST /api/sign-in. `lockedUntil` (ISO 8601) comes in the problem's details when the PIN is locked. `newPin` takes the
 * place of the PIN, as it must of one that the installer has set.
 */
export const SignIn = z.object({
  staffId: StaffId,
  pin: Pin,
  newPin: Pin.optional(),
  stream: StreamName.optional().describe('the stream of the window, which acts from now on'),
})

/** POST /api/sign-in/badge: the badge that was read, by the id that the window was told. */
export const SignInByBadge = z.object({ readId: BadgeReadId, stream: StreamName.optional() })

/** From an instant (epoch ms) on, the store's clocks are so many minutes ahead of UTC. */
export const ClockChange = z.object({ from: z.int(), minutes: z.int() })
export type ClockChange = z.infer<typeof ClockChange>

/** Why a terminal takes no more money; the code of the problem that every command then meets. */
export const StopReason = z.enum(['storage-failed', 'database-changed'])
export type StopReason = z.infer<typeof StopReason>

/** GET /api/terminal: what a screen needs before anybody has signed in. */
export const Terminal = z.object({
  mode: z.enum(['production', 'training']),
  version: z.string(),
  store: z.object({ id: z.string(), name: z.string() }),
  lane: z.string(),
  region: Region,
  timeZone: z.string(),
  /** By the zone data of the program, in order: a browser's may be older than the store's rules. */
  clockChanges: z.array(ClockChange),
  defaultLocale: Locale,
  payments: z.array(PaymentKind).describe('The ways to pay that the store accepts, beside miles'),
  memberHistory: z.boolean().describe('Whether a member who signs in can see their transactions at this lane'),
  signedIn: Staff.nullable(),
  /** A redemption ends within this many seconds, its one retry included. */
  redemptionSeconds: z.int(),
  /** When the terminal’s program was started (ISO 8601): another moment is another start. */
  startedAt: z.string(),
  /** The sale that this start found open, also when it has ended since: it came back as it was. */
  foundOpen: SaleId.nullable(),
  /** Set when the terminal has stopped taking money (DESIGN: fail-stop); the code of the reason. */
  stopped: StopReason.nullable(),
  toEnrol: z.boolean().describe('Nobody has a PIN and there is no client secret: the lane is to be enrolled first'),
})
export type Terminal = z.infer<typeof Terminal>

/** It is read on tiles and on paper: letters of any language, and nothing that cannot be seen. */
const Name = freeText({ max: 60 })
  .regex(/^\P{C}{1,60}$/u)
  .regex(/[\p{L}\p{N}]/u)
  .refine((name) => !/[\u2028\u2029]/.test(name))

/** POST /api/people: somebody new, without a PIN. */
export const NewPerson = z.object({ name: Name, role: Role, locale: Locale })
export type NewPerson = z.infer<typeof NewPerson>

/** PUT /api/people/:id */
const Changed = NewPerson.extend({ active: z.boolean() })
export const ChangePerson = Changed.extend({
  seen: Changed.optional().describe('the person as the form showed them: refused where they are another by now'),
})
export type ChangePerson = z.infer<typeof ChangePerson>

/** PUT /api/people/:id/badge: the badge that was read for the form, by its id. */
export const AssignBadge = z.object({ readId: BadgeReadId })

/** GET /api/people, for managers: everybody, who works here first. */
export const Person = StaffLock.extend({
  locale: Locale,
  active: z.boolean(),
  ofProfile: z.boolean().describe('named by the store’s profile; else added at this lane'),
  elsewhere: Elsewhere.optional().describe('which other lane changed the person last; left out: none'),
})
export type Person = z.infer<typeof Person>
export const PeopleList = z.object({ people: z.array(Person) })

/** The answer to POST /api/people. */
export const PersonAdded = PeopleList.extend({ id: StaffId })

/**
 * POST /api/people/:id/reset-pin: a one-time PIN, told once. It opens nothing but the choice of a PIN of one's own, and
 * lifts every lock.
 */
export const OneTimePin = z.object({ pin: z.string(), id: StaffId })
