import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import type { Locale } from '../../../contracts/core/locales.ts'
import { createLog } from '../log.ts'
import { openPostgres, type Postgres } from '../db/postgres.ts'
import { usePostgres } from '../testing/postgres.ts'
import { hashOf, startVoucherLanes, type VoucherLanes } from '../testing/voucher-lanes.ts'
import { runVouchers } from './command.ts'

const postgres = usePostgres({ fsync: false })
const CODE = 'CODE-ABCD'
const BY_OWNER = { by: 'Sam Okafor', why: 'no receipt of 14:00 has it' }
let running: VoucherLanes | null = null
let owner: Postgres | null = null
afterEach(async () => {
  await running?.close()
  await owner?.close()
  running = owner = null
})

async function withOpenDraw(skip: Parameters<typeof postgres.database>[0]) {
  const url = await postgres.database(skip)
  const store = await startVoucherLanes(url, 2)
  const database = openPostgres({ url, log: createLog('silent') })
  running = store
  owner = database
  await store.lane('01').entry(CODE, 'issued', 1000)
  await store.lane('01').transfer(CODE, 'handed-over', 1000)
  const id = randomUUID()
  expect(await store.lane('02').draw(CODE, 700, id)).toMatchObject({ kind: 'granted' })
  const age = (hours: number) =>
    database.query(`UPDATE voucher_ledger SET at = now() - interval '${hours} hours' WHERE id = '${id}'`)
  const seen = async (untold: number) => {
    await store.lane('02').entry(`CODE-OWN${untold}`, 'issued', 1)
    await database.query(`UPDATE lane SET seen_at = now(), health = '{"untold": ${untold}}' WHERE lane = '02'`)
  }
  const release = (more: { isLaneLost?: boolean } = {}) =>
    runVouchers(database, { kind: 'release', id, ...BY_OWNER, isLaneLost: false, ...more })
  return {
    store,
    database,
    id,
    age,
    seen,
    release,
    list: (locale?: Locale) => runVouchers(database, { kind: 'list' }, locale),
  }
}

describe('a draw that was granted and never reported', () => {
  test('is listed with its lane, amount and time, and can be released once by the owner', async ({ skip }) => {
    const { store, database, id, age, seen, release, list } = await withOpenDraw(skip)
    expect(await list(), 'a draw of the last seconds may still be in progress').toContain('Nothing is open')
    await age(2)
    expect(await list()).toContain(`${id}  $7.00 of gift card …ABCD, reserved by lane STORE/02 since 20`)
    await expect(release()).rejects.toThrow('Lane 02 may still report the outcome: start it')
    await seen(3)
    await expect(release(), 'it has more to send').rejects.toThrow('may still report the outcome')
    const ahead = `seen_at = now() + interval '3 hours', health = '{"untold": 0}'`
    await database.query(`UPDATE lane SET ${ahead} WHERE lane = '02'`)
    await expect(release(), 'the clock was set back: it was here before').rejects.toThrow(
      'may still report the outcome',
    )
    const french = await list('fr-CA')
    expect(french).toMatch(/^\S+ {2}7,00\s\$, carte-cadeau …ABCD, réservé par la caisse STORE\/02, /)
    expect(french).toMatch(
      /, depuis 20.* UTC; elle peut encore transmettre le résultat\n\nConsultez les documents de cette caisse/,
    )
    await seen(0)
    expect(await list('fr-CA')).toContain('réservé par une copie perdue de la caisse STORE/02 depuis 20')
    expect(await list()).toContain(`${id}  $7.00 of gift card …ABCD, reserved by a lost copy of lane STORE/02 since 20`)
    const both = await Promise.all([release(), release()])
    expect(both.toSorted()).toEqual([
      '$7.00 of …ABCD can be spent again.\n',
      '$7.00 of …ABCD had already been released.\n',
    ])
    expect(await store.lane('03').find(CODE)).toMatchObject({ heldCents: 1000 })
    expect((await database.query('SELECT by, why FROM voucher_release')).rows).toEqual([BY_OWNER])
    expect(await store.wrong()).toEqual([])
    expect(await list()).toContain('Nothing is open')
  })

  test('counts as received if a lost lane reports it after its release by the owner, whose list shows this', async ({
    skip,
  }) => {
    const { store, id, age, release, list } = await withOpenDraw(skip)
    await age(2)
    expect(await release({ isLaneLost: true })).toContain('can be spent again')
    expect(await store.lane('02').draw(CODE, 700, id), 'it is not granted again').toMatchObject({ kind: 'refused' })
    expect(await store.lane('02').cancel(CODE, 700, id)).toEqual({ kind: 'cancelled' })
    expect(await store.lane('03').draw(CODE, 100)).toMatchObject({ kind: 'granted' })
    await store.lane('02').transfer(CODE, 'drawn', 700, id)
    await store.lane('02').entry(CODE, 'redeemed', 700)
    expect(await store.lane('03').find(CODE)).toMatchObject({ heldCents: 200 })
    expect(await store.wrong()).toEqual([])
    expect(await store.lane('02').cancel(CODE, 700, id)).toEqual({ kind: 'taken' })
    expect(await list()).toContain(
      'was released by Sam Okafor (no receipt of 14:00 has it), but lane STORE/02 reported',
    )
    expect(await list('fr-CA')).toMatch(
      /libéré par Sam Okafor \(no receipt of 14:00 has it\), mais la caisse STORE\/02 a signalé que la valeur a servi/,
    )
    await expect(release()).rejects.toThrow(`${id} is not open: it was used.`)
  })

  test('leaves a shortage in the totals if it is released, spent again and then reported', async ({ skip }) => {
    const { store, id, age, release } = await withOpenDraw(skip)
    await age(2)
    await release({ isLaneLost: true })
    expect(await store.lane('03').draw(CODE, 1000)).toMatchObject({ kind: 'granted' })
    expect(await store.wrong()).toEqual([])
    await store.lane('02').transfer(CODE, 'drawn', 700, id)
    expect(await store.wrong()).toMatchObject([{ last4: 'ABCD', held_cents: -700 }])
  })

  test('is not released under an unknown id, and the owner cannot end a wait for a lane that is not awaited', async ({
    skip,
  }) => {
    const { database } = await withOpenDraw(skip)
    const other = randomUUID()
    await expect(runVouchers(database, { kind: 'release', id: other, ...BY_OWNER, isLaneLost: true })).rejects.toThrow(
      `There is no draw ${other}`,
    )
    await expect(runVouchers(database, { kind: 'without', store: 'STORE', lane: '02', ...BY_OWNER })).rejects.toThrow(
      'The store does not wait for lane STORE/02',
    )
  })
})

