import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { CATALOGS } from '../../../contracts/i18n/catalogs.ts'
import { formatRefusalIn, type Refusal } from '../../../contracts/core/refusal.ts'
import { packBundle } from '../../delivery/bundle.ts'
import { listOf, newSigner, bundleContent } from '../../delivery/testing/bundle-content.ts'
import { sealTrust } from '../../delivery/trust.ts'
import { localeOfStore } from './program.ts'

const refusal: Refusal = [['noLane', { lane: '07', lanes: '01' }], ['packageAgain'], "mv 'a' 'b'"]

test('a refusal to start is in the language of the store, and in every language if the store’s is unknown', () => {
  const french = 'Le profil n’a pas de caisse 07. Caisses du profil : 01. Réinstallez le paquet. mv '
  expect(formatRefusalIn(refusal, CATALOGS, 'fr-CA')).toBe(`${french}'a' 'b'`)
  const both = formatRefusalIn(refusal, CATALOGS, null).split('\n')
  expect(both).toEqual([expect.stringMatching(/^The profile has no lane 07; it has 01\./), `${french}'a' 'b'`])
  const nested: Refusal = [['thisLane', { lane: '01', store: '1', mode: { textKey: 'training' } }]]
  expect(formatRefusalIn(nested, CATALOGS, 'fr-CA')).toBe('Ceci est la caisse 01 du magasin 1 (formation).')
})

test('an installed program uses the language of its store, and no language if the store cannot be read', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const slot = path.join(folder, 'slots', 'a')
  expect(localeOfStore(slot)).toBeNull()
  const signer = newSigner()
  mkdirSync(path.join(folder, 'store'))
  writeFileSync(path.join(folder, 'store', 'trust.keys'), sealTrust(listOf(1, [signer]), signer))
  const store = (profile: string): void =>
    writeFileSync(path.join(folder, 'store', 'store.bundle'), packBundle(bundleContent({}, profile), signer))
  store('locales: { default: fr-CA }')
  expect(localeOfStore(slot)).toBe('fr-CA')
  store('locales: { default: tlh }')
  expect(localeOfStore(slot)).toBeNull()
  expect(localeOfStore(folder)).toBeNull()
})
