import { type SimulatedPort, openSimulatedPort } from './simulated-port.ts'

const COLUMNS = 20
const BLANK = ' '.repeat(COLUMNS)
const ESC = 0x1b
const CLEAR = 0x0c
const CR = 0x0d
const LONGEST = 64
const CODE_PAGE_437: ReadonlyMap<number, string> = new Map(
  [...'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥'].map((letter, index) => [0x80 + index, letter]),
)

export interface VirtualLineDisplay {
  readonly port: SimulatedPort
  readonly lines: readonly [string, string]
  until(text: string): Promise<readonly [string, string]>
}

/**
 * A virtual line display (CD5220) on loopback TCP: ESC @, CLR, ESC Q A and ESC Q B, as in its manual. Written
 * independently of the driver.
 */
export async function openVirtualLineDisplay(onChange: () => void = () => undefined): Promise<VirtualLineDisplay> {
  let lines: [string, string] = [BLANK, BLANK]
  let waiting: { readonly text: string; readonly notify: (lines: readonly [string, string]) => void }[] = []
  const shows = (text: string): boolean => lines.some((line) => line.includes(text))
  const letter = (byte: number): string =>
    CODE_PAGE_437.get(byte) ?? (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '?')

  function shown(): void {
    onChange()
    const seen = waiting.filter(({ text }) => shows(text))
    waiting = waiting.filter((waiter) => !seen.includes(waiter))
    for (const { notify } of seen) notify([...lines])
  }

  const port = await openSimulatedPort({
    onConnect(socket) {
      let sequence: number[] = []
      socket.on('data', (bytes) => {
        for (const byte of bytes) {
          if (sequence.length === 0 && byte === CLEAR) {
            lines = [BLANK, BLANK]
            continue
          }
          if (sequence.length === 0 && byte !== ESC) continue
          sequence.push(byte)
          const [, first, second] = sequence
          if (first === '@'.charCodeAt(0)) {
            lines = [BLANK, BLANK]
            sequence = []
          } else if (first === 'Q'.charCodeAt(0) && byte === CR) {
            const text = sequence.slice(3, -1).map(letter).join('').padEnd(COLUMNS).slice(0, COLUMNS)
            lines = second === 'A'.charCodeAt(0) ? [text, lines[1]] : [lines[0], text]
            sequence = []
            shown()
          } else if (sequence.length > LONGEST) sequence = []
        }
      })
    },
  })
  return {
    port,
    get lines() {
      return lines
    },
    until: (text) =>
      new Promise((notify) => {
        waiting.push({ text, notify })
        shown()
      }),
  }
}
