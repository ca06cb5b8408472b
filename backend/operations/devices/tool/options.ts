import { LOCALES } from '../../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../../contracts/core/locales.ts'
import { EXIT, StartRefusedError } from '../../../core/program/data-folder.ts'
import { readInstallerCommand } from '../../../core/program/options.ts'
import type { MaskedBytes } from '../../../../hardware/index.ts'

export interface ToolOptions {
  readonly profile: string
  readonly lane: string | null
  readonly data: string | null
  readonly locale: Locale
  readonly once: boolean
  readonly json: boolean
  readonly raw: boolean
  readonly testPage: boolean
}

export const USAGE = `npm run milepost -- devices --profile FILE [options]

  --profile FILE   the store profile (YAML)
  --lane ID        the lane of the profile (default: the first)
  --data FOLDER    the lane's data folder, to show the space on its disk (default: the terminal's own)
  --once           show every device once and end: 0 when all are healthy and the disk has space, otherwise 1
  --test-page      print the test page and show the result
  --raw            also show the bytes from the readers, with every digit and letter masked
  --json           one object per line, for programs
  --language CODE  ${LOCALES.join(' or ')}

Run it as the user of the terminal, while the terminal is closed. Ctrl+C ends.`

/** Parses the options; returns 'help' for --help. Throws StartRefusedError with the usage for invalid options. */
export function parseToolOptions(argv: readonly string[]): ToolOptions | 'help' {
  const { values, help, locale } = readInstallerCommand(
    argv,
    { texts: 'profile lane data language', flags: 'once json raw test-page' },
    () => USAGE,
  )
  if (help) return 'help'
  if (values.profile === undefined) throw new StartRefusedError(`give --profile\n\n${USAGE}`, EXIT.badArguments)
  return {
    profile: values.profile,
    lane: values.lane?.padStart(2, '0') ?? null,
    data: values.data ?? null,
    locale,
    once: values.once,
    json: values.json,
    raw: values.raw,
    testPage: values['test-page'],
  }
}

/** Messages arrive in pieces of any size: a shown line ends after this silence in ms, or this many bytes. */
const SILENCE_MS = 60
const LONGEST_LINE = 32

export interface RawLines {
  push(bytes: MaskedBytes): void
  end(): void
}

export function gatherRaw(onLine: (bytes: MaskedBytes) => void): RawLines {
  let held: MaskedBytes[] = []
  let timer: NodeJS.Timeout | undefined
  let count = 0
  function end(): void {
    clearTimeout(timer)
    if (held.length === 0) return
    const line = { hex: held.map(({ hex }) => hex).join(' '), text: held.map(({ text }) => text).join('') }
    held = []
    count = 0
    onLine(line)
  }
  return {
    push(bytes) {
      held.push(bytes)
      count += bytes.hex.split(' ').length
      if (count >= LONGEST_LINE) return end()
      clearTimeout(timer)
      timer = setTimeout(end, SILENCE_MS)
    },
    end,
  }
}
