import { describe, expect, test } from 'vitest'
import { CorrectionList } from '../../../contracts/loyalty/queue.ts'
import { CollectorNumber } from '../../../contracts/core/ids.ts'
import { Miles } from '../../../contracts/core/money.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import {
  escalatedIssue,
  FINE,
  issue,
  newSale,
  openQueueHarness,
  OTHER,
  type QueueHarness,
} from '../../../packages/lab/testing/queue-harness.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import type { AuditEntry } from '../../core/audit.ts'
import { CORRECTIONS } from './queue.sql.ts'

const UNKNOWN = '80000000099'
const CLOSED = '80000000088'
const NOTE = 'Called support, ticket 4417'
const PAGE = 50
const central = useCentral()
const office = (): Promise<QueueHarness> => openQueueHarness(central)

const written = (here: QueueHarness, times: number, entry: AuditEntry): number[] =>
  Array.from({ length: times }, () => here.transact((tx) => here.audit.record(tx, entry)))
function pages(here: QueueHarness): CorrectionList['corrections'][] {
  const read: CorrectionList['corrections'][] = []
  let next: string | null = null
  do {
    const page: CorrectionList = here.queue.corrections(next === null ? undefined : Number(next))
    read.push(page.corrections)
    next = page.next
  } while (next !== null)
  return read
}
const numbers = (page: CorrectionList['corrections']): number[] => page.map(({ number }) => number)

test('the list of corrections shows manager, time, call, reason and miles of each, the newest first', async () => {
  const here = await office()
  const at = (): string => new Date(here.clock.now()).toISOString()
  const [escalated, unknown, closed] = [
    await escalatedIssue(here, central),
    await issue(here, UNKNOWN),
    await issue(here, CLOSED),
  ]
  const done = await issue(here, OTHER)
  const [offer] = here.queue.detail(done.id).issued
  if (!offer) throw new Error('the issue says under which offer')

  const moments: string[] = []
  const later = (correct: () => unknown): void => {
    here.clock.advance(60_000)
    moments.unshift(at())
    correct()
  }
  later(() => here.queue.sendAgain(escalated.id, 'alex'))
  later(() => here.queue.resolve(closed.id, 'alex', { found: 'nothing-to-do', note: NOTE }))
  later(() => {
    const { readId } = here.cardReads.hold(CollectorNumber.parse(FINE), 'SWIPE')
    here.queue.correct(unknown.id, 'alex', { readId, note: 'The other card' })
  })
  later(() =>
    here.queue.takeBack(done.id, 'alex', {
      issuanceOfferCode: offer.issuanceOfferCode,
      miles: Miles.parse(1),
      left: offer.left,
      reason: 'The wrong card was swiped',
    }),
  )
  await here.until(escalated.id, 'confirmed')

  const { corrections, next } = CorrectionList.parse(here.queue.corrections())
  expect(next).toBeNull()
  const [last = 0] = numbers(corrections)
  const entry = { by: 'ALEX', note: null, miles: null, amountCents: null }
  expect(corrections).toEqual([
    {
      ...entry,
      number: last,
      at: moments[0],
      what: 'take-back',
      operationId: done.id,
      saleId: done.saleId,
      note: 'The wrong card was swiped',
      miles: 1,
    },
    {
      ...entry,
      number: last - 1,
      at: moments[1],
      what: 'correct',
      operationId: unknown.id,
      saleId: unknown.saleId,
      note: 'The other card',
    },
    {
      ...entry,
      number: last - 2,
      at: moments[2],
      what: 'resolve',
      operationId: closed.id,
      saleId: closed.saleId,
      note: NOTE,
    },
    {
      ...entry,
      number: last - 3,
      at: moments[3],
      what: 'send-again',
      operationId: escalated.id,
      saleId: escalated.saleId,
    },
  ])
  expect(JSON.stringify(corrections)).not.toMatch(/(?<![\da-f-])8\d{10}(?![\da-f])/)
})

test('the list of corrections has requests to send all again and settled notices, which name no call', async () => {
  const here = await office()
  await issue(here, OTHER, { locationCode: 'Z111' })
  const [notice] = here.queue.list().notices
  here.queue.resolveNotice(notice?.id ?? 0, 'alex', { note: NOTE })
  const escalated = await escalatedIssue(here, central)
  here.queue.sendAllAgain('alex')
  await here.until(escalated.id, 'confirmed')
  expect(
    here.queue
      .corrections()
      .corrections.map(({ what, by, operationId, saleId, note }) => [what, by, operationId, saleId, note]),
  ).toEqual([
    ['send-again', 'ALEX', escalated.id, escalated.saleId, null],
    ['send-again-all', 'ALEX', null, null, null],
    ['notice-settled', 'ALEX', null, null, NOTE],
  ])
})

