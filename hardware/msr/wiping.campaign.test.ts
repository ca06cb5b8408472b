import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { CardPatterns } from '../../contracts/core/profile.ts'
import type { CardRead, Scan } from '../device.ts'
import { openScanner } from '../scanner/scanner.ts'
import { createFramer } from '../serial/framer.ts'
import { recorder } from '../serial/listener.fixture.ts'
import { openCardReader } from './card-reader.ts'
import { programCards } from './program-card.ts'
import { SwipeAssembler } from './swipe.ts'

/** The card number in two halves, so that no code but the driver ever holds the whole number in this process. */
const FIRST_HALF = '45391488'
const SECOND_HALF = '03436467'

/**
 * Program of a child process that sends the card number, whole or in groups of four, between two texts. Each line on
 * its standard input is one message.
 */
const SENDER = `
  const server = require('node:net').createServer((socket) => {
    process.stdin.on('data', (line) => {
      const [before, after, gap] = JSON.parse(line)
      socket.write(Buffer.from(before + ['4539', '1488', '0343', '6467'].join(gap) + after, 'latin1'))
    })
  })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
`

async function openSender() {
  const child = spawn(process.execPath, ['-e', SENDER])
  const [line]: unknown[] = await once(child.stdout, 'data')
  return {
    connection: { kind: 'tcp' as const, host: '127.0.0.1', port: Number(String(line)) },
    send: (before: string, after: string, gap = '') => {
      child.stdin.write(JSON.stringify([before, after, gap]))
    },
    close: () => {
      child.kill('SIGKILL')
    },
  }
}

async function countInMemory(firstText: string, secondText: string): Promise<number> {
  // Not from Node's pool of small buffers, where the two halves would be adjacent.
  const first = Buffer.alloc(firstText.length, firstText, 'latin1')
  const second = Buffer.alloc(secondText.length, secondText, 'latin1')
  const memory = await open('/proc/self/mem', 'r')
  const chunk = Buffer.alloc(4 * 1024 * 1024)
  let count = 0
  try {
    for (const line of (await readFile('/proc/self/maps', 'latin1')).split('\n')) {
      const match = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line)
      if (!match) continue
      const end = Number.parseInt(match[2] ?? '', 16)
      for (let at = Number.parseInt(match[1] ?? '', 16); at < end; at += chunk.length - 64) {
        const { bytesRead } = await memory
          .read(chunk, 0, Math.min(chunk.length, end - at), at)
          .catch(() => ({ bytesRead: 0 }))
        const read = chunk.subarray(0, bytesRead)
        for (let found = read.indexOf(first); found >= 0; found = read.indexOf(first, found + 1)) {
          if (read.subarray(found + first.length, found + first.length + second.length).equals(second)) count += 1
        }
        chunk.fill(0)
      }
    }
  } finally {
    await memory.close()
  }
  return count
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
}

test('the number of a payment card is neither in an event nor in the memory of the process', async ({ skip }) => {
  skip(process.platform !== 'linux', 'needs /proc')
  const [readerEnd, scannerEnd] = await Promise.all([openSender(), openSender()])
  const reads = recorder<CardRead>()
  const scans = recorder<Scan>()
  const patterns = CardPatterns.parse({})
  const reader = openCardReader({ connection: readerEnd.connection, patterns }, reads)
  const scanner = openScanner({ connection: scannerEnd.connection, patterns }, scans)
  await Promise.all([reads.until('ready'), scans.until('ready')])

  readerEnd.send(';', '=49121010000000000?\r')
  expect(await reads.take(1)).toEqual([{ kind: 'foreign-card' }])
  readerEnd.send('%B', '^DOE/JANE^49121010000000000?')
  expect(await reads.take(1)).toEqual([{ kind: 'foreign-card' }])
  for (const [before, after] of [
    ['', '\r'],
    [';', '=4912?\r'],
    ['%B', '^DOE/JANE^4912?\r'],
    [']C0', '\r'],
    [']Q1card ', ' of jane\r'],
  ] as const) {
    scannerEnd.send(before, after)
    expect(await scans.take(1)).toEqual([{ kind: 'foreign-card' }])
  }
  for (const [before, after, gap] of [
    [';80000000019=', '?\r', ''],
    ['%B', '^DOE/JANE^4912?\r', ' '],
    ['%B80000000019^DOE/JANE^', '?\r', '-'],
  ] as const) {
    readerEnd.send(before, after, gap)
    expect(await reads.take(1)).toEqual([{ kind: 'foreign-card' }])
  }
  for (const [before, after, gap] of [
    ['%B', '^DOE/JANE^4912?\r', ' '],
    [']C0ref 12 ', '\r', ' '],
    [']C1010950600013435210', '\r', ''],
    [']Q1https://example.com/01/09506000134352/21/', '\r', ''],
  ] as const) {
    scannerEnd.send(before, after, gap)
    expect(await scans.take(1)).toEqual([{ kind: 'foreign-card' }])
  }
  expect(JSON.stringify([reads.events, reads.healths, scans.events, scans.healths])).not.toMatch(/\d{6}/)

  collectGarbage()
  expect(await countInMemory(FIRST_HALF, SECOND_HALF)).toBe(0)
  expect([await countInMemory('4539 1488', ' 0343 6467'), await countInMemory('4539-1488', '-0343-6467')]).toEqual([
    0, 0,
  ])

  // Verifies that the search finds a copy of the number when there is one.
  const copy = Buffer.from(`${FIRST_HALF}${SECOND_HALF}`, 'latin1')
  expect(await countInMemory(FIRST_HALF, SECOND_HALF)).toBeGreaterThan(0)
  expect(copy).toHaveLength(16)
  await Promise.all([reader.close(), scanner.close()])
  readerEnd.close()
  scannerEnd.close()
})

test('after a swipe is complete, the framer’s buffer contains only zeros', () => {
  const reads: CardRead[] = []
  const swipes = new SwipeAssembler(programCards(CardPatterns.parse({})), (read) => {
    reads.push(read)
  })
  const framer = createFramer(
    { maxLength: 512, interByteMs: 10_000 },
    {
      onFrame: (frame) => {
        swipes.frame(frame)
      },
      onDropped: () => undefined,
      onSilence: () => undefined,
    },
  )
  framer.push(Buffer.from(`;${FIRST_HALF}${SECOND_HALF}=4912?\r`, 'latin1'))
  expect(framer.held().every((byte) => byte === 0)).toBe(true)
  swipes.silence()
  expect(reads).toEqual([{ kind: 'foreign-card' }])
  framer.reset()
})

test('the regular-expression engine retains no text of a program card’s track', () => {
  const cards = programCards(CardPatterns.parse({}))
  const track = Buffer.from(';80000000011=4912101777?', 'latin1')
  expect(cards.ofTrack(track, { number: 2, state: 'read', start: 0, end: track.length })).toBe('80000000011')
  expect(Reflect.get(RegExp, '$_')).toBe('')
})
