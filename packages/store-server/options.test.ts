import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { LocalizedError } from '../../contracts/core/refusal.ts'
import { readOptions } from './options.ts'

const DATABASE = ['--database', 'postgres://owner@localhost/milepost']
const BY_OWNER = ['--by', 'Sam Okafor', '--why', 'no receipt has it']
const read = (...args: readonly string[]) => readOptions([...args, ...DATABASE])

describe('the vouchers CLI command', () => {
  test('accepts the options to list vouchers, to release a draw, and to end the wait for a lane', () => {
    const id = randomUUID()
    const by = { by: 'Sam Okafor', why: 'no receipt has it' }
    expect(read('vouchers')).toMatchObject({ command: 'vouchers', action: { kind: 'list' } })
    expect(read('vouchers', 'release', id, ...BY_OWNER)).toMatchObject({
      action: { kind: 'release', id, ...by, isLaneLost: false },
    })
    expect(read('vouchers', 'release', id, ...BY_OWNER, '--lost')).toMatchObject({ action: { isLaneLost: true } })
    expect(read('vouchers', 'without', '1001/02', ...BY_OWNER)).toMatchObject({
      action: { kind: 'without', store: '1001', lane: '02', ...by },
    })
    expect(read('vouchers', 'without', '1001/unknown', ...BY_OWNER)).toMatchObject({ action: { lane: '' } })
  })

  test.for([
    [
      'a release without the name and reason of the owner',
      ['release', randomUUID(), '--by', 'Sam'],
      '--by NAME and --why TEXT',
    ],
    ['a release of a lane without its store', ['release', '02', ...BY_OWNER], '02 is not the id of a draw'],
    ['the end of a wait for a lane without its store', ['without', '02', ...BY_OWNER], '02: name a lane as STORE/LANE'],
    ['an unknown action', ['forget', '02', ...BY_OWNER], 'vouchers release ID or vouchers without STORE/LANE'],
  ] as const)('rejects invalid arguments: %s', ([, args, message]) => {
    expect(() => read('vouchers', ...args)).toThrow(message)
  })
})

test('the changes CLI command accepts the options to list changes, and to confirm one with a name and a reason', () => {
  const stream = 'a'.repeat(32)
  expect(read('changes')).toMatchObject({ command: 'changes', action: { kind: 'list' } })
  expect(read('changes', 'confirm', `${stream}/7`, ...BY_OWNER)).toMatchObject({
    action: { kind: 'confirm', stream, seq: 7, by: expect.any(String), why: expect.any(String) },
  })
  expect(() => read('changes', 'confirm', `${stream}/7`)).toThrow('--by NAME and --why TEXT')
  expect(() => read('changes', 'confirm', '7', ...BY_OWNER)).toThrow('Use changes, or changes confirm STREAM/NUMBER')
})

test('the vouchers CLI command accepts a lane in place of a draw, to release the value of a replaced lane', () => {
  expect(read('vouchers', 'release', '1001/02', ...BY_OWNER, '--lost')).toMatchObject({
    action: { kind: 'release-lane', store: '1001', lane: '02', isLaneLost: true },
  })
})

test('the quarantine CLI command accepts the options to list quarantined facts, and to dismiss one', () => {
  const stream = 'a'.repeat(32)
  expect(read('aside')).toMatchObject({ command: 'aside', action: { kind: 'list' } })
  expect(read('aside', 'settle', `${stream}/7`, ...BY_OWNER)).toMatchObject({
    action: { kind: 'dismiss', stream, seq: 7, by: 'Sam Okafor', why: 'no receipt has it' },
  })
  expect(() => read('aside', 'settle', `${stream}/7`)).toThrow('--by NAME and --why TEXT')
  expect(() => read('aside', 'settle', '1001/02', ...BY_OWNER)).toThrow('Use aside, or aside settle STREAM/NUMBER')
})

describe('invalid input in French', () => {
  const wrong = (...args: readonly string[]) => {
    try {
      readOptions(args)
    } catch (error) {
      if (error instanceof LocalizedError) return error.messages['fr-CA']
    }
    throw new Error('it was understood, or another error')
  }
  const id = randomUUID()
  test.for([
    [['migrate'], 'Il manque --database URL'],
    [['vouchers'], 'Il manque --database URL'],
    [['certificate'], 'Il manque --data DOSSIER'],
    [['certificate', '--data', 'x'], 'Il manque --name HÔTE : l’adresse de cet ordinateur pour les caisses'],
    [['certificate', '--data', 'x', '--name'], '--name exige une valeur.'],
    [['forget', 'it'], 'La commande forget it n’existe pas.'],
    [['metrics', '--data', 'x'], 'Donnez metrics on, metrics off ou metrics status'],
    [['--data', 'x'], 'Il manque --database URL'],
    [['--data', 'x', '--key', 'y'], '--certificate et --key s’utilisent ensemble'],
    [['--data', 'x', '--port', '70000'], '--port exige un nombre entier de 0 à 65535, pas 70000'],
    [['--data', 'x', '--lost=1'], '--lost ne prend pas de valeur.'],
    [['--log-level', 'loud'], '--log-level loud n’est pas un niveau : trace, debug, info, warn, error, silent'],
    [['vouchers', 'release', id, ...DATABASE], 'Il manque --by NOM et --why TEXTE : votre nom et la raison'],
    [
      ['vouchers', 'forget', id, ...DATABASE],
      'Donnez vouchers, vouchers release ID ou vouchers without MAGASIN/CAISSE',
    ],
    [
      ['vouchers', 'without', '02', ...BY_OWNER, ...DATABASE],
      '02 : nommez une caisse par MAGASIN/CAISSE, comme 1001/02',
    ],
    [['aside', 'settle', '7', ...DATABASE], 'Donnez aside, ou aside settle FLUX/NUMÉRO comme aside l’affiche'],
  ] as const)('the error in French names the mistake in %j', ([args, message]) => {
    expect(wrong(...args)).toBe(message)
  })
})

test('CLI commands of the store server reject extra arguments', () => {
  expect(() => read('migrate', 'now')).toThrow('There is no command migrate now')
})

test('the store server does not start without the address of its database', () => {
  expect(() => readOptions(['--data', 'service', '--enrolment', '--database', ''])).toThrow('--database is empty')
  expect(() => readOptions(['--data', 'service', '--enrolment'])).toThrow('--database URL is missing')
  expect(read('--data', 'service')).toMatchObject({ command: 'serve', database: DATABASE[1], enrolment: false })
})

test.each(['https://store.example', 'store.example:8443', 'store example', '', '-store', 'store..example'])(
  'the certificate CLI command rejects a name that lanes cannot match: %s',
  (name) => {
    expect(() => readOptions(['certificate', '--data', 'service', `--name=${name}`])).toThrow('without port')
  },
)

test.each(['store.example', 'STORE-01', 'back_office.local', '192.0.2.7', 'fd00::7'])(
  'the certificate CLI command accepts the name %s',
  (name) => {
    expect(readOptions(['certificate', '--data', 'service', '--name', name])).toMatchObject({ names: [name] })
  },
)
