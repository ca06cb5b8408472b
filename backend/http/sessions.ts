import { createHash, randomBytes } from 'node:crypto'
import { StaffId } from '../../contracts/ids.ts'
import { Locale } from '../../contracts/locales.ts'
import { Role, type Staff } from '../../contracts/api/session.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'

export const SESSION_COOKIE = 'milepost'

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
  readonly staff: Staff | null
}

/**
 * The windows that may talk to this terminal. A secret is 32 random bytes; only its SHA-256 is stored,
 * so that a copy of the database opens nothing. Rows outlive the process: a restart keeps the window
 * and whoever is signed in at it.
 */
export interface Sessions {
  /** A one-time token for the fragment of the launch address. Lives for an hour, in memory only. */
  mintLaunchToken(): string
  /** Spends a launch token. The secret of the new session, or null when the token is not (or no longer) good. */
  open(launchToken: string): string | null
  /** True when this token was ours, was never spent, and waited too long. */
  expired(launchToken: string): boolean
  find(secret: string): WindowSession | null
  /** Signs a person in at this window and out everywhere else. True when somebody was signed in at another window. */
  signIn(key: string, staffId: string): boolean
  signOut(key: string): void
  /** Who is signed in at this terminal, at whichever of its windows. */
  signedIn(): Staff | null
}

/** A supervisor is a cashier with a mark beside the role (migration 0008). */
const ROLE = "CASE WHEN staff.role = 'cashier' AND staff.supervises = 1 THEN 'supervisor' ELSE staff.role END AS role"

interface Row { secret_hash: string; id: string | null; name: string | null; role: string | null; locale: string | null }

export function createSessions({ db, clock }: { db: Database; clock: Clock }): Sessions {
  const launchTokens = new Map<string, number>()
  const insert = db.prepare('INSERT INTO window_session (secret_hash, opened_at) VALUES (?, ?)')
  const prune = db.prepare('DELETE FROM window_session WHERE secret_hash NOT IN (SELECT secret_hash FROM window_session ORDER BY opened_at DESC, rowid DESC LIMIT ?)')
  const select = db.prepare<[string], Row>(
    `SELECT window_session.secret_hash, staff.id, staff.name, ${ROLE}, staff.locale
     FROM window_session LEFT JOIN staff ON staff.id = window_session.staff_id AND staff.active = 1
     WHERE window_session.secret_hash = ?`,
  )
  const selectSignedIn = db.prepare<[], Row>(
    `SELECT window_session.secret_hash, staff.id, staff.name, ${ROLE}, staff.locale
     FROM window_session JOIN staff ON staff.id = window_session.staff_id AND staff.active = 1
     ORDER BY window_session.signed_in_at DESC LIMIT 1`,
  )
  const setStaff = db.prepare('UPDATE window_session SET staff_id = ?, signed_in_at = ? WHERE secret_hash = ?')
  const clearOthers = db.prepare('UPDATE window_session SET staff_id = NULL, signed_in_at = NULL WHERE secret_hash <> ? AND staff_id IS NOT NULL')

  return {
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
      db.transaction(() => {
        insert.run(digest(secret), clock.now())
        prune.run(MAX_SESSIONS)
      }).immediate()
      return secret
    },
    expired: (launchToken) => (launchTokens.get(digest(launchToken)) ?? Infinity) <= clock.now(),
    find(secret) {
      const row = select.get(digest(secret))
      return row ? { key: row.secret_hash, staff: staffOf(row) } : null
    },
    signIn(key, staffId) {
      return db.transaction(() => {
        const others = clearOthers.run(key).changes > 0
        setStaff.run(staffId, clock.now(), key)
        return others
      }).immediate()
    },
    signedIn() {
      const row = selectSignedIn.get()
      return row ? staffOf(row) : null
    },
    signOut(key) {
      setStaff.run(null, null, key)
    },
  }
}

const digest = (secret: string): string => createHash('sha256').update(secret).digest('base64url')

function staffOf(row: Row): Staff | null {
  if (row.id === null || row.name === null) return null
  return { id: StaffId.parse(row.id), name: row.name, role: Role.parse(row.role), locale: Locale.parse(row.locale) }
}