test('the list of corrections omits a correction that was refused', async () => {
  const here = await office()
  expect(here.queue.corrections()).toEqual({ corrections: [], next: null })
  const done = await issue(here, OTHER)
  const closed = await issue(here, CLOSED)
  expect(() => here.queue.resolve(closed.id, 'alex', { found: 'nothing-to-do', note: 'card 80000000145' })).toThrow(
    'note-holds-number',
  )
  expect(() => here.queue.sendAgain(done.id, 'alex')).toThrow('queue-entry-changed')
  expect(() => here.queue.sendAllAgain('alex')).toThrow('nothing-to-send-again')
  expect(here.queue.corrections()).toEqual({ corrections: [], next: null })
})

describe("paging through the list of a manager's corrections", () => {
  const credit = (saleId: string): AuditEntry => ({
    kind: 'queue-credit',
    actorId: 'alex',
    subject: '5e0d5fd2-3f6c-4a5b-9a54-58a2b24e3a11',
    detail: { saleId, amountCents: 3000 },
  })
  const resolved: AuditEntry = { kind: 'queue-resolve', actorId: 'alex', detail: { note: NOTE } }
  const elsewhere: AuditEntry = { kind: 'sign-in', actorId: 'alex' }

  test('lists every correction once among other audit entries, and new corrections shift no page', async () => {
    const here = await office()
    const saleId = newSale(here)
    const all: number[] = []
    for (let round = 0; round < 30; round += 1) {
      here.clock.advance(1_000)
      all.push(...written(here, 2, credit(saleId)))
      written(here, 3, elsewhere)
      all.push(...written(here, 2, resolved))
    }
    const newestFirst = all.toReversed()
    expect(pages(here).map(numbers)).toEqual([
      newestFirst.slice(0, PAGE),
      newestFirst.slice(PAGE, 2 * PAGE),
      newestFirst.slice(2 * PAGE),
    ])
    expect(here.queue.corrections().corrections[2]).toMatchObject({
      what: 'credit',
      by: 'ALEX',
      saleId,
      amountCents: 3000,
      miles: null,
      note: null,
    })
    const { next } = here.queue.corrections()
    written(here, 5, resolved)
    expect(numbers(here.queue.corrections(Number(next)).corrections)).toEqual(newestFirst.slice(PAGE, 2 * PAGE))
  })

  test('returns no next page after a page that is exactly full', async () => {
    const here = await office()
    const all = written(here, PAGE, resolved)
    expect(here.queue.corrections().next).toBeNull()
    all.push(...written(here, 1, resolved))
    expect(pages(here).map(numbers)).toEqual([all.slice(1).toReversed(), all.slice(0, 1)])
  })

  test('omits no correction after the clock was set back', async () => {
    const here = await office()
    const before = Array.from({ length: PAGE + 10 }, () => {
      here.clock.advance(1_000)
      return written(here, 1, resolved)
    }).flat()
    here.clock.set(-86_400_000)
    const after = written(here, 5, resolved)
    expect(pages(here).flatMap(numbers)).toEqual([...before, ...after].toReversed())
  })
})

test('the list of corrections is read from the audit trail by an index of the kinds of entries', async () => {
  const { db } = await office()
  const plan = db
    .prepare<object, { detail: string }>(`EXPLAIN QUERY PLAN ${CORRECTIONS}`)
    .all({ kind: 'queue-resolve', before: 9, limit: 9 })
    .map(({ detail }) => detail)
    .join('\n')
  expect(plan).toMatch(/SEARCH audit_entry USING (COVERING )?INDEX audit_entry_kind \(kind=\?/)
  expect(plan).not.toMatch(/SCAN audit_entry/)
})

test('the list of corrections is refused to other roles than managers', async () => {
  const harness = await openTerminalHarness(central)
  expect(await harness.refused('GET', '/api/queue/corrections')).toBe('manager-required')
  await harness.call('POST', '/api/sign-in', { staffId: 'sam', pin: '9999' })
  const { status, body } = await harness.call('GET', '/api/queue/corrections')
  expect([status, CorrectionList.parse(body)]).toEqual([200, { corrections: [], next: null }])
  expect(await harness.refused('GET', '/api/queue/corrections?before=0')).toBe('body-invalid')
  expect(await harness.refused('GET', '/api/queue/corrections?before=yesterday')).toBe('body-invalid')
})
