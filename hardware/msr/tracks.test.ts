import { expect, test } from 'vitest'
import { carriesPaymentNumber, findTracks, lrcOf } from './tracks.ts'

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')
const found = (text: string): string[] =>
  findTracks(bytes(text)).map(({ number, state, start, end }) => `${number} ${state} ${text.slice(start, end)}`)

test('the LRC is the XOR of all characters including sentinels (ISO/IEC 7811-2)', () => {
  // The LRC of track 2 was calculated manually: ; 1 2 3 4 ? = B ^ 1 ^ 2 ^ 3 ^ 4 ^ F = 0 → "0".
  expect(String.fromCharCode(lrcOf(bytes(';1234?'), 2, 0, 6))).toBe('0')
  expect(String.fromCharCode(lrcOf(bytes(';80=12?'), 2, 0, 7))).toBe('2')
  // The LRC of track 1, in six bits from 0x20: % B A ? = 05 ^ 22 ^ 21 ^ 1F = 19 → 0x39 "9".
  expect(String.fromCharCode(lrcOf(bytes('%BA?'), 1, 0, 4))).toBe('9')
})

test('tracks 1, 2 and 3 are found in one frame', () => {
  expect(found('%B80000000011^DOE/JANE^4912101?;80000000011=4912101?+0180000000011==1?')).toEqual([
    '1 read %B80000000011^DOE/JANE^4912101?',
    '2 read ;80000000011=4912101?',
    '3 read +0180000000011==1?',
  ])
})

test('in a frame with two tracks of digits, the second one is read as track 3', () => {
  expect(found(';80000000011=4912?;0180000000011==1?').map((track) => track.slice(0, 6))).toEqual(['2 read', '3 read'])
})

test('a correct LRC is removed from a track, and a track with a wrong LRC fails', () => {
  const track = ';80000000011=4912?'
  const lrc = String.fromCharCode(lrcOf(bytes(track), 2, 0, track.length))
  expect(found(track + lrc)).toEqual([`2 read ${track}`])
  const wrong = String.fromCharCode(lrc.charCodeAt(0) === 0x31 ? 0x32 : 0x31)
  expect(found(track + wrong)).toEqual([`2 failed ${track}`])
})

test('an LRC that looks like a start sentinel is accepted before another track and at the end of a frame', () => {
  const withSemicolonLrc = ';87?'
  expect(String.fromCharCode(lrcOf(bytes(withSemicolonLrc), 2, 0, 4))).toBe(';')
  expect(found(`${withSemicolonLrc};`)).toEqual(['2 read ;87?'])
  expect(found(`${withSemicolonLrc};+01?`)).toEqual(['2 read ;87?', '3 read +01?'])
  expect(found(`${withSemicolonLrc};01?`)).toEqual(['2 read ;87?', '3 read ;01?'])
})

test('a track fails if the reader marks it as failed, or if it is empty, has invalid characters or no end', () => {
  expect(found('%E?;80000000011=4912?')).toEqual(['1 failed %E?', '2 read ;80000000011=4912?'])
  expect(found(';8000A=?')).toEqual(['2 failed ;8000A=?'])
  expect(found(';80000000011=49')).toEqual(['2 failed ;80000000011=49'])
  expect(found(';?')).toEqual(['2 failed ;?'])
})

test('a payment number is detected on tracks 1 and 2 by length, issuer and check digit', () => {
  // Public test numbers of the card schemes.
  for (const number of [
    '4111111111111111',
    '5555555555554444',
    '2223003122003222',
    '378282246310005',
    '30569309025904',
    '6011111111111117',
    '3530111333300000',
    '6200000000000005',
  ]) {
    for (const text of [`;${number}=4912101?`, `%B${number}^DOE/JANE^4912101?`, `;${number}?`]) {
      const frame = bytes(text)
      expect(
        findTracks(frame).map((track) => carriesPaymentNumber(frame, track)),
        text,
      ).toEqual([true])
    }
  }
  // The number in groups, as some issuers encode track 1, and after the collector number of a program card.
  for (const text of [
    '%B3782 822463 10005^DOE/JANE^4912101?',
    '%B4111-1111-1111-1111^DOE/JANE^4912?',
    '%B4111  1111  1111  1111^DOE/JANE^4912?',
    ';80000000019=4111111111111111?',
    '%B80000000019^DOE/JANE^4111 1111 1111 1111?',
    '%B80000000019 3782 822463 10005^DOE/JANE^4912?',
  ]) {
    const frame = bytes(text)
    expect(
      findTracks(frame).map((track) => carriesPaymentNumber(frame, track)),
      text,
    ).toEqual([true])
  }
  for (const text of [
    ';80000000011=491210100000000?',
    ';80000000011=49121010000000000?',
    ';80000000011=4912101000000000?',
    '%B80000000011^DOE/JANE^491210100000000?',
    ';4111111111111112=4912?',
    '%B80000000019^DOE/JANE 42^4912 1017 7712 3456?',
    ';80000000011=4912101777?',
    ';80000000011=4912?',
    ';411111=4912?',
    ';9911111111111111=4912?',
  ]) {
    const frame = bytes(text)
    expect(
      findTracks(frame).map((track) => carriesPaymentNumber(frame, track)),
      text,
    ).toEqual([false])
  }
})

