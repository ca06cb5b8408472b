import type { LineDisplayDevice } from '../contracts/core/profile.ts'
import type { DeviceListener, LineDisplay } from './device.ts'
import { Line } from './serial/line.ts'

/** Timeout of a write in ms: two lines are 51 bytes, which take about 55 ms at 9,600 baud. */
const WRITE_MS = 1_000

/**
 * Driver of the customer's line display. Each write sends the newest text; texts that were replaced before they could
 * be sent are skipped.
 */
export function openLineDisplay(
  config: LineDisplayDevice,
  listener: Pick<DeviceListener<never>, 'onHealth'>,
): LineDisplay {
  let newest: readonly [string, string] = ['', '']
  let writing: Promise<void> | null = null
  let stale = false

  async function send(): Promise<void> {
    while (stale && line.health.state === 'ready') {
      stale = false
      await line.write(displayBytes(newest), WRITE_MS)
    }
  }
  function wake(): void {
    stale = true
    if (writing !== null || line.health.state !== 'ready') return
    writing = send()
      // A failed write closes the channel; the line then opens another one, which runs this loop again.
      .catch(() => undefined)
      .finally(() => {
        writing = null
      })
  }

  const line = new Line(config.connection, {
    onData: () => undefined,
    onBreak: () => undefined,
    onHealth(health) {
      listener.onHealth(health)
      // A display that was unplugged comes back blank, so its text is sent again.
      if (health.state === 'ready') wake()
    },
  })

  return {
    get health() {
      return line.health
    },
    get statistics() {
      return { onlineTransitionCount: line.connections, communicationErrorCount: line.disconnections }
    },
    checkHealth: () => line.check(),
    show(upper, lower) {
      newest = [upper, lower]
      wake()
    },
    close: () => line.close(),
  }
}

/** CD5220 commands of a line display, 20×2. Every update sends both lines, so that it repairs earlier lost bytes. */
export const DISPLAY_COLUMNS = 20
const INITIALIZE = [0x1b, 0x40]
const CLEAR = 0x0c
const UPPER = [0x1b, 0x51, 0x41]
const LOWER = [0x1b, 0x51, 0x42]
const END = 0x0d

/**
 * Characters of code page 437, the default of these displays, with its French letters. Other letters lose their accent.
 */
const LETTERS: ReadonlyMap<string, number> = new Map(
  [...'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥'].map((letter, index) => [letter, 0x80 + index]),
)
const SPELLED: ReadonlyMap<string, string> = new Map([
  ['œ', 'oe'],
  ['Œ', 'OE'],
  ['’', "'"],
  ['‘', "'"],
  ['–', '-'],
  ['—', '-'],
  ['…', '...'],
  ['×', 'x'],
  ['€', 'E'],
  ['«', '"'],
  ['»', '"'],
  ['“', '"'],
  ['”', '"'],
])

/** Encodes a text without bytes below 0x20, so that it cannot contain a CD5220 command. */
function bytesOf(text: string): number[] {
  const plain = text
    .normalize('NFC')
    .replace(/[\p{Zs}\t\r\n]/gu, ' ')
    .replace(/\p{C}/gu, '')
  return [...plain].flatMap((character) => {
    const own = LETTERS.get(character)
    if (own !== undefined) return own
    const spelled = SPELLED.get(character) ?? character.normalize('NFD').replace(/\p{M}/gu, '')
    return [...spelled].map((letter) => (/^[\x20-\x7e]$/.test(letter) ? letter.charCodeAt(0) : 0x3f))
  })
}

function lineOf(text: string): number[] {
  const bytes = bytesOf(text).slice(0, DISPLAY_COLUMNS)
  return [...bytes, ...Array.from({ length: DISPLAY_COLUMNS - bytes.length }, () => 0x20)]
}

export const displayBytes = ([upper, lower]: readonly [string, string]): Uint8Array =>
  Uint8Array.from([...INITIALIZE, CLEAR, ...UPPER, ...lineOf(upper), END, ...LOWER, ...lineOf(lower), END])
