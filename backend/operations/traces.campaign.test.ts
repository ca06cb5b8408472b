import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Sale } from '../../contracts/sales/sales.ts'
import { ReceiptTraces, type TracedCall } from '../../contracts/operations/call-traces.ts'
import { traceIdOfUuid, uuidOfTraceId, type TraceId } from '../../contracts/core/trace.ts'
import { isMaskedInLog } from '../../contracts/core/log-fields.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { DETERGENT } from '../../packages/lab/testing/return-steps.ts'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'
import { traceOfCommand } from '../core/trace.ts'
import { TRACE_SQL } from './traces.ts'

const central = useCentral()
const REDEEM = '/checkout/loyaltycash/redeem'
const ISSUE = '/checkout/issuance/issue'

async function press(
  here: TerminalHarness,
  path: string,
  body: object,
): Promise<{ sale: Sale; trace: TraceId; key: string }> {
  const key = randomUUID()
  const { status, body: answer } = await here.call('POST', path, body, key)
  expect(status, JSON.stringify(answer)).toBe(200)
  return { sale: answer.sale, trace: traceOfCommand(key), key }
}

async function redeemed(here: TerminalHarness) {
  await here.ring(DETERGENT)
  const { id, version } = await here.swipe('fine')
  return press(here, `/api/sales/${id}/redemption`, { version, units: 1 })
}

const payRest = (here: TerminalHarness, { id, version, totals }: Sale) =>
  press(here, `/api/sales/${id}/tenders`, { kind: 'cash', version, tenderedCents: totals.cashDueCents })

const tracesOf = async (here: TerminalHarness, receipt: string): Promise<ReceiptTraces> =>
  ReceiptTraces.parse((await here.call('GET', `/api/journal/${receipt}/traces`)).body)

const states = ({ steps }: TracedCall): string[] => steps.map(({ state, sent }) => (sent ? `${state} →` : state))

const logged = (here: TerminalHarness, trace: TraceId): Record<string, unknown>[] =>
  here
    .logLines()
    .split('\n')
    .filter((line) => line.includes(trace))
    .map((line) => JSON.parse(line) as Record<string, unknown>)

const cli = (...args: string[]): { code: number | null; output: string; errorOutput: string } => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...process.execArgv, join(import.meta.dirname, 'find-trace.ts'), ...args],
    { encoding: 'utf8' },
  )
  return { code: status, output: stdout, errorOutput: stderr }
}

test('a redemption has one trace: in the command of the window, the journal, the log and the call', async () => {
  const here = await openTerminalHarness(central, { staffId: 'sam' })
  const { sale, trace, key } = await redeemed(here)
  const paid = await payRest(here, sale)
  await here.untilOperation('issue', 'confirmed')

  const [sent] = await central.requests(REDEEM)
  expect(sent?.body['traceId']).toBe(uuidOfTraceId(trace))
  // No specification names the header traceparent, so by default no service gets it.
  for (const { headers } of await central.requests()) expect(headers).not.toHaveProperty('traceparent')

  const { calls } = await tracesOf(here, sale.id)
  expect(calls.map(({ purpose }) => purpose)).toEqual(['redeem', 'issue'])
  expect(calls[0]).toMatchObject({ trace, trackingNumber: uuidOfTraceId(trace), path: REDEEM })
  expect(calls[1]).toMatchObject({ trace: paid.trace, trackingNumber: sale.id, path: ISSUE })
  expect(calls.map(states)).toEqual([
    ['intent →', 'approved'],
    ['queued', 'sent →', 'confirmed'],
  ])
  for (const { steps } of calls) expect(steps.map(({ at }) => at)).toEqual(steps.map(({ at }) => at).toSorted())

  expect(logged(here, trace)).toMatchObject([{ msg: 'called the program', service: 'cash', path: REDEEM, trace }])
  expect(logged(here, paid.trace)).toMatchObject([{ service: 'issuance', path: ISSUE, trace: paid.trace }])
  expect(here.logLines()).not.toContain(key)
  // The trace is derived from the idempotency key, which it must not reveal.
  expect(JSON.stringify(calls)).not.toContain(key)
})

