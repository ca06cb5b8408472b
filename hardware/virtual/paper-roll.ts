import { renameSync, writeFileSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { PaperMark, PrinterDecoder } from './printer-decoder.ts'
import type { PrinterLanguage } from '../../contracts/core/profile.ts'
import { EscPosDecoder } from './esc-pos-decoder.ts'
import { StarDecoder } from './star-decoder.ts'

export interface PaperRoll {
  mark(mark: PaperMark): void
  readonly cut: readonly string[]
  /** Resolves when every paper is in its file. Rejects if one could not be written. */
  written(): Promise<void>
}

export async function loadPaper(folder: string, onCut: (paper: string) => void): Promise<PaperRoll> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const numbers = (await readdir(folder)).map((name) => Number(/^(\d{4,})\.txt$/.exec(name)?.[1] ?? 0))
  let last = Math.max(0, ...numbers)
  let lines: string[] = []
  const cut: string[] = []
  let writing: Promise<void> = Promise.resolve()

  function write(number: number, paper: string): void {
    const path = join(folder, `${String(number).padStart(4, '0')}.txt`)
    // The file gets its name when it is complete, so that a process that watches the folder never reads a partial
    // paper.
    writeFileSync(`${path}.part`, paper, { mode: 0o600 })
    renameSync(`${path}.part`, path)
  }

  function tear(): void {
    while (lines.length > 0 && lines.at(-1) === '') lines.pop()
    while (lines.length > 0 && lines[0] === '') lines.shift()
    const paper = `${lines.join('\n')}\n`
    lines = []
    last += 1
    const number = last
    cut.push(paper)
    const before = writing
    // The write is synchronous: the printer's next answer confirms the paper, and the process may be killed right after
    // it.
    const inFile = new Promise<void>((resolve) => {
      write(number, paper)
      resolve()
    })
    inFile.catch(() => undefined)
    writing = (async () => {
      await before
      await inFile
      onCut(paper)
    })()
    writing.catch(() => undefined)
  }

  return {
    mark(mark) {
      switch (mark.kind) {
        case 'line':
          lines.push(mark.text)
          break
        case 'barcode':
          lines.push(`[${mark.symbology}: ${mark.text}]`)
          break
        case 'qr':
          lines.push(`[QR: ${mark.text}]`)
          break
        case 'image':
          lines.push(`[image ${mark.width}×${mark.height}]`)
          break
        case 'not-understood':
          lines.push(`[not understood: ${JSON.stringify(mark.opcode)}]`)
          break
        case 'cut':
          tear()
          break
        case 'drawer':
        case 'asked-in-turn':
        case 'asked-identity':
        case 'counter-cleared':
        case 'report-changes':
          break
      }
    },
    cut,
    written: () => writing,
  }
}

export function decoderOf(language: PrinterLanguage): PrinterDecoder {
  switch (language) {
    case 'esc-pos':
      return new EscPosDecoder()
    case 'star-prnt':
    case 'star-line':
      return new StarDecoder()
  }
}
