import { expect, test } from 'vitest'
import { updateSource } from './update-source.ts'

const device = {
  service: 'https://store.example:8443',
  storeServer: { url: 'https://server.example', ca: null },
  token: 'made-up-token',
}
const authorization = 'Bearer made-up-token'

test('the lane’s token goes to the server that gave it, and to the store’s', () => {
  const base = 'https://store.example:8443/updates/'
  expect(updateSource(base, device)).toEqual({ base, headers: { authorization } })
  expect(updateSource('https://server.example/u/', device)?.headers).toEqual({ authorization })
})

test.each([
  ['another server', 'https://updates.example/updates/'],
  ['another port', 'https://store.example/updates/'],
  ['a name that begins alike', 'https://store.example.evil.example:8443/updates/'],
  ['a way that can be read', 'http://store.example:8443/updates/'],
])('%s is asked without it', (_what, base) => {
  expect(updateSource(base, device)).toEqual({ base })
})

test('a lane that was not enrolled has none; one without an address asks nobody', () => {
  expect(updateSource('https://store.example:8443/updates/', null)).toEqual({
    base: 'https://store.example:8443/updates/',
  })
  expect(updateSource(undefined, device)).toBeNull()
})
