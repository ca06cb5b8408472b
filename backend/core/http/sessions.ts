import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import {
  type LaneRun,
  type ListedSession,
  type OpenedSession,
  Role,
  type SessionEnd,
  type Staff,
  type WindowPage,
} from '../../../contracts/staff/session.ts'
import { StaffId } from '../../../contracts/core/ids.ts'
import { Locale } from '../../../contracts/core/locales.ts'
import { headerOf, laneMessage, launchMessage, openedMessage, windowMessage } from '../../../contracts/core/window.ts'
import { isoOf, type Clock } from '../clock.ts'
import type { Database } from '../db/database.ts'
import { ProblemError } from '../problem.ts'
import { recordOf } from '../record.ts'
import { type Ctx, perLane } from '../context.ts'
import { windowsOf } from './events.ts'
import { onStart, onStop } from '../lifecycle.ts'

/**
 * Validity of a launch token in ms. A window opened by Milepost uses it at once; a person who reads the link in a
 * console may be interrupted. The token works once, so a long validity adds little risk.
 */
export const LAUNCH_TOKEN_MS = 60 * 60_000
const MAX_LAUNCH_TOKENS = 20
const MAX_SESSIONS = 8

export interface WindowSession {
  readonly window: string
  /**
   * Whether this is the customer's window: it can read as a cashier does while someone is signed in, and changes
   * nothing.
   */
  readonly isDisplay: boolean
  readonly staff: Staff | null
}

export interface SessionRules {
  readonly idleMs: () => number
  readonly longestMs: () => number
  /**
   * Called when a person is signed out without a request; with `restart` for those who were signed in when the program
   * ended.
   */
  readonly onEnd?: (staffId: string, why: SessionEnd) => void
  readonly onWindowEnd?: (window: string) => void
}

const DISPLAY = 'display-'
const USUAL: SessionRules = { idleMs: () => 15 * 60_000, longestMs: () => 12 * 3_600_000 }

interface Row {
  window_id: string
  id: string | null
  name: string | null
  role: string | null
  locale: string | null
}

const SIGNED_IN = 'staff.id, staff.name, staff.role, staff.locale'
const STAFF = 'staff ON staff.id = window_session.staff_id AND staff.active = 1'

const statementsOf = (db: Database) => ({
  insert: db.prepare('INSERT INTO window_session (secret_hash, window_id, opened_at) VALUES (?, ?, ?)'),
  // Windows are ordered by rowid, not by time: after a time when the clock was ahead, a new window would look like the
  // oldest.
  prune: db
    .prepare<[number], string>(
      `DELETE FROM window_session
        WHERE window_id NOT IN (SELECT window_id FROM window_session ORDER BY rowid DESC LIMIT ?)
        RETURNING window_id`,
    )
    .pluck(),
  // core/db/database.ts explains `+?`.
  one: db.prepare<[string], Row>(
    `SELECT window_session.window_id, ${SIGNED_IN}
     FROM window_session LEFT JOIN ${STAFF}
     WHERE window_session.window_id = +?`,
  ),
  signedIn: db.prepare<[], Row>(
    `SELECT window_session.window_id, ${SIGNED_IN}
     FROM window_session JOIN ${STAFF}
     ORDER BY window_session.signed_in_at DESC LIMIT 1`,
  ),
  setStaff: db.prepare('UPDATE window_session SET staff_id = ?, signed_in_at = ? WHERE window_id = ?'),
  all: db.prepare<[], Row & { openedAt: number; signedInAt: number | null }>(
    `SELECT window_session.window_id, window_session.opened_at AS openedAt,
      window_session.signed_in_at AS signedInAt, ${SIGNED_IN}
     FROM window_session LEFT JOIN ${STAFF}
     ORDER BY window_session.rowid DESC`,
  ),
  holders: db.prepare<[], { window: string; staffId: string }>(
    'SELECT window_id AS window, staff_id AS staffId FROM window_session WHERE staff_id IS NOT NULL',
  ),
  remove: db.prepare('DELETE FROM window_session WHERE window_id = ?'),
  clearOthers: db.prepare(
    'UPDATE window_session SET staff_id = NULL, signed_in_at = NULL WHERE window_id <> ? AND staff_id IS NOT NULL',
  ),
})

