import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runCommand } from '../../contracts/core/command-line.ts'
import { writeSheet } from './contact-sheet.ts'
import { smallestOf } from './screen-fixture.ts'
import { SCREEN_FIXTURES } from './screen-fixtures.ts'
import { pictureName } from './picture-name.ts'
import { BUILT } from './build.ts'
import { LANGUAGES, openFixtureBrowser, THEMES, setTheme } from './fixture-browser.ts'

const NORMAL = { width: 1280, height: 800 }
const LARGE = { width: 1920, height: 1080 }
export const SCREENS = fileURLToPath(new URL('../../build/screens', import.meta.url))
const DOCS_IMAGES = fileURLToPath(new URL('../../docs/images', import.meta.url))

/**
 * Takes pictures of every fixture from the built screens: each size, theme and language, and contact sheets per
 * language and theme in the folder `sheets`. Returns how many fixtures had errors, which are listed on standard output.
 */
export async function takePictures({
  built = BUILT,
  into = SCREENS,
  only = [],
  sheets = null,
}: {
  readonly built?: string
  readonly into?: string
  readonly only?: readonly string[]
  readonly sheets?: string | null
} = {}): Promise<number> {
  mkdirSync(into, { recursive: true })
  const fixtureBrowser = await openFixtureBrowser(built)
  let faulty = 0
  try {
    for (const language of LANGUAGES) {
      for (const [name, fixture] of Object.entries(SCREEN_FIXTURES)) {
        if (only.length > 0 && !only.includes(name)) continue
        const { page, faults } = await fixtureBrowser.show(fixture, language, NORMAL)
        for (const size of [NORMAL, smallestOf(fixture), LARGE]) {
          await page.setViewportSize(size)
          for (const theme of THEMES) {
            await setTheme(page, theme)
            await page.screenshot({
              path: join(into, pictureName(name, size.width, theme, language)),
              animations: 'disabled',
            })
          }
        }
        if (faults.length > 0) {
          faulty += 1
          process.stdout.write(`${name} ${language}: ${faults.join(' | ')}\n`)
        }
      }
      if (sheets)
        for (const theme of THEMES)
          await writeSheet(fixtureBrowser.browser, {
            folder: into,
            file: join(sheets, `contact-sheet-${language}-${theme}.jpg`),
            language,
            theme,
          })
    }
  } finally {
    await fixtureBrowser.close()
  }
  return faulty
}

const USAGE = `node renderer/testing/screens.ts [FIXTURE…] [--built FOLDER] [--into FOLDER]

Takes pictures of the named screen fixtures, or of all, in both languages and themes and three sizes.
`

if (import.meta.main)
  await runCommand(process, USAGE, { texts: 'built into', words: true }, async ({ values, words: only }) => {
    const { built = BUILT, into = SCREENS } = values
    const faulty = await takePictures({ built, into, only, sheets: only.length === 0 ? DOCS_IMAGES : null })
    process.stdout.write(`screens: ${into}, ${faulty} with faults\n`)
    return faulty > 0 ? 1 : 0
  })
