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

/** POST /api/session exchanges a one-time launch token for the key of a window (contracts/core/window.ts). */
export const OpenSession = z.object({
  launch: Proof.describe('HMAC under the launch token of the address; the token itself is never sent'),
  nonce: Nonce,
})
/** Id of a window. The id of a customer display begins with `display-`; a customer display can only read. */
export const WindowId = z.string().regex(/^(display-)?[\da-f-]{36}$/)
export const OpenedSession = z.object({ window: WindowId, key: Base64Url, proof: Proof })
export type OpenedSession = z.infer<typeof OpenedSession>

export const WindowPage = z.enum(['/', '/customer'])
export type WindowPage = z.infer<typeof WindowPage>
export const LinkRequest = z.object({ page: WindowPage })

export const LaunchToken = z.object({ launchToken: z.string() })

export const RunRequest = z.object({ window: WindowId, nonce: Nonce })
export const LaneRun = z.object({
  run: Base64Url.describe('id of this run of the lane’s program'),
  proof: Proof,
})
export type LaneRun = z.infer<typeof LaneRun>

/**
 * Role of a person. A supervisor sells as a cashier does, and approves actions that a cashier may not do alone. A
 * manager does both and runs the store.
 */
export const Role = z.enum(['cashier', 'supervisor', 'manager'])
export type Role = z.infer<typeof Role>

export const Staff = z.object({ id: StaffId, name: z.string(), role: Role, locale: Locale })
export type Staff = z.infer<typeof Staff>

export const StaffList = z.object({ staff: z.array(Staff) })
export type StaffList = z.infer<typeof StaffList>

export const StaffLock = Staff.pick({ id: true, name: true, role: true }).extend({
  pin: z
    .enum(['none', 'temporary', 'own'])
    .describe('temporary: set by another person; its owner changes it at the first sign-in'),
  lockedUntil: z.string().nullable().describe('at the sign-in screen (ISO 8601)'),
  approvalsLockedUntil: z.string().nullable().describe('until when requests of this person cannot be approved'),
  badge: z.enum(['none', 'active', 'inactive']).describe('inactive: deactivated; shown as such when it is read'),
  mayNotApprove: z.boolean().describe('too many wrong PINs at approvals with this person’s name'),
})
export type StaffLock = z.infer<typeof StaffLock>

/**
 * GET /api/sessions returns to a manager the windows that may call this terminal. POST /api/sessions/:id/end ends the
 * session of one window.
 */
export const ListedSession = z.object({
  id: z.string(),
  staff: Staff.nullable(),
  openedAt: z.string(),
  signedInAt: z.string().nullable(),
  here: z.boolean().describe('the calling window'),
})
export type ListedSession = z.infer<typeof ListedSession>
export const SessionList = z.object({ sessions: z.array(ListedSession) })
/**
 * Why a person was signed out without a request: restart of the program, inactivity, maximum duration, or removal from
 * the staff.
 */
export const SessionEnd = z.enum(['restart', 'idle', 'longest', 'dismissed'])
export type SessionEnd = z.infer<typeof SessionEnd>

const Pin = z.string().regex(/^\d{4,8}$/)
/** Name of a window's event stream (`/api/events?as=`). The name is random and known only to that window. */
export const StreamName = z.string().regex(/^[\w-]{8,64}$/)
/** Id of one read of a badge, which only the window that got the read knows. */
export const BadgeReadId = z.string().regex(/^\S{1,64}$/)
/**
 * POST /api/sign-in signs a person in. When the PIN is locked, the problem's details contain `lockedUntil` (ISO 8601).
 * `newPin` replaces the PIN; it is required if another person set the PIN.
 */
export const SignIn = z.object({
  staffId: StaffId,
  pin: Pin,
  newPin: Pin.optional(),
  stream: StreamName.optional().describe('the stream of the window, which becomes the acting window'),
})

/** POST /api/sign-in/badge signs a person in by the id that the window received when the badge was read. */
export const SignInByBadge = z.object({ readId: BadgeReadId, stream: StreamName.optional() })

export const ClockChange = z.object({ from: z.int(), minutes: z.int() })
export type ClockChange = z.infer<typeof ClockChange>

/**
 * Why a terminal refuses payments, which is also the problem code of the commands that it refuses until the next start.
 */
export const StopReason = z.enum(['storage-failed', 'database-changed'])
export type StopReason = z.infer<typeof StopReason>

/** GET /api/terminal returns data that a screen needs before anyone signs in. */
export const Terminal = z.object({
  mode: z.enum(['production', 'training']),
  version: z.string(),
  store: z.object({ id: z.string(), name: z.string() }),
  lane: z.string(),
  region: Region,
  timeZone: z.string(),
  /** Changes of the store's clocks in order, by the zone data of the program, because a browser's may be outdated. */
  clockChanges: z.array(ClockChange),
  defaultLocale: Locale,
  payments: z.array(PaymentKind).describe('Payment types that the store accepts, in addition to miles'),
  emailsReceipts: z.boolean().optional().describe('Whether the lane sends receipts by e-mail'),
  memberHistory: z.boolean().describe('Whether a member who signs in can see their transactions at this lane'),
  signedIn: Staff.nullable(),
  /** Longest duration of a redemption in seconds, including its one retry. */
  redemptionSeconds: z.int(),
  /** When the terminal’s program was started (ISO 8601); a window recognises a restart by a new value. */
  startedAt: z.string(),
  /** The open sale that this start restored, even when the sale has ended since. */
  foundOpen: SaleId.nullable(),
  stopped: StopReason.nullable(),
  toEnrol: z.boolean().describe('No PIN is set and there is no client secret: the lane must be enrolled first'),
})
export type Terminal = z.infer<typeof Terminal>

const Name = freeText({ max: 60 })
  .regex(/^\P{C}{1,60}$/u)
  .regex(/[\p{L}\p{N}]/u)
  .refine((name) => !/[\u2028\u2029]/.test(name))

export const NewPerson = z.object({ name: Name, role: Role, locale: Locale })
export type NewPerson = z.infer<typeof NewPerson>

const Changed = NewPerson.extend({ active: z.boolean() })
export const ChangePerson = Changed.extend({
  seen: Changed.optional().describe('the person as the form showed them; refused if they have changed since'),
})
export type ChangePerson = z.infer<typeof ChangePerson>

/** PUT /api/people/:id/badge assigns the badge that was read for the form, by the id of that read. */
export const AssignBadge = z.object({ readId: BadgeReadId })

export const Person = StaffLock.extend({
  locale: Locale,
  active: z.boolean(),
  ofProfile: z.boolean().describe('listed in the store’s profile; otherwise added at this lane'),
  elsewhere: Elsewhere.optional().describe('other lane that changed the person last; missing: none'),
})
export type Person = z.infer<typeof Person>
export const PeopleList = z.object({ people: z.array(Person) })

export const PersonAdded = PeopleList.extend({ id: StaffId })

/**
 * POST /api/people/:id/reset-pin returns a one-time PIN, once. The PIN lifts every lock, and only allows the person to
 * choose a new PIN.
 */
export const OneTimePin = z.object({ pin: z.string(), id: StaffId })