/**
 * Windows with access to this terminal. The key of a window is derived from the lane's sealing key, so that a copy of
 * the database gives no access; the proof is described in contracts/core/window.ts. Rows survive the process, so that a
 * window reconnects after a crash without a new link; sign-ins of people do not. A person is also signed out after
 * inactivity or a maximum time, by the monotonic clock.
 */
export class Sessions {
  readonly #db: Database
  readonly #clock: Clock
  readonly #rules: SessionRules
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #authenticate: (window: string) => Buffer
  readonly #run = randomBytes(16).toString('base64url')
  readonly #launchTokens = new Map<
    string,
    { readonly token: string; readonly page: WindowPage; readonly expiresAt: number }
  >()
  /**
   * For each window with a signed-in person: monotonic times of the sign-in (`since`) and of the last action (`seen`).
   */
  readonly #times = new Map<string, { readonly since: number; seen: number }>()

  constructor({ db, clock, seal }: Pick<Ctx, 'db' | 'clock' | 'seal'>, rules: Partial<SessionRules> = {}) {
    this.#db = db
    this.#clock = clock
    this.#rules = { ...USUAL, ...rules }
    this.#sql = statementsOf(db)
    this.#authenticate = seal.authenticator('keys of windows')
    // After a start, the monotonic times of sign-ins are unknown, so everyone is signed out.
    this.sweep()
  }

