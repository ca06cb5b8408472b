import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from '@playwright/test'
import { pictureName } from './picture-name.ts'
import { CHANGES } from '../sales/changes/changes-screens.fixture.ts'
import { RETURNS } from '../payments/returns/returns-screens.fixture.ts'
import { SALE } from '../sales/screen/sale-screens.fixture.ts'
import { STORE } from './fixtures-of-store.ts'
import type { Language, Theme } from './fixture-browser.ts'

const SECTIONS = [SALE, CHANGES, RETURNS, STORE]
const TITLES = {
  en: ['A sale', 'Dialogs over it', 'Returns', 'The terminal, its pages and the customer’s screen'],
  fr: ['Une vente', 'Boîtes de dialogue', 'Retours', 'Le terminal, ses pages et l’écran du client'],
} as const
const WIDTH = 1280
/** Image quality out of 100, at which thumbnails are as readable as lossless ones and half as large. */
const QUALITY = 82

export async function writeSheet(
  browser: Browser,
  {
    folder,
    file,
    language,
    theme,
  }: { readonly folder: string; readonly file: string; readonly language: Language; readonly theme: Theme },
): Promise<void> {
  const sections = await Promise.all(
    SECTIONS.map(async (fixtures, index) => {
      const shots = await Promise.all(
        Object.keys(fixtures).map(async (name) => {
          const picture = await readFile(join(folder, pictureName(name, WIDTH, theme, language)))
          return (
            '<figure><img ' +
            `src="data:image/png;base64,${picture.toString('base64')}"><figcaption>${name}</figcaption></figure>`
          )
        }),
      )
      return `<h2>${TITLES[language][index] ?? ''}</h2><div>${shots.join('')}</div>`
    }),
  )
  const page = await browser.newPage({ viewport: { width: 1480, height: 900 } })
  try {
    await page.setContent(`<!doctype html><html lang="${language}"><meta charset="utf-8"><style>
      body { margin: 0; padding: 20px; background: #fff; color: #121c18; font: 600 11px/1.3 system-ui, sans-serif; }
      h2 { margin: 14px 0 8px; font-size: 17px; }
      div { display: grid; grid-template-columns: repeat(6, 1fr); gap: 10px; }
      figure { margin: 0; }
      img { display: block; width: 100%; border: 1px solid #c5cbc4; border-radius: 4px; }
      figcaption { padding-top: 2px; color: #4a5650; }
    </style>${sections.join('')}</html>`)
    await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())).then(() => undefined))
    await page.screenshot({ path: file, fullPage: true, type: 'jpeg', quality: QUALITY })
  } finally {
    await page.close()
  }
}