test('the calculated LRCs match those in the manuals of manufacturers', () => {
  // Source: MagTek, I/O Interface for TTL Magnetic Stripe Readers, section 3 (track 2).
  expect(
    [
      [';0?', 3],
      [';01?', 4],
      [';0123?', 6],
    ].map(([text, length]) => String.fromCharCode(lrcOf(bytes(String(text)), 2, 0, Number(length)))),
  ).toEqual(['4', '5', '4'])
  // Source: DataCard, CP80 service manual, page 2-23 (track 1, bits 011001).
  expect(lrcOf(bytes('%7C^SZ?'), 1, 0, 7)).toBe(0x20 + 0b011001)
})

test('three tracks in one frame are read without LRCs, with an LRC each, and with an ESC before each', () => {
  const tracks = [
    '%B5555555555554444^TREMBLAY/ALEX      ^29121010000000725000000?',
    ';5555555555554444=291210100000007250?',
    '+0180000000011==1?',
  ]
  expect(found(tracks.join(''))).toEqual(tracks.map((track, index) => `${index + 1} read ${track}`))
  const withLrc = tracks.map(
    (track, index) => track + String.fromCharCode(lrcOf(bytes(track), (index + 1) as 1 | 2 | 3, 0, track.length)),
  )
  expect(findTracks(bytes(withLrc.join(''))).map(({ number, state }) => `${number} ${state}`)).toEqual([
    '1 read',
    '2 read',
    '3 read',
  ])
  expect(findTracks(bytes(tracks.join('\x1b'))).map(({ number, state }) => `${number} ${state}`)).toEqual([
    '1 read',
    '2 read',
    '3 read',
  ])
})

function tracksIn(text: string): string[] {
  const frame = bytes(text)
  return findTracks(frame).map(
    ({ number, state, start, end }) => `${number} ${state} ${frame.toString('latin1', start, end)}`,
  )
}

test('D is accepted as the field separator on tracks 2 and 3 but not on track 1', () => {
  expect(tracksIn('%BDAD^DOE?;80000000011D4912?+018DD1?')).toEqual([
    '1 read %BDAD^DOE?',
    '2 read ;80000000011=4912?',
    '3 read +018==1?',
  ])
})

test('the tracks of a card swiped backwards are reversed, with and without an LRC', () => {
  const backwards = (text: string): string => [...text].reverse().join('')
  const track = ';80000000011=4912101?'
  const lrc = String.fromCharCode(lrcOf(bytes(track), 2, 0, track.length))
  expect(tracksIn(backwards(track))).toEqual([`2 read ${track}`])
  expect(tracksIn(backwards(track + lrc))).toEqual([`2 read ${track}`])
  expect(tracksIn(backwards(`%B80000000011^DOE/JANE^4912?${track}`))).toEqual([
    '1 read %B80000000011^DOE/JANE^4912?',
    `2 read ${track}`,
  ])
  expect(tracksIn(';87?;')).toEqual(['2 read ;87?'])
})

test('tracks 1, 2 and 3 with the reader’s error mark, and an empty track, are reported as failed', () => {
  expect(tracksIn('%E?;E?+E?')).toEqual(['1 failed %E?', '2 failed ;E?', '3 failed +E?'])
  expect(tracksIn('%?;80000000011=4912?')).toEqual(['1 failed %?', '2 read ;80000000011=4912?'])
})
