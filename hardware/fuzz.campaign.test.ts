import { expect, test } from 'vitest'
import { CardPatterns, EmbeddedLayout } from '../contracts/core/profile.ts'
import type { CardRead, Scan } from './device.ts'
import { programCards } from './msr/program-card.ts'
import { SwipeAssembler } from './msr/swipe.ts'
import { isPaymentNumber } from '../contracts/core/card-numbers.ts'
import { scanClassifier } from './scanner/classify.ts'
import { randomFrom } from './random.fixture.ts'
import { createFramer } from './serial/framer.ts'
import { createNoiseMeter } from './serial/line.ts'

const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000)
const total = Number(process.env['FUZZ_BYTES'] ?? (process.env['MILEPOST_CAMPAIGN'] === '1' ? 50_000_000 : 4_000_000))

const SAMPLES = [
  '%B4111111111111111^DOE/JANE^49121010000000000?;4111111111111111=49121010000000000?\r',
  ';80000000011=4912101?\r',
  '%E?;E?\r',
  '\x02;378282246310005=4912?\x03',
  '\x1b;5555555555554444=4912?\r\n',
  ']E04006381333931\r',
  ']C080000000011\r',
  ']C0N1010100000042K7QZ\r',
  '4111111111111111\t',
  ']Q1https://example.com/?a=6011111111111117\r',
  '+0180000000011==1?\r',
  ']C101040063813339311009AB\x1d\r',
  ']C101950123456789033103001750\x1d104111111111111111\r',
  '\x1d0109506000134352171411201021\x1d214111111111111111\r',
  ']d20195012345678903392212\r',
  ']E00212345928752\r',
  ']I110614141000415\r',
  '?1012194=1111111111111114;\r',
  ';4111111111111111D4912?\r',
].map((text) => Buffer.from(text, 'latin1'))

function* chunks(bytes: number): Generator<Buffer> {
  const random = randomFrom(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  for (let sent = 0; sent < bytes;) {
    const sample = SAMPLES[below(SAMPLES.length)] ?? Buffer.alloc(0)
    let chunk = Buffer.from(sample)
    switch (below(4)) {
      case 0:
        chunk = Buffer.from(Array.from({ length: 1 + below(200) }, () => below(256)))
        break
      case 1:
        for (let change = below(4); change >= 0; change -= 1) chunk[below(chunk.length)] = below(256)
        break
      case 2:
        chunk = Buffer.concat([sample.subarray(0, below(sample.length)), sample.subarray(below(sample.length))])
        break
      default:
        break
    }
    const cut = below(chunk.length)
    yield Buffer.from(chunk.subarray(0, cut))
    yield Buffer.from(chunk.subarray(cut))
    sent += chunk.length
  }
}

const holdsPan = (text: string): boolean =>
  (text.match(/\d{15,}/g) ?? []).some((run) =>
    isPaymentNumber(Buffer.from(run, 'latin1'), 0, run.length > 19 ? 16 : run.length),
  )

test(
  `${total} bytes of noise cause no crash, memory leak or card number in an event, and take linear time (seed ${seed})`,
  { timeout: 300_000 },
  () => {
    const cards = programCards(CardPatterns.parse({}))
    const reads: CardRead[] = []
    let scans = 0
    let leaked: Scan | null = null
    const classify = scanClassifier(cards, [
      EmbeddedLayout.parse({ layout: '02IIIIIVPPPPC' }),
      EmbeddedLayout.parse({ layout: '22IIIIIWWWWWC' }),
    ])
    const noise = createNoiseMeter()
    const swipes = new SwipeAssembler(
      cards,
      (read) => {
        if (reads.length < 1_000) reads.push(read)
      },
      noise,
    )
    const common = { onDropped: () => undefined, onSilence: () => undefined }
    const readerFramer = createFramer(
      { maxLength: 512, interByteMs: 60_000 },
      {
        ...common,
        onFrame: (frame) => {
          swipes.frame(frame)
        },
        onDropped: (bytes) => {
          swipes.dropped(bytes)
        },
      },
    )
    const scannerFramer = createFramer(
      { maxLength: 512, interByteMs: 60_000 },
      {
        ...common,
        onFrame: (frame) => {
          const product = Buffer.from(frame.subarray(0, 2)).toString('latin1') === ']E'
          const scan = classify(frame)
          scans += 1
          // A sale id and an EAN product code may have any digits; other events must not contain a card number.
          if (!product && scan.kind !== 'receipt' && holdsPan(JSON.stringify(scan))) leaked = scan
        },
      },
    )
    const before = process.memoryUsage().heapUsed
    const quarters = [0, 0, 0, 0]
    let done = 0
    for (const chunk of chunks(total)) {
      const startedAt = performance.now()
      readerFramer.push(chunk)
      scannerFramer.push(chunk)
      const quarter = Math.min(3, Math.floor((done * 4) / total))
      quarters[quarter] = (quarters[quarter] ?? 0) + performance.now() - startedAt
      done += chunk.length
      // Simulates a pause, as between manual scans, at each flood: otherwise the noise meter would treat everything
      // after it as a flood, and no read would be tested.
      if (noise.isFlooded) {
        swipes.silence()
        noise.quiet()
      }
    }
    swipes.silence()
    readerFramer.reset()
    scannerFramer.reset()
    expect(leaked).toBeNull()
    expect(quarters[3]).toBeLessThan(Math.max(...quarters.slice(1, 3)) * 3 + 100)
    expect(scans).toBeGreaterThan(1_000)
    expect(new Set(reads.map((read) => read.kind))).toEqual(new Set(['program-card', 'foreign-card', 'unreadable']))
    expect(readerFramer.held().every((byte) => byte === 0)).toBe(true)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(150_000_000)
  },
)

test('framing ten megabytes without a frame end takes linear time', () => {
  const framer = createFramer(
    { maxLength: 512, interByteMs: 60_000 },
    { onFrame: () => undefined, onDropped: () => undefined, onSilence: () => undefined },
  )
  const chunk = Buffer.alloc(65_536, ';')
  const time = (megabytes: number): number => {
    const start = performance.now()
    for (let index = 0; index < megabytes * 16; index += 1) framer.push(chunk)
    return performance.now() - start
  }
  time(2)
  const one = Math.max(time(1), 1)
  expect(time(10)).toBeLessThan(one * 10 * 8)
  framer.reset()
})

test('a scan cut at eighty characters shows no four digits of a card number (seed 877095)', () => {
  const classify = scanClassifier(programCards(CardPatterns.parse({})))
  // The whole run of digits in this frame is not a payment number, but its first seventeen digits are.
  const scan = classify(Buffer.from(`${'x'.repeat(63)}41111111111111121000000000`, 'latin1'))
  expect(isPaymentNumber(Buffer.from('41111111111111121', 'latin1'), 0, 17)).toBe(true)
  expect(JSON.stringify(scan)).not.toMatch(/\d{4}/)
})