  /**
   * Creates a one-time launch token for the fragment of the launch address. It is valid for an hour, and in memory
   * only.
   */
  mintLaunchToken(page: WindowPage = '/'): string {
    for (const spends of [...this.#launchTokens.keys()].slice(0, 1 - MAX_LAUNCH_TOKENS))
      this.#launchTokens.delete(spends)
    const token = randomBytes(32).toString('base64url')
    const expiresAt = this.#clock.now() + LAUNCH_TOKEN_MS
    this.#launchTokens.set(hmac(token, launchMessage()), { token, page, expiresAt })
    return token
  }

  /** Uses the launch token of this HMAC for a new window; null when the token is invalid or expired. */
  open(launch: string, nonce: string, host: string): OpenedSession | null {
    const minted = this.#launchTokens.get(launch)
    if (minted === undefined || minted.expiresAt <= this.#clock.now()) return null
    this.#launchTokens.delete(launch)
    const window = `${minted.page === '/' ? '' : DISPLAY}${randomUUID()}`
    const opened = { window, key: this.#keyOf(window) }
    const replaced = this.#db
      .transaction(() => {
        this.#sql.insert.run(digest(opened.key), window, this.#clock.now())
        return this.#sql.prune.all(MAX_SESSIONS)
      })
      .immediate()
    for (const gone of replaced) this.#ended(gone)
    return { ...opened, proof: hmac(minted.token, openedMessage(nonce, host, opened)) }
  }

  expired(launch: string): boolean {
    return (this.#launchTokens.get(launch)?.expiresAt ?? Infinity) <= this.#clock.now()
  }

  /** Proves to a window that this is its lane; null when the window does not exist. */
  prove(window: string, nonce: string, host: string): LaneRun | null {
    if (this.#sql.one.get(window) === undefined) return null
    return { run: this.#run, proof: hmac(this.#keyOf(window), laneMessage(nonce, host, this.#run)) }
  }

  find(header: string): WindowSession | null {
    const [window = ''] = header.split('.')
    if (!isSame(header, headerOf(window, hmac(this.#keyOf(window), windowMessage(this.#run))))) return null
    const row = this.#sql.one.get(window)
    if (!row) return null
    if (window.startsWith(DISPLAY)) {
      const staff = this.signedIn()
      return { window, isDisplay: true, staff: staff && { ...staff, role: 'cashier' } }
    }
    if (row.id === null || this.#overdue(window) === null) return { window, isDisplay: false, staff: staffOf(row) }
    this.sweep()
    return { window, isDisplay: false, staff: null }
  }

  /**
   * Signs a person in at this window, and everyone out at all others. Returns whether anyone was signed in at another
   * window. Throws ProblemError `session-required`, without a change, when the window has ended.
   */
  signIn(window: string, staffId: string): boolean {
    const others = this.#db
      .transaction(() => {
        // The window may have ended during the PIN check.
        if (this.#sql.setStaff.run(staffId, this.#clock.now(), window).changes === 0)
          throw new ProblemError('session-required')
        return this.#sql.clearOthers.run(window).changes > 0
      })
      .immediate()
    this.#times.clear()
    this.#times.set(window, { since: this.#clock.monotonic(), seen: this.#clock.monotonic() })
    return others
  }

  signOut(window: string): void {
    this.#sql.setStaff.run(null, null, window)
    this.#times.delete(window)
  }

  signedIn(): Staff | null {
    const row = this.#sql.signedIn.get()
    if (!row) return null
    if (this.#overdue(row.window_id) === null) return staffOf(row)
    this.sweep()
    return null
  }

  /** Records that a person acts at this window now; with null, at every window with a signed-in person. */
  active(wanted: string | null): void {
    for (const [window, known] of this.#times)
      if ((wanted === null || window === wanted) && this.#overdue(window) === null) known.seen = this.#clock.monotonic()
  }

  /** Milliseconds since the last action of a signed-in person; Infinity when no one is signed in. */
  quietMs(): number {
    return this.#clock.monotonic() - Math.max(-Infinity, ...[...this.#times.values()].map(({ seen }) => seen))
  }

  /** Signs out everyone whose time is over, without waiting for the next call of their windows. */
  sweep(): void {
    for (const { window, staffId } of this.#sql.holders.all()) {
      const why = this.#overdue(window)
      if (why !== null) this.#signOutBy(window, staffId, why)
    }
  }

  dismiss(staffId: string): void {
    for (const { window, staffId: holder } of this.#sql.holders.all())
      if (holder === staffId) this.#signOutBy(window, staffId, 'dismissed')
  }

  list(here: string): ListedSession[] {
    return this.#sql.all.all().map((row) => ({
      id: idOf(row.window_id),
      staff: staffOf(row),
      openedAt: isoOf(row.openedAt),
      signedInAt: row.signedInAt === null ? null : isoOf(row.signedInAt),
      here: row.window_id === here,
    }))
  }

  end(id: string): boolean {
    const row = this.#sql.all.all().find(({ window_id: window }) => idOf(window) === id)
    if (!row) return false
    this.#sql.remove.run(row.window_id)
    this.#ended(row.window_id)
    return true
  }

  #keyOf(window: string): string {
    return this.#authenticate(window).toString('base64url')
  }

  #overdue(window: string): SessionEnd | null {
    const known = this.#times.get(window)
    if (!known) return 'restart'
    const now = this.#clock.monotonic()
    if (now - known.seen >= this.#rules.idleMs()) return 'idle'
    return now - known.since >= this.#rules.longestMs() ? 'longest' : null
  }

  #signOutBy(window: string, staffId: string, why: SessionEnd): void {
    this.signOut(window)
    this.#rules.onEnd?.(staffId, why)
  }

  #ended(window: string): void {
    this.#times.delete(window)
    this.#rules.onWindowEnd?.(window)
  }
}

const idOf = (window: string): string => createHash('sha256').update(`window ${window}`).digest('hex').slice(0, 16)

const digest = (key: string): string => createHash('sha256').update(key).digest('base64url')

const hmac = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('hex')

const isSame = (shown: string, expected: string): boolean =>
  shown.length === expected.length && timingSafeEqual(Buffer.from(shown), Buffer.from(expected))

function staffOf(row: Row): Staff | null {
  if (row.id === null || row.name === null) return null
  return { id: StaffId.parse(row.id), name: row.name, role: Role.parse(row.role), locale: Locale.parse(row.locale) }
}

const SWEEP_MS = 15_000

export const sessionsOf = perLane((ctx) => {
  const { profile, publish } = ctx
  const record = recordOf(ctx)
  const sessions = new Sessions(ctx, {
    idleMs: () => profile.limits.idleLockMs,
    longestMs: () => profile.limits.signedInMs,
    onWindowEnd(window) {
      windowsOf(ctx).events.end(window)
    },
    onEnd(staffId, why) {
      record({ kind: 'sign-out', actorId: staffId, detail: { why } })
      publish({ type: 'signed-out' })
      publish({ type: 'signed-in', staff: null })
    },
  })
  onStart(ctx, () => {
    const sweeping = setInterval(() => {
      sessions.sweep()
    }, SWEEP_MS)
    onStop(ctx, () => clearInterval(sweeping))
  })
  return sessions
})
