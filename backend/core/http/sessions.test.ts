import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../db/database.ts'
import { LAUNCH_TOKEN_MS, Sessions } from './sessions.ts'
import { headerOf } from '../../../contracts/core/window.ts'
import { createSeal } from '../integrity/seal.ts'
import { launchOf, openedWindow, openTestDatabase, shownBy, temporaryFolder, testClock } from './testing.ts'

const seal = createSeal(Buffer.alloc(32, 5))
const spend = (sessions: Sessions, token: string) => sessions.open(launchOf(token), 'nonce', '127.0.0.1:1')
function openWindow(sessions: Sessions): { window: string; shown: string } {
  const opened = openedWindow(sessions)
  return { window: opened.window, shown: shownBy(sessions, opened) }
}

test('a launch token opens exactly one window', async () => {
  const sessions = new Sessions({ db: await openTestDatabase(), clock: testClock(), seal })
  const token = sessions.mintLaunchToken()
  expect(Buffer.from(token, 'base64url')).toHaveLength(32)
  expect(sessions.open(token, 'nonce', '127.0.0.1:1'), 'the token itself is never shown').toBeNull()
  const opened = spend(sessions, token)
  if (opened === null) throw new Error('the token opened nothing')
  expect(spend(sessions, token)).toBeNull()
  expect(sessions.find(shownBy(sessions, opened))).toEqual({ window: opened.window, isDisplay: false, staff: null })
})

test('a launch token is valid for an hour, and is then still reported as expired and not as unknown', async () => {
  const clock = testClock()
  const sessions = new Sessions({ db: await openTestDatabase(), clock, seal })
  const [early, late] = [sessions.mintLaunchToken(), sessions.mintLaunchToken()]
  clock.advance(LAUNCH_TOKEN_MS - 1)
  expect(spend(sessions, early)).not.toBeNull()
  expect(sessions.expired(launchOf(late))).toBe(false)
  clock.advance(1)
  expect(spend(sessions, late)).toBeNull()
  expect([late, early, 'x'.repeat(43)].map((token) => sessions.expired(launchOf(token)))).toEqual([true, false, false])
})

test('the number of unused launch tokens is limited, and a new one drops the oldest', async () => {
  const sessions = new Sessions({ db: await openTestDatabase(), clock: testClock(), seal })
  const tokens = Array.from({ length: 21 }, () => sessions.mintLaunchToken())
  expect(tokens.map((token) => spend(sessions, token) !== null)).toEqual([
    false,
    ...Array.from({ length: 20 }, () => true),
  ])
})

test('windows survive a restart, which signs everyone out and makes launch tokens and headers invalid', async () => {
  const folder = temporaryFolder()
  const clock = testClock()
  const db = await openTestDatabase(folder)
  const before = new Sessions({ db, clock, seal })
  const opened = openedWindow(before)
  const shown = shownBy(before, opened)
  const unspent = before.mintLaunchToken()
  db.prepare("INSERT INTO staff (id, name, role, locale) VALUES ('marie', 'Marie Gagnon', 'cashier', 'fr-CA')").run()
  before.signIn(opened.window, 'marie')
  expect(before.find(shown)?.staff).toEqual({ id: 'marie', name: 'Marie Gagnon', role: 'cashier', locale: 'fr-CA' })
  db.prepare("UPDATE staff SET role = 'supervisor' WHERE id = 'marie'").run()
  expect(before.find(shown)?.staff?.role).toBe('supervisor')
  db.close()

  const reopened = openDatabase(join(folder, 'terminal.db'))
  const ended: unknown[] = []
  const after = new Sessions(
    { db: reopened, clock, seal },
    {
      onEnd: (...end) => {
        ended.push(end)
      },
    },
  )
  expect(after.find(shown), 'another program may have received it').toBeNull()
  expect(after.find(shownBy(after, opened))).toEqual({ window: opened.window, isDisplay: false, staff: null })
  expect([after.signedIn(), ended]).toEqual([null, [['marie', 'restart']]])
  expect(spend(after, unspent)).toBeNull()
  reopened.close()
})

test('the lane’s proof of identity differs for each nonce, host and window; an unknown window gets none', async () => {
  const sessions = new Sessions({ db: await openTestDatabase(), clock: testClock(), seal })
  const [one, two] = [openedWindow(sessions).window, openedWindow(sessions).window]
  const proofs = [
    sessions.prove(one, 'nonce-1', '127.0.0.1:1'),
    sessions.prove(one, 'nonce-2', '127.0.0.1:1'),
    sessions.prove(one, 'nonce-1', '127.0.0.1:2'),
    sessions.prove(two, 'nonce-1', '127.0.0.1:1'),
  ].map((proved) => proved?.proof)
  expect(new Set(proofs).size).toBe(4)
  expect(sessions.prove('no-window', 'nonce-1', '127.0.0.1:1')).toBeNull()
})

async function marieAt(clock: ReturnType<typeof testClock>) {
  const db = await openTestDatabase()
  db.prepare("INSERT INTO staff (id, name, role, locale) VALUES ('marie', 'Marie Gagnon', 'cashier', 'fr-CA')").run()
  const ended: unknown[] = []
  const sessions = new Sessions(
    { db, clock, seal },
    {
      idleMs: () => 900_000,
      longestMs: () => 43_200_000,
      onEnd: (...end) => {
        ended.push(end)
      },
    },
  )
  const opened = openWindow(sessions)
  sessions.signIn(opened.window, 'marie')
  return { sessions, ended, ...opened }
}

