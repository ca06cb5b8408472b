import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { temporaryFolder } from '../http/testing.ts'

const ZBAR = '/usr/bin/zbarimg'
const POPPLER = '/usr/bin/pdftoppm'
const CHROMIUM = existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : chromium.executablePath()
/** Resolution in dots per inch: finer than a printer, coarser than a phone camera at 10 cm. */
const RESOLUTION = 300

const missing = (programs: Readonly<Record<string, string>>): string | null => {
  const absent = Object.entries(programs)
    .filter(([, path]) => !existsSync(path))
    .map(([name]) => name)
  return absent.length === 0 ? null : `not installed: ${absent.join(', ')}`
}
export const cannotReadBars = missing({ zbarimg: ZBAR })
export const cannotReadPdf = missing({ zbarimg: ZBAR, pdftoppm: POPPLER })
export const cannotReadSvg = missing({ zbarimg: ZBAR, chromium: CHROMIUM })

export function readSymbols(picture: string): string[] {
  return execFileSync(ZBAR, ['--quiet', '-Sean13.enable=1', picture], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
    .split('\n')
    .filter((line) => line !== '')
    .toSorted()
}

export function pixelsOfPdf(pdf: Uint8Array): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'receipt.pdf'), pdf)
  execFileSync(POPPLER, ['-r', String(RESOLUTION), '-png', join(folder, 'receipt.pdf'), join(folder, 'page')])
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.png')) ?? 'no page')
}

export function textOfPdf(pdf: Uint8Array): string {
  const file = join(temporaryFolder(), 'receipt.pdf')
  writeFileSync(file, pdf)
  execFileSync('/usr/bin/pdftotext', ['-layout', file, `${file}.txt`])
  return readFileSync(`${file}.txt`, 'utf8')
}

export function pixelsOfSvg(svg: string): string {
  const folder = temporaryFolder()
  const [, width = '', height = ''] = /width="([\d.]+)pt" height="([\d.]+)pt"/.exec(svg) ?? []
  // A point is 4/3 of a CSS pixel.
  const size = [width, height].map((points) => Math.ceil((Number(points) * 4) / 3)).join(',')
  writeFileSync(join(folder, 'receipt.svg'), svg)
  execFileSync(
    CHROMIUM,
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--hide-scrollbars',
      '--force-device-scale-factor=4',
      `--window-size=${size}`,
      `--user-data-dir=${join(folder, 'browser')}`,
      `--screenshot=${join(folder, 'receipt.png')}`,
      join(folder, 'receipt.svg'),
    ],
    { stdio: 'ignore' },
  )
  return join(folder, 'receipt.png')
}

export function pixelsOfPng(png: Uint8Array): string {
  const file = join(temporaryFolder(), 'receipt.png')
  writeFileSync(file, png)
  return file
}

export function pixelsOf(rows: readonly (readonly boolean[])[]): string {
  const file = join(temporaryFolder(), 'bars.pgm')
  const width = rows[0]?.length ?? 0
  writeFileSync(
    file,
    Buffer.concat([
      Buffer.from(`P5 ${width} ${rows.length} 255\n`),
      Buffer.from(rows.flatMap((row) => row.map((black) => (black ? 0 : 255)))),
    ]),
  )
  return file
}