test("the owner can end a restored store's wait for a lost lane, with a name and a reason", async ({ skip }) => {
  const { store, database, seen, list } = await withOpenDraw(skip)
  await seen(0)
  await database.query("UPDATE database_identity SET identity = 'of the lost one'")
  expect(await store.lane('01').draw(CODE, 1)).toMatchObject({ awaits: ['01', '02'] })
  await store.lane('01').complete()
  expect(await list()).toContain('waiting for lane STORE/02 since 20')
  expect(await list('fr-CA')).toMatch(/^caisse STORE\/02 attendue depuis 20.* UTC : démarrez-la\n/)
  expect(await runVouchers(database, { kind: 'without', store: 'STORE', lane: '02', ...BY_OWNER })).toContain(
    'no longer waits',
  )
  expect(await store.lane('01').draw(CODE, 1)).toMatchObject({ kind: 'granted', awaits: [] })
  const { rows } = await database.query('SELECT given_up_by AS by, why FROM stream_awaited WHERE why IS NOT NULL')
  expect(rows).toEqual([BY_OWNER])
})

test('a gift card sold by two lanes is listed with both amounts while it has a balance', async ({ skip }) => {
  const { store, list } = await withOpenDraw(skip)
  await store.lane('03').entry(CODE, 'issued', 2500)
  await store.lane('03').sendAgain()
  expect(await list()).toContain('…ABCD was sold more than once in store STORE: $10.00 at lane 01, $25.00 at lane 03')
  expect(await list('fr-CA')).toMatch(
    /…ABCD a été vendue plus d’une fois au magasin STORE : 10,00\s\$ à la caisse 01, 25,00\s\$ à la caisse 03\./,
  )
  await store.lane('02').entry('CODE-OWN2', 'issued', 1)
  expect(await list(), 'each other card was sold once').not.toContain('OWN2')
  expect(await store.wrong()).toEqual([])
})

test('text from a lane adds no control character or forged line to the output of the vouchers CLI command', async ({
  skip,
}) => {
  const { store, database, age, release, list } = await withOpenDraw(skip)
  await age(2)
  await database.query("UPDATE voucher_account SET kind = E'\\u001b[2J', last4 = E'\\n\\u001b]0'")
  await store.lane('03').entry(CODE, 'issued', 2500)
  const listed = await list()
  expect(listed).toContain('$7.00 of \ufffd[2J … \ufffd]0, reserved by lane STORE/02')
  expect(listed).toContain('… \ufffd]0 was sold more than once in store STORE')
  expect(await release({ isLaneLost: true })).toBe('$7.00 of … \ufffd]0 can be spent again.\n')
})

test('a voucher fact without the last four characters of the code is quarantined', async ({ skip }) => {
  const { store } = await withOpenDraw(skip)
  const voucher = { voucherId: CODE, voucherKind: 'gift-card', codeHash: hashOf(CODE), at: 1, amountCents: 1 }
  const entry = { ...voucher, id: 9, kind: 'issued', returnId: null, operationId: null, saleId: 'S' }
  const use = { ...voucher, id: 9, kind: 'redeemed', saleId: 'S' }
  const transfer = { ...voucher, id: randomUUID(), direction: 'handed-over' }
  for (const last4 of ['ABC', 'ABCD\nforged']) {
    expect(await store.lane('03').fact('voucher-entry', `9${last4}`, { ...entry, last4 }), 'entry').toBe(false)
    expect(await store.lane('03').fact('voucher-use', `9${last4}`, { ...use, last4 }), 'use').toBe(false)
    expect(await store.lane('03').fact('voucher-transfer', transfer.id, { ...transfer, last4 }), 'moved').toBe(false)
  }
})