test('a window that is ended during a PIN check signs no one in or out', async () => {
  const { sessions, shown } = await marieAt(testClock())
  const { window } = openWindow(sessions)
  const ended = sessions.list(window).find(({ here }) => here)?.id ?? ''
  expect(sessions.end(ended)).toBe(true)
  expect(() => sessions.signIn(window, 'marie')).toThrow('session-required')
  expect(sessions.find(shown)?.staff).toMatchObject({ id: 'marie' })
})

test('a person is signed out after inactivity, measured by the monotonic clock', async () => {
  const clock = testClock()
  const { sessions, ended, shown, window } = await marieAt(clock)
  clock.advance(899_000)
  sessions.active(window)
  clock.advance(899_000)
  clock.set(86_400_000)
  expect(sessions.find(shown)?.staff?.id).toBe('marie')
  clock.advance(1_000)
  clock.set(-86_400_000)
  expect(sessions.signedIn()).toBeNull()
  sessions.active(window)
  expect(sessions.find(shown)?.staff, 'no window reconnects with a key').toBeNull()
  expect(ended).toEqual([['marie', 'idle']])
})

test('the time since a signed-in person’s last action is reported, infinite when no one is signed in', async () => {
  const clock = testClock()
  const { sessions, window } = await marieAt(clock)
  clock.advance(400_000)
  // Real time also passes between the calls, so the result is not exact.
  expect(sessions.quietMs()).toBeGreaterThanOrEqual(400_000)
  expect(sessions.quietMs()).toBeLessThan(800_000)
  sessions.active(window)
  clock.set(86_400_000)
  expect(sessions.quietMs()).toBeLessThan(400_000)
  sessions.signOut(window)
  expect(sessions.quietMs()).toBe(Infinity)
})

test('a person is signed out after the maximum time despite activity, even if the window sends no call', async () => {
  const clock = testClock()
  const { sessions, ended, window } = await marieAt(clock)
  for (let quarter = 0; quarter < 48; quarter += 1) {
    sessions.active(window)
    clock.advance(899_000)
  }
  sessions.active(null)
  sessions.sweep()
  expect(ended).toEqual([])
  clock.advance(48_000)
  sessions.sweep()
  expect(ended).toEqual([['marie', 'longest']])
})

test('the key of a window is not in the database, whose rows alone give no access to the window', async () => {
  const folder = temporaryFolder()
  const db = await openTestDatabase(folder)
  const sessions = new Sessions({ db, clock: testClock(), seal })
  const { window, key } = openedWindow(sessions)
  db.pragma('wal_checkpoint(TRUNCATE)')
  const bytes = readFileSync(join(folder, 'terminal.db')).toString('latin1')
  expect(bytes).toContain(window)
  expect(bytes).not.toContain(key)
  const hash = db.prepare<[], string>('SELECT secret_hash FROM window_session').pluck().get() ?? ''
  for (const guess of [hash, window]) expect(sessions.find(headerOf(window, guess))).toBeNull()
})

test('a sign-in at one window signs the person out at every other window', async () => {
  const db = await openTestDatabase()
  const sessions = new Sessions({ db, clock: testClock(), seal })
  db.prepare("INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'cashier', 'en-CA')").run()
  const [one, two] = [openWindow(sessions), openWindow(sessions)]
  expect([sessions.signIn(one.window, 'alex'), sessions.signIn(two.window, 'alex')]).toEqual([false, true])
  expect(sessions.find(one.shown)).toMatchObject({ staff: null })
  expect(sessions.find(two.shown)?.staff?.id).toBe('alex')
  sessions.signOut(two.window)
  expect(sessions.find(two.shown)).toMatchObject({ staff: null })
})

test('the number of windows is limited: opening the ninth ends the first', async () => {
  const clock = testClock()
  const sessions = new Sessions({ db: await openTestDatabase(), clock, seal })
  const windows = Array.from({ length: 9 }, () => {
    clock.advance(1000)
    return openWindow(sessions)
  })
  expect(windows.map(({ shown }) => sessions.find(shown) !== null)).toEqual([false, ...Array(8).fill(true)])
})

test('a new window stays open although eight windows have later times, from a clock that was ahead', async () => {
  const db = await openTestDatabase()
  for (let each = 0; each < 8; each += 1)
    openWindow(new Sessions({ db, clock: testClock('2031-01-01T00:00:00Z'), seal }))
  const sessions = new Sessions({ db, clock: testClock('2026-11-20T15:00:00Z'), seal })
  const { window, shown } = openWindow(sessions)
  expect(sessions.find(shown)?.window).toBe(window)
  expect(sessions.list(window)[0]).toMatchObject({ here: true })
})

test('the customer’s window can read as a cashier does while someone is signed in at the lane', async () => {
  const { sessions, window } = await marieAt(testClock())
  const shown = shownBy(sessions, openedWindow(sessions, '/customer'))
  expect(sessions.find(shown)).toMatchObject({ isDisplay: true, staff: { id: 'marie', role: 'cashier' } })
  sessions.signOut(window)
  expect(sessions.find(shown)).toMatchObject({ isDisplay: true, staff: null })
})
