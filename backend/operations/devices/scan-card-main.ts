import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { EXIT, StartRefusedError } from '../../core/program/data-folder.ts'
import { readCommand } from '../../core/program/options.ts'
import { pageOf } from '../../core/paper/page.ts'
import { pdfOf } from '../../core/paper/pdf.ts'
import { svgOf } from '../../core/paper/svg.ts'
import { readProfileLane } from '../../core/profile/profile-lane.ts'
import { scanCard } from './scan-card.ts'

/** In the folder of generated files, which is not in the repository. */
const DEFAULT_OUT = 'build/scan-card.pdf'

const USAGE = `npm run milepost -- scan-card --profile FILE [--out FILE]

  --profile FILE   the store profile (YAML); the barcodes contain its controlCodes
  --out FILE       a .pdf or .svg (default: ${DEFAULT_OUT})`

/** `npm run milepost scan-card`: draws the card of control barcodes, for a lane that has only a scanner for input. */
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
  if (file === undefined) return refuse(`give --profile\n\n${USAGE}`)
  const draw =
    { '.pdf': pdfOf, '.svg': svgOf }[extname(out)] ?? refuse(`--out must be a .pdf or .svg, not ${out}\n\n${USAGE}`)
  const { profile } = readProfileLane(file, null)
  if (profile.controlCodes === undefined)
    return refuse(
      `${file} has no controlCodes: choose six to eight capital letters and digits of your own, and keep ` +
        'them secret.',
    )
  const card = scanCard(profile.store.name, profile.controlCodes)
  mkdirSync(dirname(out), { recursive: true })
  writeFileSync(out, draw(pageOf(card, { columns: 42, logo: null }), card))
  process.stdout.write(`Card written to ${out}\n`)
}

try {
  run()
} catch (error) {
  if (!(error instanceof StartRefusedError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = error.exitCode
}
