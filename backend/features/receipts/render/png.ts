import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import PQueue from 'p-queue'
import type { ReceiptDocument } from '../../../../contracts/receipt.ts'
import type { Page } from './page.ts'
import { svgOf } from './svg.ts'

/** TypeScript in the sources, JavaScript where it is built. */
const WORKER = join(import.meta.dirname, `png-worker${extname(import.meta.filename)}`)
/** 216 pixels to the inch: a telephone shows the page's width sharply, and the narrowest bar is over two of them. */
const PIXELS_PER_POINT = 3

const drawings = new PQueue({ concurrency: 1 })

/**
 * The page as a PNG file in sixteen greys: the SVG, drawn with a font of our own, so that it is the same picture on
 * every system. Drawn by a thread that ends with it, for it takes a few tenths of a second in which a lane scans. One
 * at a time. Rejects only when the program's own files are damaged or there is no memory.
 */
export const pngOf = (page: Page, document: Pick<ReceiptDocument, 'title' | 'locale'>): Promise<Buffer> =>
  drawings.add(() => draw({ svg: svgOf(page, document), width: Math.round(page.width * PIXELS_PER_POINT) }))

/** What the thread is given: `width` in pixels. */
export interface Drawing {
  readonly svg: string
  readonly width: number
}

function draw(drawing: Drawing): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(WORKER, { workerData: drawing, execArgv: [] })
    worker.once('message', (png: Uint8Array) => {
      resolve(Buffer.from(png.buffer, png.byteOffset, png.byteLength))
    })
    worker.once('error', reject)
    // After a message or an error this changes nothing.
    worker.once('exit', (code) => {
      reject(new Error(`the picture was not drawn (exit code ${code})`))
    })
  })
}
