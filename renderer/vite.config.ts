import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { LANGUAGES } from '../contracts/i18n/languages.ts'

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const languages = Object.values(LANGUAGES)
const SHORT: ReadonlySet<string> = new Set(languages.map(({ short }) => short))

/**
 * React Aria carries the words of its controls in 34 languages; those that the terminal does not speak are left empty,
 * and a language left empty is never asked for: the closest is found by its first letters.
 */
const ourLanguages: Plugin = {
  name: 'milepost:our-languages',
  enforce: 'pre',
  load(id) {
    const language = /\/react-(?:aria|aria-components|stately)\/.*\/intl\/.*\/([a-z]{2})-[A-Z]{2}\.m?js$/.exec(id)?.[1]
    return language === undefined || SHORT.has(language) ? null : 'export default {}'
  },
}

/** What the backend and the installer's tools say beside the screens, which no screen asks for. */
const noProgramWords: Plugin = {
  name: 'milepost:no-program-words',
  enforce: 'pre',
  load: (id) => (/\/contracts\/i18n\/[^/]+\/program\.ts$/.test(id) ? 'export default {}' : null),
}

/** A page that waits for itself has no words yet: it says so in every language. */
const waitingWords: Plugin = {
  name: 'milepost:waiting-words',
  transformIndexHtml: (page) =>
    page.replace(
      '<p id="waiting" hidden></p>',
      `<p id="waiting" hidden>${languages
        .map(({ short, loadingAgain }) => `<span lang="${short}">${loadingAgain}</span>`)
        .join(' ')}</p>`,
    ),
}

/** What loads the page anew when a part of it is lost can be no part that is lost itself: it stands in the page. */
const reloadGuard: Plugin = {
  name: 'milepost:reload-guard',
  transformIndexHtml: (page) =>
    page.replace(
      '<meta charset="utf-8" />',
      (charset) => `${charset}\n    <script>${readFileSync(folder('loading/reload-guard.js'), 'utf8')}</script>`,
    ),
}

export default defineConfig({
  root: folder('.'),
  base: '/',
  plugins: [react(), ourLanguages, noProgramWords, waitingWords, reloadGuard],
  build: {
    outDir: folder('../build/renderer'),
    emptyOutDir: true,
    target: 'chrome130',
    // The content security policy allows no data: scripts or styles; small files stay files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
})
