import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createLogReading } from './log-lines.ts'

const at = '2026-11-20T15:00:00.000Z'
const read = (...lines: (object | string)[]) => {
  const reading = createLogReading()
  for (const line of lines) reading.take(typeof line === 'string' ? line : JSON.stringify(line))
  return reading.end()
}

describe('a log line in the support file', () => {
  test('contains its message, codes and ids; all its other fields are dropped and counted', () => {
    const correlationId = randomUUID()
    const { log } = read({
      level: 50,
      time: at,
      msg: 'a call failed',
      correlationId,
      route: '/api/staff',
      customer: 'Jean Tremblay',
      err: { type: 'SqliteError', code: 'SQLITE_FULL', message: 'disk of Jean is full', stack: 'at /home/jean' },
    })
    expect(log.entries).toEqual([
      {
        at,
        level: 'error',
        message: 'a call failed',
        correlationId,
        errorType: 'SqliteError',
        errorCode: 'SQLITE_FULL',
      },
    ])
    expect(log).toMatchObject({ lines: 1, unreadable: 0, unknownMessages: 0, droppedFields: 4 })
  })

  test('is counted if its message is unknown; a warning or error is also listed, without the message', () => {
    const { log, errors } = read(
      { level: 30, time: at, msg: 'Server listening at http://127.0.0.1:4711' },
      { level: 40, time: at, msg: 'Jean Tremblay was here' },
    )
    expect(log.entries).toEqual([{ at, level: 'warn', message: null }])
    expect(log.unknownMessages).toBe(2)
    expect(errors.counts).toEqual([{ level: 'warn', message: null, count: 1, lastAt: at }])
  })

  test('keeps a message with numbers without its numbers', () => {
    const msg = 'the disk of the data folder has 4826 MB free; this lane needs 97 MB'
    const { log } = read({ level: 40, time: at, msg, freeMb: 4826, neededMb: 97, state: 'low' })
    expect(log.entries).toEqual([
      {
        at,
        level: 'warn',
        message: 'the disk of the data folder has # MB free; this lane needs # MB',
        freeMb: 4826,
        neededMb: 97,
        state: 'low',
      },
    ])
  })

  test('loses fields that do not have their declared form', () => {
    const { log } = read({
      level: 40,
      time: at,
      msg: 'a call failed',
      correlationId: '80012345678',
      code: 'hunter2',
      reason: 'PIN 4826',
      bytes: '4826',
      freeMb: 80012345678,
      state: { of: 'Jean' },
    })
    expect(log.entries).toEqual([{ at, level: 'warn', message: 'a call failed' }])
    expect(log.droppedFields).toBe(6)
  })

  test('is counted as unreadable if it has another format', () => {
    const { log } = read(
      'Error: at /home/jean',
      '[1]',
      '{"level":30}',
      { level: 31, time: at },
      { level: 30, time: 'x' },
    )
    expect(log).toEqual({ lines: 5, unreadable: 5, unknownMessages: 0, droppedFields: 0, entries: [] })
  })
})

test('the support file lists errors by message with their number, the most frequent first', () => {
  const failed = { level: 50, time: at, msg: 'a call failed' }
  const { errors } = read({ level: 40, time: at, msg: 'no preview of the miles' }, failed, failed)
  expect(errors).toEqual({
    since: at,
    counts: [
      { level: 'error', message: 'a call failed', count: 2, lastAt: at },
      { level: 'warn', message: 'no preview of the miles', count: 1, lastAt: at },
    ],
  })
})
