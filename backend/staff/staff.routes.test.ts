import { randomUUID } from 'node:crypto'
import { createPlainTransact } from '../core/db/transact.ts'
import { expect, test } from 'vitest'
import type { TerminalEvent } from '../../contracts/core/events.ts'
import { WINDOW_HEADER, openWindowAt, windowHeaders } from '../../contracts/core/window.ts'
import { LAUNCH_TOKEN_MS, sessionsOf } from '../core/http/sessions.ts'
import { startTestServer, testClock, type TestServer } from '../core/http/testing.ts'
import { createSeal } from '../core/integrity/seal.ts'
import { createAuditTrail, type AuditTrail } from '../core/audit.ts'
import { peopleRoutes, signInRoutes, windowRoutes } from './staff.routes.ts'
import { createStaffService, staffOf, type StaffService } from './sign-in.ts'
import { badgeReadsOf } from '../core/devices/reads.ts'
import { type ActingWindow, actingWindowOf } from '../core/http/acting-window.ts'
import { type LaneProgram, programOf } from '../core/program/lane-program.ts'
import { plainTransactOf } from '../core/record.ts'
import { memberServicesOf } from '../loyalty/services/member-services.ts'
import { enrolmentOf } from '../operations/enrolment/enrolment.ts'
import { terminalRoutes } from '../operations/operations.routes.ts'
import { type Sales, salesOf } from '../sales/sales.ts'
import { testContext } from '../../packages/lab/testing/lane-context.ts'
import { staffModuleOf } from './staff-module.ts'
import { trainingStore } from '../../packages/lab/testing/load/store.ts'

interface Started {
  server: TestServer
  audit: AuditTrail
  staff: StaffService
  published: TerminalEvent[]
  clock: ReturnType<typeof testClock>
  freshLinks: () => number
}

const linkOf = ({ url, sessions }: TestServer): string => `${url}/#launch=${sessions.mintLaunchToken()}`

async function start(): Promise<Started> {
  const published: TerminalEvent[] = []
  let trail: AuditTrail | undefined
  let people: StaffService | undefined
  let ready: Promise<void> | undefined
  let freshLinks = 0
  const clock = testClock()
  const server = await startTestServer({
    clock,
    routes: ({ db, sessions, events, transact }) => {
      const audit = createAuditTrail({ db, clock, seal: createSeal(Buffer.alloc(32, 7)) })
      trail = audit
      const staffModule = staffModuleOf({ db, clock, audit, profile: trainingStore().profile }, Buffer.alloc(32, 7))
      const staff = createStaffService(staffModule)
      people = staff
      ready = staff.sync({
        mode: 'training',
        staff: [
          { id: 'marie', name: 'Marie Gagnon', role: 'cashier', locale: 'fr-CA', trainingPin: '1234' },
          { id: 'noor', name: 'Noor Ali', role: 'cashier', locale: 'en-CA' },
          { id: 'sam', name: 'Sam Okafor', role: 'manager', locale: 'en-CA', trainingPin: '9999' },
        ],
      })
      const ctx = testContext({
        db,
        clock,
        audit,
        transact,
        publish: (event) => {
          published.push(event)
          events.publish(event)
        },
      })
      plainTransactOf.provide(ctx, createPlainTransact(db))
      staffOf.provide(ctx, staff)
      sessionsOf.provide(ctx, sessions)
      salesOf.provide(ctx, { current: () => null } as unknown as Sales)
      memberServicesOf.provide(ctx, null)
      enrolmentOf.provide(ctx, { isOffered: () => false } as ReturnType<typeof enrolmentOf>)
      programOf.provide(ctx, {
        version: '1',
        endpoints: {},
        startedAt: 0,
        onLinkRequested: () => {
          freshLinks += 1
        },
      } as unknown as LaneProgram)
      actingWindowOf.provide(ctx, { signedInAt: () => undefined } as unknown as ActingWindow)
      badgeReadsOf.provide(ctx, { hold: (number) => number, take: (readId) => readId })
      return [terminalRoutes, windowRoutes, signInRoutes, peopleRoutes].map((add) => (app) => add(ctx, app))
    },
  })
  await ready
  if (!trail || !people) throw new Error('the routes were not built')
  return { server, audit: trail, staff: people, published, clock, freshLinks: () => freshLinks }
}

