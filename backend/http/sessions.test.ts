import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../db/open.ts'
import { createSessions, LAUNCH_TOKEN_MS } from './sessions.ts'
import { openTestDatabase, temporaryFolder, testClock } from './testing.ts'

test('a launch token opens one window, once', async () => {
  const sessions = createSessions({ db: await openTestDatabase(), clock: testClock() })
  const token = sessions.mintLaunchToken()
  expect(Buffer.from(token, 'base64url')).toHaveLength(32)
  const secret = sessions.open(token)
  expect(secret).toEqual(expect.any(String))
  expect(sessions.open(token)).toBeNull()
  expect(sessions.find(secret ?? '')).toMatchObject({ staff: null })
})

test('a launch token waits an hour, not longer, and one that came too late is known as such', async () => {
  const clock = testClock()
  const sessions = createSessions({ db: await openTestDatabase(), clock })
  const [early, late] = [sessions.mintLaunchToken(), sessions.mintLaunchToken()]
  clock.advance(LAUNCH_TOKEN_MS - 1)
  expect(sessions.open(early)).not.toBeNull()
  expect(sessions.expired(late)).toBe(false)
  clock.advance(1)
  expect(sessions.open(late)).toBeNull()
  expect([sessions.expired(late), sessions.expired(early), sessions.expired('x'.repeat(43))]).toEqual([true, false, false])
})

test('launch tokens that nobody spends do not pile up: the oldest are forgotten', async () => {
  const sessions = createSessions({ db: await openTestDatabase(), clock: testClock() })
  const tokens = Array.from({ length: 21 }, () => sessions.mintLaunchToken())
  expect(tokens.map((token) => sessions.open(token) !== null)).toEqual([false, ...Array.from({ length: 20 }, () => true)])
})

test('a restart keeps the window and who is signed in; launch tokens do not outlive the process', async () => {
  const folder = temporaryFolder()
  const clock = testClock()
  const db = await openTestDatabase(folder)
  const before = createSessions({ db, clock })
  const secret = before.open(before.mintLaunchToken()) ?? ''
  const unspent = before.mintLaunchToken()
  db.prepare("INSERT INTO staff (id, name, role, locale) VALUES ('marie', 'Marie Gagnon', 'cashier', 'fr-CA')").run()
  before.signIn(before.find(secret)?.key ?? '', 'marie')
  db.close()

  const reopened = openDatabase(join(folder, 'terminal.db'))
  const after = createSessions({ db: reopened, clock })
  expect(after.find(secret)?.staff).toEqual({ id: 'marie', name: 'Marie Gagnon', role: 'cashier', locale: 'fr-CA' })
  reopened.prepare("UPDATE staff SET supervises = 1 WHERE id = 'marie'").run()
  expect(after.find(secret)?.staff?.role).toBe('supervisor')
  expect(after.open(unspent)).toBeNull()
  reopened.close()
})

test('the secret is not in the database, in no form that opens a window', async () => {
  const folder = temporaryFolder()
  const db = await openTestDatabase(folder)
  const sessions = createSessions({ db, clock: testClock() })
  const secret = sessions.open(sessions.mintLaunchToken()) ?? ''
  db.pragma('wal_checkpoint(TRUNCATE)')
  const { key } = sessions.find(secret) ?? { key: '' }
  const bytes = readFileSync(join(folder, 'terminal.db')).toString('latin1')
  expect(bytes).toContain(key)
  expect(bytes).not.toContain(secret)
  expect(sessions.find(key)).toBeNull()
})

test('one person at one window: signing in here signs out there', async () => {
  const db = await openTestDatabase()
  const sessions = createSessions({ db, clock: testClock() })
  db.prepare("INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'cashier', 'en-CA')").run()
  const [one, two] = [sessions.open(sessions.mintLaunchToken()) ?? '', sessions.open(sessions.mintLaunchToken()) ?? '']
  expect(sessions.signIn(sessions.find(one)?.key ?? '', 'alex')).toBe(false)
  expect(sessions.signIn(sessions.find(two)?.key ?? '', 'alex')).toBe(true)
  expect(sessions.find(one)).toMatchObject({ staff: null })
  expect(sessions.find(two)?.staff?.id).toBe('alex')
  sessions.signOut(sessions.find(two)?.key ?? '')
  expect(sessions.find(two)).toMatchObject({ staff: null })
})

test('windows do not pile up: the ninth ends the first', async () => {
  const clock = testClock()
  const sessions = createSessions({ db: await openTestDatabase(), clock })
  const secrets = Array.from({ length: 9 }, () => { clock.advance(1000); return sessions.open(sessions.mintLaunchToken()) ?? '' })
  expect(secrets.map((secret) => sessions.find(secret) !== null)).toEqual([false, true, true, true, true, true, true, true, true])
})
