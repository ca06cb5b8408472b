import { expect, test } from 'vitest'
import { newestTrust, openTrust, firstTrust, sealTrust, trustedIn } from './trust.ts'
import { listOf, newSigner } from './testing/bundle-content.ts'

const [first, second, third, thief] = [newSigner(), newSigner(), newSigner(), newSigner()]
const one = listOf(1, [first])

test('the first list of trusted keys is accepted only if one of the keys in it has signed it', () => {
  const file = sealTrust(one, first)
  expect(firstTrust(file)).toEqual(one)
  expect(firstTrust(sealTrust(one, thief))).toBeNull()
  expect(firstTrust(Buffer.from('{}'))).toBeNull()
})

test('trusted keys are added, replaced and revoked step by step, with the lists in any order', () => {
  const two = sealTrust(listOf(2, [first, second]), first)
  const three = sealTrust(listOf(3, [second, third], [first]), second)
  const newest = newestTrust(one, [three, two])
  expect(newest.version).toBe(3)
  expect(trustedIn(newest).revoked).toEqual([first.publicKey.id])
  expect(newestTrust(one, [three])).toEqual(one)
})

test('a list of trusted keys that a revoked key signed does not make this key trusted again', () => {
  const two = sealTrust(listOf(2, [second], [first]), second)
  const atTwo = newestTrust(listOf(1, [first, second]), [two])
  expect(atTwo.version).toBe(2)
  expect(newestTrust(atTwo, [sealTrust(listOf(3, [first]), first)])).toEqual(atTwo)
})

test('a key list signed by an unknown key, an older list and an invalid file change nothing', () => {
  const two = listOf(2, [first])
  expect(newestTrust(two, [sealTrust(listOf(9, [thief]), thief)])).toEqual(two)
  expect(newestTrust(two, [sealTrust(one, first), Buffer.from('no list')])).toEqual(two)
  expect(openTrust(Buffer.from('no list'), trustedIn(two))).toEqual({ distrust: 'unsigned' })
})
