import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SignInSlipAnswer, type MemberSession } from '../../../contracts/loyalty/member.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { submitSignInForm } from '../../../packages/lab/testing/phone.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import type { WaitingSession } from './member-session.ts'

const central = useCentral()
const FINE = '80000000011'

type SessionEvent = Extract<TerminalEvent, { type: 'member-session' }>

async function session<Name extends MemberSession['state']>(
  harness: TerminalHarness,
  state: Name,
): Promise<Extract<MemberSession, { state: Name }>> {
  const event = await harness.event(
    (candidate): candidate is SessionEvent & { session: Extract<MemberSession, { state: Name }> } =>
      candidate.type === 'member-session' && candidate.session?.state === state,
  )
  return event.session
}

async function begin(harness: TerminalHarness): Promise<WaitingSession> {
  await harness.ring('1021')
  const { id: saleId } = await harness.swipe('fine')
  await harness.call('POST', `/api/sales/${saleId}/member-session`, {})
  return session(harness, 'waiting')
}

const print = async (harness: TerminalHarness, { saleId }: WaitingSession): Promise<SignInSlipAnswer> =>
  SignInSlipAnswer.parse((await harness.call('POST', `/api/sales/${saleId}/member-session/print`, {})).body)

const papersIn = (folder: string): string[] =>
  readdirSync(join(folder, 'paper'))
    .filter((name) => name.endsWith('.txt'))
    .sort()
    .map((name) => readFileSync(join(folder, 'paper', name), 'utf8'))

async function paperOf(harness: TerminalHarness): Promise<string> {
  for (;;) {
    const [paper, ...others] = papersIn(harness.folder)
    expect(others).toEqual([])
    if (paper !== undefined) return paper
    await harness.next()
  }
}

const filesWith = (folder: string, text: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(join(folder, 'paper')))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text))

test("the member's sign-in slip has the code to scan and to type with its expiry, and is not stored", async () => {
  const harness = await openTerminalHarness(central)
  const waiting = await begin(harness)
  expect(await print(harness, waiting)).toEqual({ state: 'confirmed', trouble: null })
  const paper = await paperOf(harness)
  expect(paper).toContain(`[QR: ${waiting.pageWithCode}]`)
  const lines = paper.split('\n').map((line) => line.trim())
  const typed = lines.indexOf('Or type this code at')
  expect(lines.slice(typed + 1, typed + 3)).toEqual([waiting.page.replace('http://', ''), waiting.userCode])
  expect(lines[0]).toBe('Milepost Training')
  expect(lines).toContain('SIGN IN FOR YOUR OFFERS')
  expect(paper).toMatch(/Valid until \d{4}-\d\d-\d\d \d\d:\d\d\n/)
  expect(harness.read('SELECT * FROM print_job')).toEqual([])
  expect(filesWith(harness.folder, waiting.userCode)).toEqual([])
  expect(filesWith(harness.folder, waiting.saleId)).not.toEqual([])
  expect(await submitSignInForm(waiting, { collectorNumber: FINE })).toBe(200)
})

test("the member's sign-in slip is in the language of the signed-in cashier", async () => {
  const harness = await openTerminalHarness(central)
  await harness.call('POST', '/api/sign-in', { staffId: 'marie', pin: '1234' })
  const waiting = await begin(harness)
  expect(await print(harness, waiting)).toMatchObject({ state: 'confirmed' })
  const paper = await paperOf(harness)
  expect(paper).toContain(`[QR: ${waiting.pageWithCode}]`)
  expect(paper).toContain('CONNECTEZ-VOUS POUR VOS OFFRES')
  expect(paper).toContain('Ou entrez ce code à')
  expect(paper).toMatch(/Valable jusqu’au \d{4}-\d\d-\d\d \d\d h \d\d\n/)
})

test('an unavailable printer and missing paper are reported for a sign-in slip, and the sale continues', async () => {
  const harness = await openTerminalHarness(central)
  const waiting = await begin(harness)
  await harness.call('POST', '/api/training/play', { scenario: 'paper-out' })
  expect(await print(harness, waiting)).toEqual({ state: 'failed', trouble: 'paper-out' })
  await harness.call('POST', '/api/training/play', { scenario: 'printer-off' })
  expect(await print(harness, waiting)).toMatchObject({ state: 'failed' })
  expect(papersIn(harness.folder)).toEqual([])
  expect((await harness.ring('1021')).lines).toMatchObject([{ quantity: 2 }])
  expect((await harness.call('GET', '/api/receipts')).body['notOnPaper']).toBe(0)
})

test('no sign-in slip is printed without a pending code', async () => {
  const harness = await openTerminalHarness(central)
  const { id } = await harness.ring('1021')
  expect(await harness.refused('POST', `/api/sales/${id}/member-session/print`, {})).toBe('member-code-missing')
  const waiting = await begin(harness)
  expect(await harness.refused('POST', '/api/sales/N1010100000099K7QZ/member-session/print', {})).toBe(
    'member-code-missing',
  )
  await submitSignInForm(waiting, { collectorNumber: FINE })
  await session(harness, 'signed-in')
  expect(await harness.refused('POST', `/api/sales/${waiting.saleId}/member-session/print`, {})).toBe(
    'member-code-missing',
  )
})
