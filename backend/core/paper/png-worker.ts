import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import { answerInWorker } from '../worker.ts'
import { writeGreyPng } from './images.ts'
import type { Drawing } from './svg.ts'

const FAMILY = 'Noto Sans Mono'
const fontBuffers = ['Regular', 'Bold'].map(
  (weight) => new Uint8Array(readFileSync(join(import.meta.dirname, 'fonts', `NotoSansMono-${weight}.ttf`))),
)

await initWasm(readFileSync(new URL(import.meta.resolve('@resvg/resvg-wasm/index_bg.wasm'))))
await answerInWorker(({ svg, width }: Drawing) => {
  // The SVG's font list ends with `monospace`, the only font that this renderer has.
  const image = new Resvg(svg, {
    font: { fontBuffers, monospaceFamily: FAMILY, defaultFontFamily: FAMILY },
    fitTo: { mode: 'width', value: width },
  }).render()
  return writeGreyPng({ width: image.width, height: image.height, pixels: image.pixels })
})
