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
  expect([sessions.expired(late), sessions.expired(early), sessions.expired('x'.repeat(43))]).toEqual([
    true,
    false,
    false,
  ])
})

test('launch tokens that nobody spends do not pile up: the oldest are forgotten', async () => {
  const sessions = createSessions({ db: await openTestDatabase(), clock: testClock() })
  const tokens = Array.from({ length: 21 }, () => sessions.mintLaunchToken())
  expect(tokens.map((token) => sessions.open(token) !== null)).toEqual([
    false,
    ...Array.from({ length: 20 }, () => true),
  ])
})

test('a restart keeps the window and signs everybody out; launch tokens do not outlive the process', async () => {
  const folder = temporaryFolder()
  const clock = testClock()
  const db = await openTestDatabase(folder)
  const before = createSessions({ db, clock })
  const opened = before.open(before.mintLaunchToken()) ?? ''
  const unspent = before.mintLaunchToken()
  db.prepare("INSERT INTO staff (id, name, role, locale) VALUES ('marie', 'Marie Gagnon', 'cashier', 'fr-CA')").run()
  const { key: asOpened = '', window } = before.find(opened) ?? {}
  const { secret, key } = before.signIn(asOpened, 'marie')
  expect(before.find(secret)?.staff).toEqual({ id: 'marie', name: 'Marie Gagnon', role: 'cashier', locale: 'fr-CA' })
  db.prepare("UPDATE staff SET role = 'supervisor' WHERE id = 'marie'").run()
  expect(before.find(secret)?.staff?.role).toBe('supervisor')
  db.close()

  const reopened = openDatabase(join(folder, 'terminal.db'))
  const ended: unknown[] = []
  const after = createSessions({
    db: reopened,
    clock,
    onEnd: (...end) => {
      ended.push(end)
    },
  })
  expect(after.find(secret)).toEqual({ key, window, staff: null })
  expect([after.signedIn(), ended]).toEqual([null, [['marie', 'restart']]])
  expect(after.open(unspent)).toBeNull()
  reopened.close()
})

async function marieAt(clock: ReturnType<typeof testClock>) {
  const db = await openTestDatabase()
  db.prepare("INSERT INTO staff (id, name, role, locale) VALUES ('marie', 'Marie Gagnon', 'cashier', 'fr-CA')").run()
  const ended: unknown[] = []
  const sessions = createSessions({
    db,
    clock,
    idleMs: () => 900_000,
    longestMs: () => 43_200_000,
    onEnd: (...end) => {
      ended.push(end)
    },
  })
  const opened = sessions.open(sessions.mintLaunchToken()) ?? ''
  return { sessions, ended, opened, ...sessions.signIn(sessions.find(opened)?.key ?? '', 'marie') }
}

test('signing in gives the window another secret', async () => {
  const { sessions, opened, secret } = await marieAt(testClock())
  expect(sessions.find(opened)).toBeNull()
  expect(sessions.find(secret)?.staff?.id).toBe('marie')
})

test('a window that was ended while a PIN was checked signs nobody in, and nobody out', async () => {
  const { sessions, secret } = await marieAt(testClock())
  const window = sessions.find(sessions.open(sessions.mintLaunchToken()) ?? '')?.key ?? ''
  const ended = sessions.list(window).find(({ here }) => here)?.id ?? ''
  expect(sessions.end(ended)).toBe(true)
  expect(() => sessions.signIn(window, 'marie')).toThrow('session-required')
  expect(sessions.find(secret)?.staff).toMatchObject({ id: 'marie' })
})

test('who does nothing for a while is signed out, by a clock that nobody sets; who does something is not', async () => {
  const clock = testClock()
  const { sessions, ended, secret, key } = await marieAt(clock)
  clock.advance(899_000)
  sessions.active(key)
  clock.advance(899_000)
  clock.set(86_400_000)
  expect(sessions.find(secret)?.staff?.id).toBe('marie')
  clock.advance(1_000)
  clock.set(-86_400_000)
  expect(sessions.signedIn()).toBeNull()
  sessions.active(key)
  expect(sessions.find(secret)?.staff, 'nobody comes back by a key').toBeNull()
  expect(ended).toEqual([['marie', 'idle']])
})

test('how long it is quiet goes by what people do, and is for ever where nobody is', async () => {
  const clock = testClock()
  const { sessions, key } = await marieAt(clock)
  clock.advance(40_000)
  expect(Math.round(sessions.quietMs())).toBe(40_000)
  sessions.active(key)
  clock.set(86_400_000)
  expect(Math.round(sessions.quietMs())).toBe(0)
  sessions.signOut(key)
  expect(sessions.quietMs()).toBe(Infinity)
})

test('a day’s work ends, however busy; the sweep does not wait for a call', async () => {
  const clock = testClock()
  const { sessions, ended, key } = await marieAt(clock)
  for (let quarter = 0; quarter < 48; quarter += 1) {
    sessions.active(key)
    clock.advance(899_000)
  }
  sessions.active(null)
  sessions.sweep()
  expect(ended).toEqual([])
  clock.advance(48_000)
  sessions.sweep()
  expect(ended).toEqual([['marie', 'longest']])
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
  const first = sessions.signIn(sessions.find(one)?.key ?? '', 'alex')
  const second = sessions.signIn(sessions.find(two)?.key ?? '', 'alex')
  expect([first.others, second.others]).toEqual([false, true])
  expect(sessions.find(first.secret)).toMatchObject({ staff: null })
  expect(sessions.find(second.secret)?.staff?.id).toBe('alex')
  sessions.signOut(second.key)
  expect(sessions.find(second.secret)).toMatchObject({ staff: null })
})

test('windows do not pile up: the ninth ends the first', async () => {
  const clock = testClock()
  const sessions = createSessions({ db: await openTestDatabase(), clock })
  const secrets = Array.from({ length: 9 }, () => {
    clock.advance(1000)
    return sessions.open(sessions.mintLaunchToken()) ?? ''
  })
  expect(secrets.map((secret) => sessions.find(secret) !== null)).toEqual([
    false,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
  ])
})
