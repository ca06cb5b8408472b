import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { SCHEMA_FILES } from './chain-schema.ts'
import { listKey, typesAt } from './schema.ts'

const STORES = path.join(import.meta.dirname, '../../../..', 'stores')

it.each(SCHEMA_FILES)('the file $file is the output of npm run milepost -- profiles schema', ({ file, text }) => {
  expect(readFileSync(file, 'utf8')).toBe(text())
})

function accepts(file: string, text: string): boolean {
  const [, schema = ''] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(text) ?? []
  const known: unknown = JSON.parse(readFileSync(path.resolve(path.dirname(file), schema), 'utf8'))
  return z.fromJSONSchema(z.record(z.string(), z.unknown()).parse(known)).safeParse(parse(text)).success
}

const FILES = [
  'example.yaml',
  'chain/chain.yaml',
  'chain/regions/ON.yaml',
  'chain/regions/QC.yaml',
  'chain/stores/4417.yaml',
]

it.each(FILES)('the profile schema accepts %s', (name) => {
  const file = path.join(STORES, name)
  expect(accepts(file, readFileSync(file, 'utf8'))).toBe(true)
})

it.each([
  ['example.yaml', 'baudRate', 'baudrate'],
  ['example.yaml', 'region: QC', 'region: Quebec'],
  ['example.yaml', 'timeZone: America/Toronto\n', ''],
  ['chain/chain.yaml', 'virtual', 'usb'],
  ['chain/chain.yaml', 'percent: 10', 'percent: ten'],
  ['chain/regions/QC.yaml', 'locales:', 'locale:'],
  ['chain/regions/QC.yaml', 'sam: { name', 'sam: { nmae'],
  ['chain/stores/4417.yaml', '  - id: "02"\n    deviceId', '  - deviceId'],
])('the profile schema rejects the file %s after %j in it is changed to %j', (name, from, to) => {
  const file = path.join(STORES, name)
  const text = readFileSync(file, 'utf8')
  expect(text).toContain(from)
  expect(accepts(file, text.replace(from, to))).toBe(false)
})

it('the profile schema defines the ids of list entries and the types of a setting', () => {
  const keys = ['lanes', 'staff', 'taxes', 'coupons', 'catalog.departments', 'issuance.rules', 'store.address']
  expect(keys.map((name) => listKey(name.split('.')))).toEqual(['id', 'id', 'code', 'code', 'id', null, null])
  expect([...typesAt(['lanes', '[]', 'devices', 'printer', 'connection', 'port'])]).toEqual(['integer'])
  expect([...typesAt(['lanes', '[]', 'deviceId'])]).toEqual(['string'])
  expect([...typesAt(['store', 'nmae'])]).toEqual([])
})
