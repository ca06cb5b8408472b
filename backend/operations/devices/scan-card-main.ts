import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { EXIT, StartRefusedError } from '../../core/program/data-folder.ts'
import { readCommand } from '../../core/program/options.ts'
import { pageOf } from '../../core/paper/page.ts'
import { pdfOf } from '../../core/paper/pdf.ts'
import { svgOf } from '../../core/paper/svg.ts'
import { readProfileLane } from '../../core/profile/profile-lane.ts'
import { scanCard } from './scan-card.ts'

/** Where nobody says otherwise: the folder of what is made, which is no part of the checkout. */
const DEFAULT_OUT = 'build/scan-card.pdf'

const USAGE = `usage: npm run milepost -- scan-card --profile FILE [--out FILE]

  --profile FILE   the store profile (YAML); its controlCodes is the store's own word in the barcodes
  --out FILE       a .pdf or .svg (default: ${DEFAULT_OUT})`

/** `npm run milepost scan-card`: the card for a lane where the scanner is the only thing in the hand. */
function run(): void {
  const refuse = (message: string): never => {
    throw new StartRefusedError(message, EXIT.badArguments)
  }
  const { values, help } = readCommand(process.argv.slice(2), { texts: 'profile out' }, USAGE)
  if (help) {
    process.stdout.write(`${USAGE}\n`)
    return
  }
  const { profile: file, out = DEFAULT_OUT } = values
  if (file === undefined) return refuse(`--profile is needed\n\n${USAGE}`)
  const draw =
    { '.pdf': pdfOf, '.svg': svgOf }[extname(out)] ?? refuse(`--out is a .pdf or .svg, not ${out}\n\n${USAGE}`)
  const { profile } = readProfileLane(file, null)
  if (profile.controlCodes === undefined)
    return refuse(
      `${file} names no controlCodes: choose six to eight capital letters and digits of your own, and keep ` +
        'them to yourselves.',
    )
  const card = scanCard(profile.store.name, profile.controlCodes)
  mkdirSync(dirname(out), { recursive: true })
  writeFileSync(out, draw(pageOf(card, { columns: 42, logo: null }), card))
  process.stdout.write(`The card is in ${out}\n`)
}

try {
  run()
} catch (error) {
  if (!(error instanceof StartRefusedError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = error.exitCode
}