test('a cashier’s window is opened by a launch link, signs her in, stores her language, signs her out', async () => {
  const { server, audit, published } = await start()
  expect((await server.call('GET', '/api/terminal')).json()).toMatchObject({ lane: '01', signedIn: null })
  expect((await server.call('GET', '/api/staff')).json()).toMatchObject({ code: 'session-required' })

  const key = await openWindowAt(server.url, linkOf(server))
  const window = (await windowHeaders(server.url, key))[WINDOW_HEADER]

  expect((await server.call('GET', '/api/staff', { window })).json()).toEqual({
    staff: [
      { id: 'sam', name: 'Sam Okafor', role: 'manager', locale: 'en-CA' },
      { id: 'marie', name: 'Marie Gagnon', role: 'cashier', locale: 'fr-CA' },
      { id: 'noor', name: 'Noor Ali', role: 'cashier', locale: 'en-CA' },
    ],
  })
  expect(
    (await server.call('PUT', '/api/staff/me/locale', { window, body: { locale: 'en-CA' } })).json(),
  ).toMatchObject({ code: 'sign-in-required' })

  const signedIn = await server.call('POST', '/api/sign-in', { window, body: { staffId: 'marie', pin: '1234' } })
  expect(signedIn.json()).toEqual({ staff: { id: 'marie', name: 'Marie Gagnon', role: 'cashier', locale: 'fr-CA' } })
  expect((await server.call('GET', '/api/terminal', { window })).json()).toMatchObject({ signedIn: { id: 'marie' } })
  expect((await server.call('GET', '/api/terminal')).json()).toMatchObject({ signedIn: null })

  expect((await server.call('PUT', '/api/staff/me/locale', { window, body: { locale: 'en-CA' } })).status).toBe(204)
  expect((await server.call('GET', '/api/terminal', { window })).json()).toMatchObject({
    signedIn: { locale: 'en-CA' },
  })
  expect(
    (await server.call('PUT', '/api/staff/me/locale', { window, body: { locale: 'de-DE' } })).json(),
  ).toMatchObject({ code: 'body-invalid' })

  expect((await server.call('POST', '/api/sign-out', { window })).status).toBe(204)
  expect((await server.call('GET', '/api/terminal', { window })).json()).toMatchObject({ signedIn: null })
  expect(published).toEqual([
    { type: 'signed-in', staff: expect.objectContaining({ id: 'marie', locale: 'fr-CA' }) as object },
    { type: 'signed-in', staff: expect.objectContaining({ id: 'marie', locale: 'en-CA' }) as object },
    { type: 'signed-out' },
    { type: 'signed-in', staff: null },
  ])
  expect(audit.latest(3).map((entry) => [entry.kind, entry.actorId])).toEqual([
    ['sign-out', 'marie'],
    ['setting-changed', 'marie'],
    ['sign-in', 'marie'],
  ])
})

test('a launch link that was already used is refused', async () => {
  const { server } = await start()
  const link = linkOf(server)
  const headers = await windowHeaders(server.url, await openWindowAt(server.url, link))
  await expect(openWindowAt(server.url, link)).rejects.toThrow('launch-token-invalid')
  expect((await server.call('GET', '/api/staff', { window: headers[WINDOW_HEADER] })).status).toBe(200)
})

test('a window that reloads gets a launch token, and a page without a window key gets none', async () => {
  const { server } = await start()
  const ask = (window?: string) => server.call('POST', '/api/session/launch-token', { window, body: { page: '/' } })
  const { launchToken } = (await ask(server.openWindow())).json<{ launchToken: string }>()
  await openWindowAt(server.url, `${server.url}/#launch=${launchToken}`)
  expect((await ask()).json()).toMatchObject({ code: 'session-required' })
})

