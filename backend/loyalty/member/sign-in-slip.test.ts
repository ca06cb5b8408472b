import { expect, test } from 'vitest'
import { composeSignInSlip } from './sign-in-slip.ts'

const WAITING = {
  userCode: 'WDJB-MJHT',
  page: 'https://miles.example/device',
  pageWithCode: 'https://miles.example/device?user_code=WDJB-MJHT',
  expiresAt: '2026-11-20T15:10:00.000Z',
}

const slip = (change: Partial<typeof WAITING> = {}) =>
  composeSignInSlip({
    profile: {
      mode: 'production',
      store: { id: '0101', name: 'Northstar Books', address: [], taxNumbers: [] },
      timeZone: 'America/Toronto',
    },
    locale: 'en-CA',
    columns: 42,
    waiting: { ...WAITING, ...change },
  }).blocks

const scanned = (change: Partial<typeof WAITING>) =>
  slip(change).flatMap((block) => (block.kind === 'qr' ? [block.data] : []))

test('a sign-in page address too long for a QR code is encoded without the user code, or printed as text', () => {
  const long = `https://miles.example/${'d'.repeat(90)}`
  expect(scanned({ pageWithCode: long })).toEqual([WAITING.page])
  expect(scanned({ pageWithCode: long, page: long })).toEqual([])
  const texts = slip({ pageWithCode: long, page: long }).map((block) => (block.kind === 'text' ? block.text : ''))
  expect(texts.join('')).toContain(long.slice('https://'.length))
  expect(texts).not.toContain('Scan with your phone')
})

test('the sign-in slip shows the store, the page, the code and its expiry in the store’s time zone', () => {
  const texts = slip().flatMap((block) => (block.kind === 'text' ? [block.text] : []))
  expect(texts).toEqual([
    'Northstar Books',
    'SIGN IN FOR YOUR OFFERS',
    'Scan with your phone',
    'Or type this code at',
    'miles.example/device',
    'WDJB-MJHT',
    'Valid until 2026-11-20 10:10',
  ])
})
