import { renameSync, writeFileSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { PaperMark, PrinterDecoder } from './command-stream.ts'
import type { PrinterLanguage } from '../../contracts/core/profile.ts'
import { EscPosDecoder } from './esc-pos-decoder.ts'
import { StarDecoder } from './star-decoder.ts'

/**
 * The paper of a virtual printer: what is cut off becomes a text file, NNNN.txt, numbered on from what the folder
 * holds.
 */
export interface PaperRoll {
  /** One mark of the printer on its paper. */
  mark(mark: PaperMark): void
  /** What was cut so far, oldest first. */
  readonly cut: readonly string[]
  /** Resolves when every paper is in its file. Rejects when one could not be written. */
  written(): Promise<void>
}

export async function loadPaper(folder: string, onCut: (paper: string) => void): Promise<PaperRoll> {
  await mkdir(folder, { recursive: true })
  const numbers = (await readdir(folder)).map((name) => Number(/^(\d{4,})\.txt$/.exec(name)?.[1] ?? 0))
  let last = Math.max(0, ...numbers)
  let lines: string[] = []
  const cut: string[] = []
  let writing: Promise<void> = Promise.resolve()

  function write(number: number, paper: string): void {
    const path = join(folder, `${String(number).padStart(4, '0')}.txt`)
    // Whoever watches the folder never finds half a paper.
    writeFileSync(`${path}.part`, paper)
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
    // At once: what this printer says next is that the paper came out, and whoever hears it may be killed with it.
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
          lines.push(`[not understood: ${JSON.stringify(mark.command)}]`)
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

/** What reads the paper of a printer of this language. */
export function decoderOf(language: PrinterLanguage): PrinterDecoder {
  switch (language) {
    case 'esc-pos':
      return new EscPosDecoder()
    case 'star-prnt':
    case 'star-line':
      return new StarDecoder()
  }
}
