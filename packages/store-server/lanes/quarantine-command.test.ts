import { expect, test } from 'vitest'
import { usePostgres } from '../testing/postgres.ts'
import { runQuarantine } from './unread.ts'
import { fact, HEALTH, startLanes, STREAM } from './lanes.fixture.ts'

const postgres = usePostgres({ fsync: false })

test('the quarantine CLI command lists an unreadable fact with its reason, until the owner dismisses it', async ({
  skip,
}) => {
  const { call, hello, push, database } = await startLanes(postgres, skip)
  const run = async () => (await call('01', 'heartbeat', { health: HEALTH, vector: {}, waitMs: 0 })).body.aside
  await hello('01')
  expect(await runQuarantine(database, { kind: 'list' })).toBe('No facts are in quarantine.\n')
  await push('01', [fact(1), fact(2, { body: { text: 'poison' } })])
  expect(await run()).toBe(1)
  expect(await runQuarantine(database, { kind: 'list' })).toContain(`${STREAM}/2  note S2 of lane STORE/01: no text`)
  const french = await runQuarantine(database, { kind: 'list' }, 'fr-CA')
  expect(french).toContain(`${STREAM}/2  note S2 de la caisse STORE/01 : no text`)
  expect(french).toContain('Si aucune version ne peut en lire un, consultez les documents de sa caisse, puis :\n')
  const dismiss = (seq: number) =>
    runQuarantine(database, { kind: 'dismiss', stream: STREAM, seq, by: 'Sam', why: 'its paper is in the books' })
  await expect(dismiss(1)).rejects.toThrow(`${STREAM}/1 is not in quarantine`)
  expect(await dismiss(2)).toContain('no longer counts')
  await expect(dismiss(2)).rejects.toThrow('was settled before')
  expect(await run()).toBe(0)
  expect(await runQuarantine(database, { kind: 'list' })).toBe('No facts are in quarantine.\n')
  const { rows } = await database.query('SELECT settled_by, settled_why FROM fact_aside')
  expect(rows).toEqual([{ settled_by: 'Sam', settled_why: 'its paper is in the books' }])
})

test('text from a lane adds no control character or line to the output of the quarantine CLI command', async ({
  skip,
}) => {
  const { hello, push, database } = await startLanes(postgres, skip)
  await hello('01')
  const reason = `gone\n${STREAM}/9  sale of lane STORE/02: settle me\u001b[2J${' and so on'.repeat(1_000)}`
  await push('01', [fact(1, { kind: 'a\u001b]0;b', subject: 'S\u202e1\n2', body: { unreadable: reason } })])
  const listed = await runQuarantine(database, { kind: 'list' })
  const [line = '', ...rest] = listed.split('\n')
  expect(line).toMatch(/^a{32}\/1 {2}a\ufffd\]0;b S\ufffd1 2 of lane STORE\/01: gone a{32}\/9 sale of lane STORE\/02: /)
  expect(line.length).toBeLessThan(700)
  expect(rest.join('')).not.toContain(STREAM)
})
