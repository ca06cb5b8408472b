import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { minifySync } from 'rolldown/utils'
import { defineConfig, type Plugin } from 'vite'
import { LANGUAGES } from '../contracts/i18n/languages.ts'

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const languages = Object.values(LANGUAGES)
const SHORT: ReadonlySet<string> = new Set(languages.map(({ short }) => short))

/**
 * Keeps only the terminal's languages of the 34 in which React Aria has texts; React Aria finds the closest language by
 * the first letters.
 */
const ourLanguages: Plugin = {
  name: 'milepost:our-languages',
  enforce: 'pre',
  transform(code, id) {
    if (!/\/react-(?:aria|aria-components|stately)\/.*\/intlStrings\.m?js$/.test(id)) return null
    const isForeign = (line: string): boolean => {
      const language = /(?:\/|")([a-z]{2})-[A-Z]{2}(?:\.m?js"|":)/.exec(line)?.[1]
      return language !== undefined && !SHORT.has(language)
    }
    return {
      code: code
        .split('\n')
        .filter((line) => !isForeign(line))
        .join('\n'),
      map: null,
    }
  },
}

/** Removes texts of the backend and the installer commands, which no screen uses. */
const noProgramTexts: Plugin = {
  name: 'milepost:no-program-texts',
  enforce: 'pre',
  load: (id) => (/\/contracts\/i18n\/[^/]+\/program\.ts$/.test(id) ? 'export default {}' : null),
}

/**
 * Embeds the loading text of the page in every language, because a page that waits to load has no message catalog yet.
 */
const loadingTexts: Plugin = {
  name: 'milepost:loading-texts',
  transformIndexHtml: (page) =>
    page.replace(
      '<p id="waiting" hidden></p>',
      `<p id="waiting" hidden>${languages
        .map(({ short, loadingAgain }) => `<span lang="${short}">${loadingAgain}</span>`)
        .join(' ')}</p>`,
    ),
}

const reloadGuardCode = (): string =>
  minifySync('reload-guard.js', readFileSync(folder('core/loading/reload-guard.js'), 'utf8')).code

/**
 * Inlines the code that reloads the page after a chunk failed to load, so that this code itself cannot fail to load.
 */
const reloadGuard: Plugin = {
  name: 'milepost:reload-guard',
  transformIndexHtml: (page) =>
    page.replace('<meta charset="utf-8" />', (charset) => `${charset}\n    <script>${reloadGuardCode()}</script>`),
}

export default defineConfig({
  root: folder('.'),
  base: '/',
  plugins: [react(), ourLanguages, noProgramTexts, loadingTexts, reloadGuard],
  build: {
    outDir: folder('../build/renderer'),
    emptyOutDir: true,
    target: 'chrome130',
    // Small files stay files, because the content security policy allows no data: scripts or styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
    // The first screen is one file, which compresses better than shared chunks; no other screen waits for it.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', test: /renderer\/app\.tsx$/ }] } } },
  },
})