test('a page without a window key gets no launch link; the process that started the terminal does', async () => {
  const { server, freshLinks } = await start()
  const answer = await server.call('POST', '/api/session/link', { body: { page: '/customer' } })
  expect([answer.status, answer.text, freshLinks()]).toEqual([204, '', 1])
  expect((await server.call('POST', '/api/session/link', { body: { page: '//other' } })).json()).toMatchObject({
    code: 'body-invalid',
  })
})

test('the lane proves its identity only to a window that it knows', async () => {
  const { server } = await start()
  const { window } = await openWindowAt(server.url, linkOf(server))
  const prove = (id: string) => server.call('GET', `/api/session/run?window=${id}&nonce=${'n'.repeat(36)}`)
  const first = (await prove(window)).json()
  expect(first).toEqual({ run: expect.any(String) as string, proof: expect.any(String) as string })
  expect((await prove(window)).json()).toEqual(first)
  expect((await prove(randomUUID())).json()).toMatchObject({ code: 'session-required' })
})

test('an expired launch link is reported, and the program that started the terminal gets a new one', async () => {
  const { server, clock, freshLinks } = await start()
  const link = linkOf(server)
  clock.advance(LAUNCH_TOKEN_MS)
  await expect(openWindowAt(server.url, link)).rejects.toThrow(/401.*launch-token-expired.*new link.*nouveau lien/)
  expect(freshLinks()).toBe(1)
  const made = { launch: 'a'.repeat(64), nonce: 'n'.repeat(36) }
  expect((await server.call('POST', '/api/session', { body: made })).json()).toMatchObject({
    code: 'launch-token-invalid',
  })
  expect(freshLinks()).toBe(1)
})

