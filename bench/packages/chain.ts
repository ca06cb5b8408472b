import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const HEADER = 'store,region,store.name,store.address.1,program.locationCode,lanes.01.deviceId'

export function writeChain(folder: string, example: string, stores: number): void {
  cpSync(example, folder, { recursive: true })
  rmSync(path.join(folder, 'stores'), { recursive: true })
  mkdirSync(path.join(folder, 'stores'))
  const rows = Array.from({ length: stores }, (_, number) => {
    const id = `${number}`.padStart(4, '0')
    return [id, number % 2 === 0 ? 'ON' : 'QC', `Store ${id}`, `${number} Main`, `L${number}`, `D-${id}`].join(',')
  })
  writeFileSync(path.join(folder, 'stores.csv'), `${[HEADER, ...rows].join('\n')}\n`)
}

type Change = readonly [from: RegExp, to: string]
const MISTAKES: readonly Change[] = [
  [/^ {2}address:$/m, '  adress:'],
  [/^ {4}- \d+ Main$/m, '    - 12'],
  [/^payments:$/m, 'payments: ['],
  [/^ {2}default: .*$/m, '\tdefault: en-CA'],
  [/^region: .*$/m, 'region: ON\nregion: QC'],
  [/^ {2}file: .*$/m, '  file: other.csv'],
  [/^ {4}locale: .*$/m, '    locale: de-DE'],
  [/^program:$/m, 'program:\n  apiKey: hunter2'],
  [/^timeZone: .*$/m, 'timeZone: America/Regina'],
  [/^receipt:$/m, 'recipt:'],
  [/^ {2}locationCode: .*$/m, '  locationCode: LONG1'],
  [/^region: .*$/m, 'region: XX'],
  [/^ {2}- id: "01"$/m, '  - id: "1"'],
  [/^ {4}role: manager$/m, '    role: boss'],
  [/^ {2}sponsorCode: .*\n/m, ''],
]

export function breakProfiles(folder: string, count: number): number {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .toSorted()
  const some = MISTAKES.slice(0, Math.min(count, names.length))
  for (const [index, [from, to]] of some.entries()) {
    const name = names[Math.floor(((index + 0.5) * names.length) / some.length)] ?? ''
    const file = path.join(folder, name)
    const text = readFileSync(file, 'utf8')
    const broken = text.replace(from, to)
    if (broken === text) throw new Error(`${name} has no text that matches ${from.source}`)
    writeFileSync(file, broken)
  }
  return some.length
}
