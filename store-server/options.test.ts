import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readOptions } from './options.ts'

const DATABASE = ['--database', 'postgres://owner@localhost/milepost']
const SAID = ['--by', 'Sam Okafor', '--why', 'no receipt has it']
const read = (...args: readonly string[]) => readOptions([...args, ...DATABASE])

describe('vouchers', () => {
  test('lists, releases a draw, and goes on without a lane', () => {
    const id = randomUUID()
    const by = { by: 'Sam Okafor', why: 'no receipt has it' }
    expect(read('vouchers')).toMatchObject({ command: 'vouchers', action: { kind: 'list' } })
    expect(read('vouchers', 'release', id, ...SAID)).toMatchObject({
      action: { kind: 'release', id, ...by, isLaneLost: false },
    })
    expect(read('vouchers', 'release', id, ...SAID, '--lost')).toMatchObject({ action: { isLaneLost: true } })
    expect(read('vouchers', 'without', '1001/02', ...SAID)).toMatchObject({
      action: { kind: 'without', store: '1001', lane: '02', ...by },
    })
    expect(read('vouchers', 'without', '1001/unknown', ...SAID)).toMatchObject({ action: { lane: '' } })
  })

  test.for([
    ['does nothing that nobody answers for', ['release', randomUUID(), '--by', 'Sam'], '--by NAME and --why TEXT'],
    ['takes an id of a draw alone', ['release', '1001/02', ...SAID], '1001/02 is no id of a draw'],
    ['takes a lane with its store', ['without', '02', ...SAID], '02: a lane is given as STORE/LANE'],
    ['knows no other word', ['forget', '02', ...SAID], 'vouchers release ID or vouchers without STORE/LANE'],
  ] as const)('%s', ([, args, said]) => {
    expect(() => read('vouchers', ...args)).toThrow(said)
  })
})

test('aside lists, and settles one fact by somebody’s word', () => {
  const stream = 'a'.repeat(32)
  expect(read('aside')).toMatchObject({ command: 'aside', action: { kind: 'list' } })
  expect(read('aside', 'settle', `${stream}/7`, ...SAID)).toMatchObject({
    action: { kind: 'settle', stream, seq: 7, by: 'Sam Okafor', why: 'no receipt has it' },
  })
  expect(() => read('aside', 'settle', `${stream}/7`)).toThrow('--by NAME and --why TEXT')
  expect(() => read('aside', 'settle', '1001/02', ...SAID)).toThrow('aside settle STREAM/NUMBER is expected')
})

test('other commands take no more words', () => {
  expect(() => read('migrate', 'now')).toThrow('There is no command migrate now')
})

test('a database that is named by an empty variable is not taken for a file', () => {
  expect(() => readOptions(['--data', 'service', '--enrolment', '--database', ''])).toThrow('--database is empty')
  expect(readOptions(['--data', 'service', '--enrolment'])).toMatchObject({ command: 'serve', database: null })
})

test.each(['https://store.example', 'store.example:8443', 'store example', '', '-store', 'store..example'])(
  'a certificate is made for no name that no lane finds in it: %s',
  (name) => {
    expect(() => readOptions(['certificate', '--data', 'service', `--name=${name}`])).toThrow(
      'without https:// or port',
    )
  },
)

test.each(['store.example', 'STORE-01', 'back_office.local', '192.0.2.7', 'fd00::7'])(
  'a certificate is made for %s',
  (name) => {
    expect(readOptions(['certificate', '--data', 'service', '--name', name])).toMatchObject({ names: [name] })
  },
)