test('every send of a call has the same traceparent, and only services that the profile names receive it', async () => {
  const here = await openTerminalHarness(central, { staffId: 'sam', traceparent: ['cash'] })
  await central.faults({ path: REDEEM, occurrence: 1, action: { kind: 'drop-after' } })
  const { sale, trace } = await redeemed(here)
  await payRest(here, sale)
  await here.untilOperation('issue', 'confirmed')

  const sends = await central.requests(REDEEM)
  const headers = sends.map((request) => request.headers['traceparent'])
  expect(headers).toHaveLength(2)
  expect(headers[0]).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`))
  expect(headers[1]).toBe(headers[0])
  expect(sends[1]?.sha256).toBe(sends[0]?.sha256)
  const others = (await central.requests()).filter(({ path }) => !path.startsWith('/checkout/loyaltycash/'))
  expect(others.length).toBeGreaterThan(0)
  for (const request of others) expect(request.headers).not.toHaveProperty('traceparent')

  const [call] = (await tracesOf(here, sale.id)).calls
  expect(call && states(call)).toEqual(['intent →', 'retry →', 'approved'])
  const output = logged(here, trace).map(({ msg }) => msg)
  expect(output).toEqual(['called the program', 'redemption outcome unknown: retrying once', 'called the program'])
})

test('a reversal has the trace of its own key press, not that of its redemption', async () => {
  const here = await openTerminalHarness(central, { staffId: 'sam' })
  const { sale, trace } = await redeemed(here)
  const back = await press(here, `/api/sales/${sale.id}/tenders/1/take-back`, { version: sale.version })
  await here.untilOperation('redeem', 'reversed')

  const { calls } = await tracesOf(here, sale.id)
  expect(calls.map(({ purpose }) => purpose)).toEqual(['redeem', 'reverse'])
  expect(calls.map((call) => call.trace)).toEqual([trace, back.trace])
  expect(calls.map(states)).toEqual([
    ['intent →', 'approved'],
    ['reversing', 'reversing →', 'reversed'],
  ])
  // The program requires another tracking number for every transaction.
  expect(calls[1]?.trackingNumber).not.toBe(calls[0]?.trackingNumber)
  expect(logged(here, back.trace)).toMatchObject([{ service: 'cash', trace: back.trace }])
})

test('only a manager sees traces', async () => {
  const here = await openTerminalHarness(central)
  const { sale } = await redeemed(here)
  expect(await here.refused('GET', `/api/journal/${sale.id}/traces`)).toBe('manager-required')
})

test('the installer finds the traces of a receipt by the end of its number, and the receipt by a trace', async () => {
  const here = await openTerminalHarness(central, { staffId: 'sam' })
  const { sale, trace } = await redeemed(here)
  const paid = await payRest(here, sale)
  await here.untilOperation('issue', 'confirmed')
  const at = ['--data', here.folder]

  const found = cli(sale.id.slice(-6).toLowerCase(), ...at)
  expect(found, found.errorOutput).toMatchObject({ code: 0, errorOutput: '' })
  expect(found.output).toContain(`Receipt ${sale.id}`)
  expect(found.output).toContain(trace)
  expect(found.output).toMatch(/Redemption {2}\/checkout\/loyaltycash\/redeem/)
  expect(found.output).toMatch(/T\S+Z {2}Sending {2}→ sent to the program\n {2}\S+ {2}Approved/)

  for (const asked of [uuidOfTraceId(trace), paid.trace])
    expect(ReceiptTraces.parse(JSON.parse(cli(asked, '--json', ...at).output)).receipt).toBe(sale.id)
  expect(cli(sale.id, '--language', 'fr', ...at).output).toContain('envoyé au programme')

  const nothing = cli('0000ZZZZ', ...at)
  expect(nothing).toMatchObject({ code: 1, output: '' })
  expect(nothing.errorOutput).toContain('no receipt or trace 0000ZZZZ')
  for (const wrong of [
    ['a b', ...at],
    [sale.id, '--data', '/nowhere'],
  ])
    expect(cli(...wrong).code, wrong.join(' ')).toBe(2)
})

test('traces of commands are unique and valid UUIDs, and are never masked in the log', () => {
  const keys = Array.from({ length: 20_000 }, () => randomUUID())
  const traces = keys.map(traceOfCommand)
  expect(new Set(traces).size).toBe(keys.length)
  expect(traces.filter(isMaskedInLog)).toEqual([])
  for (const trace of traces.slice(0, 100)) {
    expect(uuidOfTraceId(trace)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(traceIdOfUuid(uuidOfTraceId(trace))).toBe(trace)
  }
  expect(traceOfCommand('one')).toBe(traceOfCommand('one'))
})

test('queries of traces use an index', async () => {
  const here = await openTerminalHarness(central)
  const plan = (sql: string): string[] =>
    here
      .read<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql.replaceAll(/\+?\?|@\w+/g, "'x'")}`)
      .map(({ detail }) => detail)
      .filter((detail) => detail.startsWith('SCAN') && !/entry_of|CONSTANT/.test(detail))
  for (const sql of [TRACE_SQL.calls, TRACE_SQL.steps, TRACE_SQL.ofReturn, TRACE_SQL.endingIn])
    expect(plan(sql), sql).toEqual([])
})

test('a call that is repeated after a restart keeps its trace', async () => {
  const first = await openTerminalHarness(central, { staffId: 'sam', traceparent: ['issuance'] })
  await central.faults({ path: ISSUE, action: { kind: 'drop-before' } })
  await first.ring(DETERGENT)
  const paid = await payRest(first, await first.swipe('fine'))
  await first.untilOperation('issue', 'queued')
  await central.reached(ISSUE, 1)
  await first.close()
  await central.clearFaults()

  const again = await openTerminalHarness(central, {
    staffId: 'sam',
    folder: first.folder,
    traceparent: ['issuance'],
  })
  await again.untilOperation('issue', 'confirmed')
  const headers = (await central.requests(ISSUE)).map((request) => request.headers['traceparent'])
  expect(headers.length).toBeGreaterThan(1)
  expect(new Set(headers).size).toBe(1)
  expect(headers[0]).toContain(paid.trace)
  expect(logged(again, paid.trace)).toMatchObject([{ msg: 'called the program', outcome: 'answer' }])
})