test('a wrong PIN, an invalid PIN and a lock are reported, the lock with its end and the next step', async () => {
  const { server, audit, staff } = await start()
  const window = server.openWindow()
  const pin = async (value: unknown): Promise<Record<string, unknown>> =>
    (await server.call('POST', '/api/sign-in', { window, body: { staffId: 'marie', pin: value } })).json()
  expect(await pin('12ab')).toMatchObject({ code: 'body-invalid' })
  for (let count = 0; count < 4; count += 1) expect(await pin('0000')).toMatchObject({ status: 401, code: 'pin-wrong' })
  expect(await pin('0000')).toMatchObject({
    status: 423,
    code: 'pin-locked',
    details: [{ path: 'lockedUntil', message: '2026-11-20T15:05:00.000Z' }],
  })
  expect(audit.latest(2)).toMatchObject([
    { kind: 'pin-refused', subject: 'marie' },
    { kind: 'pin-locked', subject: 'marie' },
  ])
  // The advice also helps the only manager of a store: a PIN that the installer sets lifts every lock.
  expect(await pin('0000')).toMatchObject({
    messages: {
      'en-CA': expect.stringMatching(/Wait, or have another manager.*the installer unlock you/) as string,
      'fr-CA': expect.stringMatching(/Attendez.*installateur/) as string,
    },
  })
  await staff.setPin('marie', '1234')
  expect(await pin('1234')).toMatchObject({ staff: { id: 'marie' } })
  expect(server.logLines()).not.toMatch(/0000"|1234/)
})

test('a manager’s request lifts a cashier’s lock at once, and the audit trail names the manager', async () => {
  const { server, audit } = await start()
  const window = server.openWindow()
  const signIn = async (staffId: string, pin: string): Promise<Record<string, unknown>> =>
    (await server.call('POST', '/api/sign-in', { window, body: { staffId, pin } })).json()
  for (let count = 0; count < 5; count += 1) await signIn('marie', '0000')
  expect(await signIn('marie', '1234')).toMatchObject({ code: 'pin-locked' })
  expect((await server.call('GET', '/api/people', { window })).json()).toMatchObject({ code: 'sign-in-required' })

  await signIn('sam', '9999')
  const listed = (await server.call('GET', '/api/people', { window })).json<{ people: object[] }>()
  expect(listed.people).toMatchObject([
    {
      id: 'sam',
      name: 'Sam Okafor',
      role: 'manager',
      pin: 'own',
      approvalsLockedUntil: null,
      mayNotApprove: false,
      lockedUntil: null,
    },
    {
      id: 'marie',
      name: 'Marie Gagnon',
      role: 'cashier',
      pin: 'own',
      approvalsLockedUntil: null,
      mayNotApprove: false,
      lockedUntil: '2026-11-20T15:05:00.000Z',
    },
    {
      id: 'noor',
      name: 'Noor Ali',
      role: 'cashier',
      pin: 'none',
      approvalsLockedUntil: null,
      mayNotApprove: false,
      lockedUntil: null,
    },
  ])
  const lifted = await server.call('POST', '/api/people/marie/lift-lock', { window, body: {} })
  expect(
    lifted.json<{ people: { lockedUntil: string | null }[] }>().people.map((person) => person.lockedUntil),
  ).toEqual([null, null, null])
  expect(audit.latest(1)).toMatchObject([
    { kind: 'pin-lock-lifted', actorId: 'sam', subject: 'marie', detail: { until: '2026-11-20T15:05:00.000Z' } },
  ])
  // Nothing is recorded if there is no lock; an unknown person gets `not-found`.
  await server.call('POST', '/api/people/marie/lift-lock', { window, body: {} })
  expect(audit.latest(1)).toMatchObject([{ kind: 'pin-lock-lifted' }])
  expect(audit.latest(50).filter(({ kind }) => kind === 'pin-lock-lifted')).toHaveLength(1)
  expect((await server.call('POST', '/api/people/nobody/lift-lock', { window, body: {} })).json()).toMatchObject({
    code: 'not-found',
  })

  expect(await signIn('marie', '1234')).toMatchObject({ staff: { id: 'marie' } })
  for (const [method, path] of [
    ['GET', '/api/people'],
    ['POST', '/api/people/sam/lift-lock'],
  ] as const) {
    expect(
      (await server.call(method, path, { window, ...(method === 'POST' ? { body: {} } : {}) })).json(),
    ).toMatchObject({ code: 'manager-required' })
  }
})

test('a person without a PIN is referred to the installer, in both languages', async () => {
  const { server } = await start()
  const window = server.openWindow()
  const answer = await server.call('POST', '/api/sign-in', { window, body: { staffId: 'noor', pin: '1234' } })
  expect(answer.status).toBe(409)
  expect(answer.json()).toMatchObject({
    code: 'pin-not-set',
    messages: {
      'en-CA': expect.stringContaining('Ask the installer to set one.'),
      'fr-CA': expect.stringContaining('Demandez-en un à l’installateur'),
    },
  })
  expect(answer.text, 'a manager cannot set one').not.toMatch(/manager|gérant/)
})

test('a sign-in at a window signs out the person signed in there before, without a sign-out event', async () => {
  const { server, audit, published } = await start()
  const window = server.openWindow()
  await server.call('POST', '/api/sign-in', { window, body: { staffId: 'marie', pin: '1234' } })
  await server.call('POST', '/api/sign-in', { window, body: { staffId: 'sam', pin: '9999' } })
  expect((await server.call('GET', '/api/terminal', { window })).json()).toMatchObject({ signedIn: { id: 'sam' } })
  // No sign-out event is sent, so that the sale stays on the screen.
  expect(published.map(({ type }) => type)).toEqual(['signed-in', 'signed-in'])
  expect(
    audit
      .latest(3)
      .map((entry) => [entry.kind, entry.actorId])
      .reverse(),
  ).toEqual([
    ['sign-in', 'marie'],
    ['sign-out', 'marie'],
    ['sign-in', 'sam'],
  ])
})

test('a sign-in at one window signs out the person at another window, with an event', async () => {
  const { server, published } = await start()
  const [one, two] = [server.openWindow(), server.openWindow()]
  await server.call('POST', '/api/sign-in', { window: one, body: { staffId: 'marie', pin: '1234' } })
  expect(published.map(({ type }) => type)).toEqual(['signed-in'])
  await server.call('POST', '/api/sign-in', { window: two, body: { staffId: 'sam', pin: '9999' } })
  expect(published.map(({ type }) => type)).toEqual(['signed-in', 'signed-out', 'signed-in'])
  expect((await server.call('GET', '/api/terminal', { window: one })).json()).toMatchObject({ signedIn: null })
  expect((await server.call('GET', '/api/terminal', { window: two })).json()).toMatchObject({ signedIn: { id: 'sam' } })
})

test('a manager gets the list of windows and can end one; that window then needs a new session', async () => {
  const { server, audit, published } = await start()
  const [lane, office] = [server.openWindow(), server.openWindow()]
  await server.call('POST', '/api/sign-in', { window: lane, body: { staffId: 'marie', pin: '1234' } })
  expect((await server.call('GET', '/api/sessions', { window: lane })).json()).toMatchObject({
    code: 'manager-required',
  })
  await server.call('POST', '/api/sign-in', { window: office, body: { staffId: 'sam', pin: '9999' } })
  const { sessions } = (await server.call('GET', '/api/sessions', { window: office })).json<{
    sessions: { id: string; here: boolean; staff: { id: string } | null }[]
  }>()
  expect(sessions.map(({ here, staff }) => [here, staff?.id ?? null])).toEqual([
    [true, 'sam'],
    [false, null],
  ])
  published.length = 0
  const other = sessions.find(({ here }) => !here)?.id ?? ''
  expect((await server.call('POST', `/api/sessions/${other}/end`, { window: office })).json()).toMatchObject({
    sessions: [{ here: true }],
  })
  expect((await server.call('GET', '/api/staff', { window: lane })).json()).toMatchObject({
    code: 'session-required',
  })
  expect(audit.latest(1)).toMatchObject([{ kind: 'window-ended', actorId: 'sam', detail: { window: other } }])
  expect((await server.call('POST', `/api/sessions/${other}/end`, { window: office })).json()).toMatchObject({
    code: 'not-found',
  })
})

async function streamOf({ url }: TestServer, window: string): Promise<{ status: number; ended: Promise<string> }> {
  const response = await fetch(`${url}/api/events`, {
    headers: { [WINDOW_HEADER]: window, 'sec-fetch-site': 'same-origin' },
  })
  return { status: response.status, ended: response.text() }
}

test('a window’s event stream ends when a manager ends the window or newer windows exceed the limit', async () => {
  const { server } = await start()
  const [lane, office] = [server.openWindow(), server.openWindow()]
  await server.call('POST', '/api/sign-in', { window: office, body: { staffId: 'sam', pin: '9999' } })
  const ended = (await streamOf(server, lane)).ended
  const { sessions } = (await server.call('GET', '/api/sessions', { window: office })).json<{
    sessions: { id: string; here: boolean }[]
  }>()
  await server.call('POST', `/api/sessions/${sessions.find(({ here }) => !here)?.id}/end`, { window: office })
  expect(await ended).toContain('resync')
  expect((await streamOf(server, lane)).status, 'and cannot be opened again').toBe(401)

  const oldest = server.openWindow()
  const given = (await streamOf(server, oldest)).ended
  for (let window = 0; window < 8; window += 1) {
    await openWindowAt(server.url, linkOf(server))
  }
  expect(await given).toContain('resync')
  expect(server.events.clients).toBe(0)
})

test('two simultaneous sign-ins at one window both succeed and leave the person signed in', async () => {
  const { server, audit } = await start()
  const window = server.openWindow()
  const press = () => server.call('POST', '/api/sign-in', { window, body: { staffId: 'marie', pin: '1234' } })
  const answers = await Promise.all([press(), press()])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect((await server.call('GET', '/api/terminal', { window })).json()).toMatchObject({ signedIn: { id: 'marie' } })
  expect(audit.latest(9).filter(({ kind }) => kind === 'sign-out')).toEqual([])
})
