import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * React Aria carries the words of its controls in 34 languages; the terminal speaks two.
 * A language left empty is never asked for: the closest of the two is found by its first letters.
 */
const ourLanguages: Plugin = {
  name: 'milepost:our-languages',
  enforce: 'pre',
  load(id) {
    const locale = /\/react-(?:aria|aria-components|stately)\/.*\/intl\/.*\/([a-z]{2}-[A-Z]{2})\.m?js$/.exec(id)?.[1]
    return locale === undefined || locale === 'en-US' || locale === 'fr-FR' ? null : 'export default {}'
  },
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
  plugins: [react(), ourLanguages, reloadGuard],
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
