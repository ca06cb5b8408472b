import { describe, expect, test } from 'vitest'
import type { Person } from '../../contracts/staff/session.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

async function open() {
  const here = await openTerminalHarness(central, { staffId: 'sam' })
  const people = async (): Promise<Person[]> =>
    (await here.call('GET', '/api/people')).body['people'] as unknown as Person[]
  const find = async (id: string): Promise<Person | undefined> => (await people()).find((person) => person.id === id)
  const add = async (name: string, role = 'cashier'): Promise<string> =>
    (await here.call('POST', '/api/people', { name, role, locale: 'fr-CA' })).body['id'] as string
  const oneTime = async (id: string): Promise<string> =>
    (await here.call('POST', `/api/people/${id}/reset-pin`)).body['pin'] as string
  return { here, people, find, add, oneTime }
}

const signIn = (here: TerminalHarness, staffId: string, pin: string, newPin?: string) =>
  here.call('POST', '/api/sign-in', { staffId, pin, ...(newPin ? { newPin } : {}) })

describe('a manager at the lane', () => {
  test('adds a person and gives them a one-time PIN, with which the person chooses their own PIN', async () => {
    const { here, add, find, oneTime } = await open()
    const id = await add('Élodie Côté-Roy')
    expect(id).toBe('elodie-cote-roy')
    expect(await add('Elodie Cote Roy'), 'the name of another').toBe('elodie-cote-roy-2')
    expect(await find(id)).toMatchObject({ pin: 'none', active: true, ofProfile: false, locale: 'fr-CA' })
    const pin = await oneTime(id)
    expect(pin).toMatch(/^\d{6}$/)
    expect((await signIn(here, id, pin)).body.code).toBe('pin-change-required')
    expect((await signIn(here, id, pin, '4826')).status).toBe(200)
    expect(await here.refused('GET', '/api/people'), 'of a cashier').toBe('manager-required')
    await signIn(here, 'sam', '9999')
    expect(await find(id)).toMatchObject({ pin: 'own' })
    expect((await signIn(here, id, pin)).body.code, 'works only once').toBe('pin-wrong')
  })

  test('changes name and role of a person, and the audit trail records both before and after', async () => {
    const { here, add, find } = await open()
    const id = await add('Kim')
    const change = { name: 'Kim Roy', role: 'supervisor', locale: 'en-CA', active: true }
    expect((await here.call('PUT', `/api/people/${id}`, change)).status).toBe(200)
    expect(await find(id)).toMatchObject({ name: 'Kim Roy', role: 'supervisor', locale: 'en-CA' })
    const [entry] = here.read<{ detail: string; actor: string }>(
      "SELECT detail, actor_id AS actor FROM audit_entry WHERE kind = 'staff-changed' ORDER BY id DESC LIMIT 1",
    )
    expect(entry?.actor).toBe('sam')
    expect(JSON.parse(entry?.detail ?? '{}')).toMatchObject({
      nameBefore: 'Kim',
      name: 'Kim Roy',
      roleBefore: 'cashier',
      role: 'supervisor',
    })
  })

  test('does not overwrite a person who has changed since the form was opened', async () => {
    const { here, find } = await open()
    const seen = { name: 'Alex Tremblay', role: 'cashier', locale: 'en-CA', active: true }
    expect((await here.call('PUT', '/api/people/alex', { ...seen, active: false, seen })).status).toBe(200)
    expect(await here.refused('PUT', '/api/people/alex', { ...seen, name: 'Alex T.', seen })).toBe('changed-meanwhile')
    expect(await find('alex')).toMatchObject({ name: 'Alex Tremblay', active: false })
  })

  test('cannot give a person a name with control characters or invisible characters', async () => {
    const { here } = await open()
    const person = { role: 'cashier', locale: 'en-CA' }
    for (const name of ['\u200b', 'A\nB', 'Kim\u202egnp', 'K\u0000', '\u2028'])
      expect(await here.refused('POST', '/api/people', { ...person, name }), JSON.stringify(name)).toBe('body-invalid')
    expect((await here.call('POST', '/api/people', { ...person, name: 'Zoë O’Neill-Łuk 李' })).status).toBe(200)
  })

  test('dismisses a person, who then cannot sign in until the manager reactivates them', async () => {
    const { here, find } = await open()
    const alex = { name: 'Alex Tremblay', role: 'cashier', locale: 'en-CA' }
    await here.call('PUT', '/api/people/alex', { ...alex, active: false })
    expect((await signIn(here, 'alex', '1234')).status).toBe(401)
    await signIn(here, 'sam', '9999')
    expect(await find('alex')).toMatchObject({ active: false, ofProfile: true })
    await here.call('PUT', '/api/people/alex', { ...alex, active: true })
    expect((await signIn(here, 'alex', '1234')).status).toBe(200)
  })

  test('cannot dismiss or demote themselves, so that a manager always remains', async () => {
    const { here, add } = await open()
    const sam = { name: 'Sam Okafor', role: 'manager', locale: 'en-CA', active: true }
    expect(await here.refused('PUT', '/api/people/sam', { ...sam, active: false })).toBe('staff-self')
    expect(await here.refused('PUT', '/api/people/sam', { ...sam, role: 'cashier' })).toBe('staff-self')
    expect(await here.refused('PUT', '/api/people/nobody', sam)).toBe('not-found')
    expect((await here.call('PUT', '/api/people/sam', { ...sam, name: 'Samuel Okafor' })).status).toBe(200)
    const other = await add('Robin', 'manager')
    expect((await here.call('PUT', `/api/people/${other}`, { ...sam, name: 'Robin', active: false })).status).toBe(200)
  })

  test('gives a one-time PIN that is in no audit entry; a repeated request gets the same PIN', async () => {
    const { here, add } = await open()
    const id = await add('Kim')
    const key = crypto.randomUUID()
    const ask = async () => (await (await here.post(`/api/people/${id}/reset-pin`, {}, key)).json()) as { pin: string }
    const first = await ask()
    expect(await ask()).toEqual(first)
    const rows = here.read<{ text: string }>('SELECT detail AS text FROM audit_entry')
    expect(rows.some(({ text }) => text.includes(first.pin))).toBe(false)
    expect(here.read<{ key: string }>('SELECT key FROM command').map((row) => row.key)).not.toContain(key)
  })
})

test('changes of people at the lane remain after a restart with an unchanged profile', async () => {
  const { here, add } = await open()
  await add('Kim')
  await here.call('PUT', '/api/people/alex', { name: 'Alex T.', role: 'supervisor', locale: 'en-CA', active: true })
  await here.close()
  const again = await openTerminalHarness(central, { staffId: 'sam', folder: here.folder })
  const names = (await again.call('GET', '/api/people')).body['people'] as unknown as Person[]
  expect(names.map(({ id, name, role }) => [id, name, role])).toEqual(
    expect.arrayContaining([
      ['alex', 'Alex T.', 'supervisor'],
      ['kim', 'Kim', 'cashier'],
    ]),
  )
})
