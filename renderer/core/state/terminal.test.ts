import { afterEach, expect, test, vi } from 'vitest'
import { StaffId } from '../../../contracts/core/ids.ts'
import { api } from '../api/terminal-api.ts'
import { chooseLocale, setSignedIn, signIn, signInByBadge, useTerminal, type StaffMember } from './terminal.ts'

const alex: StaffMember = { id: StaffId.parse('alex'), name: 'Alex Tremblay', role: 'cashier', locale: 'en-CA' }
const locale = (): string => useTerminal.getState().locale

function withApi() {
  vi.spyOn(api, 'signIn').mockResolvedValue({ staff: alex })
  vi.spyOn(api, 'signInByBadge').mockResolvedValue({ staff: alex })
  return vi.spyOn(api, 'setLocale').mockResolvedValue(undefined)
}

afterEach(() => {
  setSignedIn(null)
  vi.restoreAllMocks()
})

test.each([
  ['a PIN', () => signIn('alex', '4794')],
  ['a badge', () => signInByBadge('read-1')],
])('a language chosen on the sign-in screen becomes that of the person who signs in by %s', async (_by, enter) => {
  const saved = withApi()
  await chooseLocale('fr-CA')
  await enter()
  expect(locale()).toBe('fr-CA')
  expect(saved.mock.calls).toEqual([['fr-CA']])
})

test('a language chosen on the sign-in screen applies to the next sign-in only', async () => {
  const saved = withApi()
  await chooseLocale('fr-CA')
  await signIn('alex', '4794')
  setSignedIn(null)
  await signIn('alex', '4794')
  expect(locale()).toBe('en-CA')
  expect(saved).toHaveBeenCalledOnce()
})
