import { PrinterLanguage } from '../../contracts/profile.ts'
import type { ReceiptDocument } from '../../contracts/receipt.ts'
import { encodeReceipt } from '../printer/encode.ts'

/**
 * For the benchmark: encodes a receipt of sixty lines so often in each language, and prints the milliseconds of each as
 * JSON.
 */
const [rounds = 200, warmUp = 50] = process.argv.slice(2).map(Number)
const document: ReceiptDocument = {
  locale: 'fr-CA',
  title: '',
  blocks: [
    { kind: 'text', text: 'Épicerie Noël', align: 'center', size: 'large', bold: true },
    ...Array.from(
      { length: 58 },
      (_, index) => ({ kind: 'row', left: `Crème brûlée à l’érable no ${index}`, right: 'H  12,34' }) as const,
    ),
    { kind: 'row', left: 'TOTAL', right: '715,72 $', size: 'large', bold: true },
    { kind: 'barcode', symbology: 'code128', data: 'N1010100000042K7QZ' },
  ],
}
/** The least that any encoder does: the words become bytes. */
const words = document.blocks
  .map((block) => ('left' in block ? block.left + block.right : 'text' in block ? block.text : ''))
  .join('\n')

function sampled(work: () => unknown): number[] {
  const samples: number[] = []
  for (let round = -warmUp; round < rounds; round += 1) {
    const began = performance.now()
    work()
    if (round >= 0) samples.push(performance.now() - began)
  }
  return samples
}

const languages = Object.fromEntries(
  PrinterLanguage.options.map((language) => [
    language,
    sampled(() => encodeReceipt(document, { language, columns: 42, openDrawer: true, logo: null })),
  ]),
)
process.stdout.write(`${JSON.stringify({ languages, bare: sampled(() => Buffer.from(words, 'latin1')) })}\n`)
