import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { FIRST_LOCALE, localeNamed } from '../../contracts/i18n/languages.ts'
import { readProfileOutline } from '../../electron/profile-outline.ts'
import { TerminalRefused } from '../../electron/refused.ts'
import { orderAutostart, thisMachine } from '../../launcher/autostart.ts'
import { chooseLane } from '../../launcher/run-terminal.ts'
import { wordsOf } from '../../launcher/words.ts'
import { readArgs } from '../command-line.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A checkout's way to start a lane with its user's session; null where the words are none. Throws TerminalRefused. */
export function autostartOfLane(args: readonly string[]): number | null {
  const { values, positionals } = readArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      profile: { type: 'string' },
      lane: { type: 'string' },
      kiosk: { type: 'boolean' },
      entry: { type: 'boolean' },
      language: { type: 'string' },
    },
  })
  const locale = values.language === undefined ? FIRST_LOCALE : localeNamed(values.language)
  if (!values.data || !values.profile || locale === undefined || positionals.length !== 1) return null
  const profile = path.resolve(values.profile)
  const outline = readProfileOutline(profile)
  if (outline === null) throw new TerminalRefused(`The profile ${profile} cannot be read.`, 2)
  const dataFolder = path.resolve(values.data)
  const lane = chooseLane(outline, values.lane ?? null)
  const start = path.join(root, 'scripts', 'start.ts')
  return orderAutostart(
    {
      action: positionals[0],
      named: true,
      kind: values.entry === true ? 'entry' : 'unit',
      start: {
        command: [
          process.execPath,
          start,
          '--profile',
          profile,
          '--data',
          dataFolder,
          '--lane',
          lane,
          ...(values.kiosk === true ? ['--kiosk'] : []),
        ],
        workingFolder: path.resolve(root),
        dataFolder,
      },
    },
    thisMachine(),
    wordsOf(locale),
  )
}
