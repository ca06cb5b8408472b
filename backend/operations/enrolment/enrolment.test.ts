import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { StaffLock } from '../../../contracts/staff/session.ts'
import { CODE_BYTES, codeOf, formatCode, shortFingerprint } from '../../../contracts/operations/enrolment-code.ts'
import { temporaryFolder } from '../../core/http/testing.ts'
import { createLogger } from '../../core/log.ts'
import { createLaneStore } from './lane-store.ts'
import { createEnrolment } from './enrolment.ts'

const SERVICE = 'https://127.0.0.1:9'
const [OURS, THEIRS] = ['a1'.repeat(32), 'b2'.repeat(32)]
const LISE = StaffLock.parse({
  id: 'lise',
  name: 'Lise',
  role: 'manager',
  pin: 'own',
  lockedUntil: null,
  approvalsLockedUntil: null,
  mayNotApprove: false,
  badge: 'none',
})

const storeOfLane = () =>
  createLaneStore({ dataFolder: temporaryFolder(), masterKey: randomBytes(32), keyStore: false })

function openEnrolment(at: { now: number }, store = storeOfLane(), people = [LISE]) {
  const enrolment = createEnrolment({
    store,
    identity: { store: '1001', lane: '01' },
    training: false,
    hasSecret: true,
    staff: { locks: () => people, setPin: () => Promise.resolve() },
    record: () => undefined,
    clock: { now: () => at.now, after: () => () => undefined },
    log: createLogger({ level: 'silent', destination: process.stderr }),
    pausesMs: [],
  })
  return { store, enrolment }
}

test('with PINs set, an interrupted enrolment can be finished only with its own enrolment sheet', async () => {
  const at = { now: Date.now() }
  const { enrolment, store } = openEnrolment(at)
  const [code, other] = [codeOf(randomBytes(CODE_BYTES)), codeOf(randomBytes(CODE_BYTES))]
  const sheet = { code: formatCode(code), service: SERVICE, certificate: OURS }
  const answerTo = async (request: typeof sheet): Promise<unknown> =>
    enrolment.enrolHere(request).catch((error: unknown) => error)
  expect(await answerTo(sheet)).toMatchObject({ code: 'enrolment-not-now' })
  // The installer's CLI command was stopped while it called the enrolment service.
  store.keyFor({ service: SERVICE, code, certificate: OURS }, at.now)
  expect(enrolment.isOffered()).toBe(true)
  for (const forged of [
    { ...sheet, code: formatCode(other) },
    // The screen shows the public part of the code, but the service of an attacker could not know the secret.
    { ...sheet, code: formatCode({ ...other, id: code.id }) },
    { ...sheet, service: 'https://127.0.0.1:10' },
    { ...sheet, certificate: THEIRS },
    { ...sheet, certificate: '' },
  ])
    expect(await answerTo(forged)).toMatchObject({ code: 'enrolment-not-now' })
  expect(await answerTo({ ...sheet, certificate: shortFingerprint(OURS) })).toMatchObject({
    code: 'enrolment-no-network',
  })
  // Setting the clock back by a year must not offer the enrolment again.
  at.now -= 31_536_000_000
  expect(enrolment.isOffered()).toBe(false)
})

test('an enrolment that was given up is not offered when later all staff are new and without PINs', async () => {
  const [at, store] = [{ now: Date.now() }, storeOfLane()]
  const code = codeOf(randomBytes(CODE_BYTES))
  // Without a network, the installer set the secret and the PINs manually.
  store.keyFor({ service: SERVICE, code, certificate: OURS }, at.now - 3_600_000)
  expect(openEnrolment(at, store).enrolment.isOffered()).toBe(false)
  const later = openEnrolment(at, store, [{ ...LISE, pin: 'none' }])
  expect(later.enrolment.isOffered()).toBe(false)
  const stranger = { code: formatCode(codeOf(randomBytes(CODE_BYTES))), service: SERVICE, certificate: THEIRS }
  await expect(later.enrolment.enrolHere(stranger)).rejects.toMatchObject({ code: 'enrolment-not-now' })
})
