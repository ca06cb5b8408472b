import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { FIRST_LOCALE, localeNamed } from '../../../contracts/i18n/languages.ts'
import { TerminalRefused } from '../terminal-refused.ts'
import { CATALOGS } from '../../../contracts/i18n/catalogs.ts'
import { formatRefusalIn } from '../../../contracts/core/refusal.ts'
import { COMMANDS } from './commands.ts'
import { chooseCommand, usage } from './command-line.ts'
import { localeOfStore } from './program.ts'
import { launcherTranslator } from './translators.ts'

/**
 * `milepost`: the program of an installed lane without Electron. It runs in its package’s Node, from a slot of the
 * package’s folder, and starts the same terminal as the Electron shell.
 */
// Turned off, because concurrent compilation can prevent Node from exiting
// (docs/decisions/0012-memory-of-the-backend.md).
setFlagsFromString('--no-concurrent-sparkplug')

const folder = path.join(import.meta.dirname, '../../..')
const { language: named, command, args } = chooseCommand(process.argv.slice(2))
const isWrong = named !== null && localeNamed(named) === undefined
const language = localeNamed(named ?? '') ?? localeOfStore(folder)
const locale = language ?? FIRST_LOCALE
const translate = launcherTranslator(locale)
try {
  if (isWrong) throw new TerminalRefused(translate('wrongLanguage'), 2)
  if (command === 'help') process.stdout.write(`${usage(translate)}\n`)
  else if (command === null) throw new TerminalRefused(`${translate('noCommand')}\n${translate('seeHelp')}`, 2)
  else {
    const log = (line: string): void => console.log(line)
    process.exitCode = await COMMANDS[command](args, { folder, translate, locale, language, log })
  }
} catch (error) {
  if (!(error instanceof TerminalRefused)) throw error
  console.error(error.refusal === null ? error.message : formatRefusalIn(error.refusal, CATALOGS, language))
  process.exitCode = error.exitCode
}
