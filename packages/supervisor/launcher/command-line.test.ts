import { expect, test } from 'vitest'
import { CATALOGS } from '../../../contracts/i18n/catalogs.ts'
import { LOCALES } from '../../../contracts/i18n/languages.ts'
import { usage } from './command-line.ts'
import { launcherTranslator } from './translators.ts'

test.each(LOCALES)(
  'the help page of the CLI command milepost in the language %s lists every command and every option',
  (locale) => {
    const { commands, options } = CATALOGS[locale].launcher
    const page = usage(launcherTranslator(locale))
    for (const line of [...Object.values(commands), ...Object.values(options)]) expect(page).toContain(line)
  },
)
