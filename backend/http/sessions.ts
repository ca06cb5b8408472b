import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { ListedSession, SessionEnd } from '../../contracts/api/session.ts'
import { StaffId } from '../../contracts/ids.ts'
import { Locale } from '../../contracts/locales.ts'
import { Role, type Staff } from '../../contracts/api/session.ts'
import { isoOf, type Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import { ProblemError } from './problem.ts'

/**
 * How long a launch token waits for its window. A window that Milepost opens spends it at once; a person who reads the
 * link in a console may be called away first. It is spent once, so that time adds little to what a found link can do.
 */
export const LAUNCH_TOKEN_MS = 60 * 60_000
/** Unspent tokens that are remembered, expired ones too: whoever brings one is told that it came too late. */
const MAX_LAUNCH_TOKENS = 20
/** Windows that may be open at once; the oldest give way. */
const MAX_SESSIONS = 8

export interface WindowSession {
  /** Identifies the row; says nothing about the secret. */
  readonly key: string
  /** Names the window from its opening to its end, whatever its secret is; opens nothing. */
  readonly window: string
  readonly staff: Staff | null
}

/**
 * The windows that may talk to this terminal. A secret is 32 random bytes; only its SHA-256 is stored,
 * so that a copy of the database opens nothing. Rows outlive the process, so that a window comes back after a crash
 * without a new link; who was signed in at it does not: a start signs everybody out. So does a while without anybody
 * doing anything, and a day's work. Both go by the monotonic clock, which nobody sets.
 */
export interface Sessions {
  /** A one-time token for the fragment of the launch address. Lives for an hour, in memory only. */
  mintLaunchToken(): string
  /** Spends a launch token. The secret of the new session, or null when the token is not (or no longer) good. */
  open(launchToken: string): string | null
  /** True when this token was ours, was never spent, and waited too long. */
  expired(launchToken: string): boolean
  find(secret: string): WindowSession | null
  /** What would name the window of this secret, whether there is one or not. */
  keyOf(secret: string): string
  /**
   * Signs a person in at this window and out everywhere else. The window gets another secret, and the one that it had
   * is worth nothing: whoever had learned it before learns nothing more. `others`: somebody was signed in at another
   * window. Throws ProblemError `session-required`, and nothing has changed, where the window is no longer the one that
   * asked.
   */
  signIn(key: string, staffId: string): { readonly secret: string; readonly key: string; readonly others: boolean }
  signOut(key: string): void
  /** Who is signed in at this terminal, at whichever of its windows. */
  signedIn(): Staff | null
  /** Somebody is there and does something: at this window, or (null) at whichever they are signed in at. */
  active(key: string | null): void
  /** How long nobody who is signed in has done anything, in milliseconds; Infinity where nobody is. */
  quietMs(): number
  /** Signs out whoever has been away or there for too long, at once instead of at their next call. */
  sweep(): void
  /** Signs a person out who works here no more. Nothing happens where they are not signed in. */
  dismiss(staffId: string): void
  /** Newest first. `here`: the window that asks. */
  list(here: string): ListedSession[]
  /** Ends a window: it needs a new link. False where there is none of this id. */
  end(id: string): boolean
}

export interface SessionsOptions {
  readonly db: Database
  readonly clock: Clock
  /** How long nobody may do anything before whoever is signed in is signed out. */
  readonly idleMs?: () => number
  /** How long anybody stays signed in at most. */
  readonly longestMs?: () => number
  /** Somebody was signed out without asking for it; `restart`: at the start. */
  readonly onEnd?: (staffId: string, why: SessionEnd) => void
  /** A window was ended, or gave way to newer ones: it may hear nothing more. */
  readonly onGone?: (key: string) => void
}

const IDLE_MS = 15 * 60_000
const LONGEST_MS = 12 * 3_600_000

interface Row {
  secret_hash: string
  window_id: string
  id: string | null
  name: string | null
  role: string | null
  locale: string | null
}

export function createSessions({
  db,
  clock,
  idleMs = () => IDLE_MS,
  longestMs = () => LONGEST_MS,
  onEnd,
  onGone,
}: SessionsOptions): Sessions {
  const launchTokens = new Map<string, number>()
  const insert = db.prepare('INSERT INTO window_session (secret_hash, window_id, opened_at) VALUES (?, ?, ?)')
  const prune = db
    .prepare<[number], string>(
      `DELETE FROM window_session
        WHERE secret_hash NOT IN (SELECT secret_hash FROM window_session ORDER BY opened_at DESC, rowid DESC LIMIT ?)
        RETURNING secret_hash`,
    )
    .pluck()
  // `+?`: see db/open.ts.
  const select = db.prepare<[string], Row>(
    `SELECT window_session.secret_hash, window_session.window_id, staff.id, staff.name, staff.role, staff.locale
     FROM window_session LEFT JOIN staff ON staff.id = window_session.staff_id AND staff.active = 1
     WHERE window_session.secret_hash = +?`,
  )
  const selectSignedIn = db.prepare<[], Row>(
    `SELECT window_session.secret_hash, window_session.window_id, staff.id, staff.name, staff.role, staff.locale
     FROM window_session JOIN staff ON staff.id = window_session.staff_id AND staff.active = 1
     ORDER BY window_session.signed_in_at DESC LIMIT 1`,
  )
  const setStaff = db.prepare('UPDATE window_session SET staff_id = ?, signed_in_at = ? WHERE secret_hash = ?')
  const rotate = db.prepare('UPDATE window_session SET secret_hash = ? WHERE secret_hash = ?')
  const selectAll = db.prepare<[], Row & { openedAt: number; signedInAt: number | null }>(
    `SELECT window_session.secret_hash, window_session.window_id, window_session.opened_at AS openedAt,
      window_session.signed_in_at AS signedInAt, staff.id, staff.name, staff.role, staff.locale
     FROM window_session LEFT JOIN staff ON staff.id = window_session.staff_id AND staff.active = 1
     ORDER BY opened_at DESC, window_session.rowid DESC`,
  )
  const selectHolders = db.prepare<[], { key: string; staffId: string }>(
    'SELECT secret_hash AS key, staff_id AS staffId FROM window_session WHERE staff_id IS NOT NULL',
  )
  const removeOne = db.prepare('DELETE FROM window_session WHERE secret_hash = ?')
  const clearOthers = db.prepare(
    'UPDATE window_session SET staff_id = NULL, signed_in_at = NULL WHERE secret_hash <> ? AND staff_id IS NOT NULL',
  )

  /**
   * Of each window at which somebody is signed in: since when, and when somebody last did something. On the monotonic
   * clock.
   */
  const times = new Map<string, { readonly since: number; seen: number }>()

  /** Why whoever is signed in at this window no longer is; null while they are. */
  function overdue(key: string): SessionEnd | null {
    const known = times.get(key)
    if (!known) return 'restart'
    const now = clock.monotonic()
    return now - known.seen >= idleMs() ? 'idle' : now - known.since >= longestMs() ? 'longest' : null
  }

  function ended(key: string): void {
    times.delete(key)
    onGone?.(key)
  }

  function sweep(): void {
    for (const { key, staffId } of selectHolders.all()) {
      const why = overdue(key)
      if (why === null) continue
      setStaff.run(null, null, key)
      times.delete(key)
      onEnd?.(staffId, why)
    }
  }
  // Nobody's times are known yet: everybody is signed out.
  sweep()

  return {
    sweep,
    dismiss(staffId) {
      for (const { key, staffId: holder } of selectHolders.all()) {
        if (holder !== staffId) continue
        setStaff.run(null, null, key)
        times.delete(key)
        onEnd?.(staffId, 'dismissed')
      }
    },
    active(key) {
      for (const [window, known] of times)
        if ((key === null || window === key) && overdue(window) === null) known.seen = clock.monotonic()
    },
    quietMs: () => clock.monotonic() - Math.max(-Infinity, ...[...times.values()].map(({ seen }) => seen)),
    list: (here) =>
      selectAll.all().map((row) => ({
        id: idOf(row.secret_hash),
        staff: staffOf(row),
        openedAt: isoOf(row.openedAt),
        signedInAt: row.signedInAt === null ? null : isoOf(row.signedInAt),
        here: row.secret_hash === here,
      })),
    end(id) {
      const row = selectAll.all().find(({ secret_hash }) => idOf(secret_hash) === id)
      if (!row) return false
      removeOne.run(row.secret_hash)
      ended(row.secret_hash)
      return true
    },
    mintLaunchToken() {
      for (const hash of [...launchTokens.keys()].slice(0, 1 - MAX_LAUNCH_TOKENS)) launchTokens.delete(hash)
      const token = randomBytes(32).toString('base64url')
      launchTokens.set(digest(token), clock.now() + LAUNCH_TOKEN_MS)
      return token
    },
    open(launchToken) {
      const hash = digest(launchToken)
      const expiresAt = launchTokens.get(hash)
      if (expiresAt === undefined || expiresAt <= clock.now()) return null
      launchTokens.delete(hash)
      const secret = randomBytes(32).toString('base64url')
      const replaced = db
        .transaction(() => {
          insert.run(digest(secret), randomUUID(), clock.now())
          return prune.all(MAX_SESSIONS)
        })
        .immediate()
      for (const key of replaced) ended(key)
      return secret
    },
    expired: (launchToken) => (launchTokens.get(digest(launchToken)) ?? Infinity) <= clock.now(),
    keyOf: digest,
    find(secret) {
      const row = select.get(digest(secret))
      if (!row) return null
      const { secret_hash: key, window_id: window } = row
      if (row.id === null || overdue(key) === null) return { key, window, staff: staffOf(row) }
      sweep()
      return { key, window, staff: null }
    },
    signIn(key, staffId) {
      const secret = randomBytes(32).toString('base64url')
      const next = digest(secret)
      const others = db
        .transaction(() => {
          // Another sign-in at this window was first, or it was ended while the PIN was checked.
          if (rotate.run(next, key).changes === 0) throw new ProblemError('session-required')
          setStaff.run(staffId, clock.now(), next)
          return clearOthers.run(next).changes > 0
        })
        .immediate()
      times.clear()
      times.set(next, { since: clock.monotonic(), seen: clock.monotonic() })
      return { secret, key: next, others }
    },
    signedIn() {
      const row = selectSignedIn.get()
      if (!row) return null
      if (overdue(row.secret_hash) === null) return staffOf(row)
      sweep()
      return null
    },
    signOut(key) {
      setStaff.run(null, null, key)
      times.delete(key)
    },
  }
}

/** Names a window to a manager; opens nothing. */
const idOf = (key: string): string => createHash('sha256').update(`window ${key}`).digest('hex').slice(0, 16)

const digest = (secret: string): string => createHash('sha256').update(secret).digest('base64url')

function staffOf(row: Row): Staff | null {
  if (row.id === null || row.name === null) return null
  return { id: StaffId.parse(row.id), name: row.name, role: Role.parse(row.role), locale: Locale.parse(row.locale) }
}
