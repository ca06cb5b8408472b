import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startProfileChecker } from './check-profile.ts'
import { runProfiles } from './profiles/commands.ts'

const ROOT = path.join(import.meta.dirname, '../../..')
const EXAMPLE = path.join('stores', 'chain')

/** Lines of nested YAML aliases: a short text that expands almost without limit. */
const ENDLESS = [...'bcdefghij'].map((name, index) => `${name}: &${name} [${`*${'abcdefghi'[index]}, `.repeat(9)}]`)
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

interface Ended {
  readonly code: number
  readonly output: string
  readonly errorOutput: string
}
const typed = (...args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      ['packages/delivery/commands/profiles.ts', ...args],
      { cwd: ROOT },
      (error, output, errorOutput) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, output, errorOutput })
      },
    )
  })

const checker = startProfileChecker()
afterAll(() => {
  checker.close()
})
async function profiles(...args: readonly string[]): Promise<Ended> {
  const [output, errorOutput]: [string[], string[]] = [[], []]
  const code = await runProfiles(args, {
    checker,
    print: (text) => output.push(`${text}\n`),
    printError: (text) => errorOutput.push(`${text}\n`),
  })
  return { code, output: output.join(''), errorOutput: errorOutput.join('') }
}

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'milepost-chain-'))
  onTestFinished(() => {
    rmSync(made, { recursive: true, force: true })
  })
  return made
}
function chainWith(files: Readonly<Record<string, string>>): string {
  const chain = path.join(folder(), 'chain')
  cpSync(path.join(ROOT, EXAMPLE), chain, { recursive: true })
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(chain, name)), { recursive: true })
    writeFileSync(path.join(chain, name), text)
  }
  return chain
}
const mistakesOf = async (file: string): Promise<unknown> => (await checker.ask({ kind: 'store', file })).mistakes
const example = (name: string): string => readFileSync(path.join(ROOT, EXAMPLE, name), 'utf8')
const made = (out: string): Map<string, string> =>
  new Map(
    readdirSync(out)
      .filter((name) => name.endsWith('.yaml'))
      .toSorted()
      .map((name) => [name, readFileSync(path.join(out, name), 'utf8')]),
  )

describe('a chain of five hundred stores of which fifteen are broken', () => {
  const OVERLAY: Readonly<Record<number, string>> = {
    10: 'store:\n  phnoe: 555-0100\n',
    20: 'store: { phone: 5550100 }\n',
    30: 'store: { phone: 555-0100\n',
    40: 'store:\n\tphone: 555-0100\n',
    50: 'region: ON\nregion: QC\n',
    60: 'lanes:\n  - { id: "01", devices: { printer: { columns: 40 } } }\n',
    70: 'catalog: { file: other.csv }\n',
    80: 'coupons:\n  HOUSE10: { department: hosehold }\n',
    90: 'program: { apiKey: hunter2 }\n',
    100: 'timeZone: America/Regina\n',
    110: 'receipt: null\nrecipt: null\n',
    120: 'store: { id: "0121" }\n',
  }
  const ROWS: Readonly<Record<number, (cells: string[]) => string>> = {
    130: (cells) => cells.with(4, 'LONG1').join(','),
    140: (cells) => cells.slice(0, 4).join(','),
    150: (cells) => cells.with(2, '"Store" 150').join(','),
  }
  const EXPECTED_MISTAKES = [
    'stores/0010.yaml:2:3  store.phnoe: this setting does not exist here. Did you mean “phone”?',
    'stores/0020.yaml:1:17  store.phone: expected text, found the number 5550100. Put it in quotes: "5550100"',
    'stores/0030.yaml:2:1  a bracket was opened before this and not closed; expected }',
    'stores/0040.yaml:2:1  a tab is used where YAML requires spaces',
    'stores/0050.yaml:2:1  this key is used here for the second time',
    'stores/0060.yaml:2:48  lanes[0].devices.printer.columns: expected one of 32, 42, 48, found the number 40',
    'stores/0070.yaml:1:18  catalog.file: the file other.csv does not exist; its path is relative to ' +
      'the file that names it',
    'stores/0080.yaml:2:26  coupons[0].department: no item of the catalog has the department “hosehold”; correct it ' +
      'here or in the catalog',
    'stores/0090.yaml:1:12  program.apiKey: secrets are not allowed here: remove it and provision a new one on the ' +
      'lane (docs/lane.md)',
    'stores/0100.yaml:1:11  timeZone: expected a time zone of ON with its daylight saving: America/Toronto, ' +
      'America/Winnipeg, America/Thunder_Bay, America/Nipigon, America/Rainy_River, America/Atikokan; ' +
      'found “America/Regina”',
    'stores/0110.yaml:2:1  recipt: this setting does not exist here. Did you mean “receipt”?',
    'stores/0120.yaml:1:14  store.id: expected “0120”, as the file or row of this store is named, found “0121”',
    'stores.csv:132:28  program.locationCode: expected at most four letters or digits, found “LONG1” (store 0130)',
    'stores.csv:142:1  expected 6 values, found 4 (store 0140)',
    'stores.csv:152:1  text follows a closing quote; a quote inside a value is written twice (store 0150)',
  ]
  const HEADER = 'store,region,store.name,store.address.1,program.locationCode,lanes.01.deviceId'
  const idOf = (number: number): string => `${number}`.padStart(4, '0')
  const row = (number: number): string => {
    const region = number % 20 === 0 || number % 2 === 0 ? 'ON' : 'QC'
    const cells = [idOf(number), region, `Store ${number}`, `${number} Main`, `L${number}`, `D-${idOf(number)}`]
    return ROWS[number]?.(cells) ?? cells.join(',')
  }

  let chain: string
  let out: string
  let ended: Ended
  beforeAll(async () => {
    const work = mkdtempSync(path.join(tmpdir(), 'milepost-chain-'))
    chain = path.join(work, 'chain')
    out = path.join(work, 'out')
    cpSync(path.join(ROOT, EXAMPLE), chain, { recursive: true })
    rmSync(path.join(chain, 'stores'), { recursive: true })
    mkdirSync(path.join(chain, 'stores'))
    const rows = Array.from({ length: 500 }, (_, number) => row(number))
    writeFileSync(path.join(chain, 'stores.csv'), `${[HEADER, ...rows].join('\n')}\n`)
    for (const [number, text] of Object.entries(OVERLAY))
      writeFileSync(path.join(chain, 'stores', `${idOf(Number(number))}.yaml`), text)
    ended = await typed('render', chain, '--out', out)
    return () => {
      rmSync(work, { recursive: true, force: true })
    }
  })

  it('is checked: each mistake is reported with its file, line and column', () => {
    expect(ended.errorOutput.replaceAll(`${chain}/`, '').trimEnd().split('\n').toSorted()).toEqual(
      EXPECTED_MISTAKES.toSorted(),
    )
    expect(ended.output).toContain('500 stores: 485 valid, 15 with mistakes (15 in all).')
    expect(ended.code).toBe(1)
  })

  it('is rendered: only the valid stores get a profile', () => {
    const broken = [...Object.keys(OVERLAY), ...Object.keys(ROWS)].map((number) => `${idOf(Number(number))}.yaml`)
    const profilesMade = made(out)
    expect(profilesMade.size).toBe(485)
    expect(broken.filter((name) => profilesMade.has(name))).toEqual([])
    expect(profilesMade.get('0499.yaml')).toContain('id: "0499"\n  name: Store 499\n')
  })

  it('is rendered to profiles that are valid for a start', async () => {
    for (const name of ['0000.yaml', '0499.yaml']) expect(await mistakesOf(path.join(out, name))).toEqual([])
  })
})

describe('the example chain of store profiles', () => {
  it('is valid, and its rendered profiles are valid for a start', async () => {
    const out = folder()
    const { code, output, errorOutput } = await profiles('render', EXAMPLE, '--out', out)
    expect([code, errorOutput, output]).toEqual([
      0,
      '',
      `3 stores: 3 valid, 0 with mistakes (0 in all).\nProfiles in ${out}: 3.\n`,
    ])
    for (const name of made(out).keys()) expect(await mistakesOf(path.join(out, name))).toEqual([])
    expect(readdirSync(out).toSorted()).toEqual(['1001.yaml', '1501.yaml', '4417.yaml', 'catalog.csv'])
  })

  it('is rendered to the same bytes in any folder and with any order of files', async () => {
    const [one, other] = [folder(), folder()]
    const moved = chainWith({
      'regions/TB.yaml': 'mode: training\ntimeZone: America/Toronto\n',
      'stores/4417.yaml': `timeZone: America/Toronto\n${example('stores/4417.yaml')}`,
    })
    await profiles('render', EXAMPLE, '--out', one)
    await profiles('render', moved, '--out', other)
    const settings = ([name, text]: [string, string]): [string, string] => [name, text.replace(/^.*\n/, '')]
    expect([...made(other)].map(settings)).toEqual([...made(one)].map(settings))
    expect(made(other).get('1001.yaml')).toBe(made(one).get('1001.yaml'))
  })

  it('has the files that the documentation names, and the region settings that it shows', () => {
    const docs = readFileSync(path.join(ROOT, 'docs', 'profile.md'), 'utf8')
    for (const name of ['chain.yaml', 'regions/QC.yaml', 'stores/4417.yaml', 'stores.csv']) expect(docs).toContain(name)
    expect(docs).toContain(example('regions/QC.yaml').split('\n').slice(1).join('\n').trim())
  })
})

describe('mistakes in a chain of profiles', () => {
  const mistakesIn = async (files: Readonly<Record<string, string>>, ...more: readonly string[]): Promise<string[]> => {
    const chain = chainWith(files)
    const { errorOutput } = await profiles('check', chain, ...more)
    return errorOutput.replaceAll(`${chain}/`, '').trimEnd().split('\n')
  }

  it('are reported once with the affected stores, if they are in a file of all stores or a region', async () => {
    expect(
      await mistakesIn({
        'chain.yaml': example('chain.yaml').replace('name: Sam Okafor', 'nmae: Sam Okafor'),
        'regions/QC.yaml': 'locales: { default: fr }\n',
        'regions/QB.yaml': '',
        'regions/TB.yml': '',
      }),
    ).toEqual([
      'chain.yaml:36:16  staff[0].nmae: this setting does not exist here. Did you mean “name”? (all 3 stores)',
      'regions/QB.yaml:1:1  the name of this file is not a region; expected one of BC, AB, SK, MB, ON, QC, TB, NB, ' +
        'NS, PE, NL, NT, NU, YT, ZZ',
      'regions/QC.yaml:1:21  locales.default: expected one of en-CA, fr-CA, found “fr” (store 4417)',
      'regions/TB.yml:1:1  files with this ending are not read; name it TB.yaml',
    ])
  })

  it('are reported for the last file, if several files contain the setting', async () => {
    expect(
      await mistakesIn({
        'chain.yaml': `${example('chain.yaml')}limist: {}\n`,
        'stores/4417.yaml': 'payments: [cash]\nlimist: {}\n',
      }),
    ).toEqual([
      'chain.yaml:41:1  limist: this setting does not exist here. Did you mean “limits”? (2 stores: 1001, 1501)',
      'stores/4417.yaml:2:1  limist: this setting does not exist here. Did you mean “limits”?',
    ])
  })

  it('affect all stores, if chain.yaml is unreadable', async () => {
    const chain = chainWith({ 'chain.yaml': 'mode: [training\n' })
    const { code, output, errorOutput } = await profiles('check', chain)
    expect(errorOutput).toBe(
      `${chain}/chain.yaml:2:1  a bracket was opened before this and not closed; expected ] (all 3 stores)\n`,
    )
    expect([code, output]).toEqual([1, '3 stores: 0 valid, 3 with mistakes (1 in all).\n'])
  })

  it('are reported at their column or cell, also in a CSV from a French spreadsheet', async () => {
    const text = example('stores.csv')
      .replace('store.phone', 'store.phnoe')
      .replace('Q417-01', '')
      .replace('TB,', 'TBay,')
      .replaceAll(',', ';')
    const chain = chainWith({})
    writeFileSync(path.join(chain, 'stores.csv'), Buffer.from(text, 'latin1'))
    const { errorOutput } = await profiles('check', chain, '--language', 'fr')
    expect(errorOutput.replaceAll(`${chain}/`, '').trimEnd().split('\n')).toEqual([
      'chain.yaml:15:5  lanes[0].deviceId: manque; attendu du texte (magasin 4417)',
      'stores.csv:1:57  store.phnoe: ce réglage n’existe pas ici. Vouliez-vous dire « phone »? ' + '(les 3 magasins)',
      'stores.csv:3:6  region: attendu l’un de BC, AB, SK, MB, ON, QC, TB, NB, NS, PE, NL, NT, NU, YT, ZZ, ' +
        'trouvé « TBay » (magasin 1501)',
    ])
  })

  it('are reported for a repeated store, a value without a column, and zeros removed by a spreadsheet', async () => {
    const [header = '', first = '', second = ''] = example('stores.csv').split('\n')
    expect(
      await mistakesIn({
        'stores.csv': [`${header},`, `${first},x`, `${second},`, `${second},`, ''].join('\n'),
        'stores/4417.yaml': '',
        'stores/01501.yaml': '',
      }).then((lines) => lines.filter((line) => line.startsWith('stores.csv'))),
    ).toEqual([
      'stores.csv:2:134  this value is in a column without a name (store 1001)',
      'stores.csv:3:1  there is a store “01501”: did a spreadsheet remove leading zeros? Format the column as text ' +
        '(store 1501)',
      'stores.csv:4:1  store “1501” is already on line 3 (store 1501)',
    ])
  })

  it('such as an unclosed quote do not affect earlier rows, and no store is rendered without its row', async () => {
    const rows = example('stores.csv').split('\n')
    const chain = chainWith({ 'stores.csv': [...rows.slice(0, 2), `"${rows[2]}`, ...rows.slice(3)].join('\n') })
    const out = folder()
    const { errorOutput } = await profiles('render', chain, '--out', out)
    expect(errorOutput).toBe(`${chain}/stores.csv:3:1  a quote opens here and never closes (store 4417)\n`)
    expect([...made(out).keys()]).toEqual(['1001.yaml'])
  })

  it('do not block the CLI command, even if YAML aliases refer to themselves or expand without limit', async () => {
    expect(
      await mistakesIn({
        'stores/1001.yaml': 'store: &store\n  phone: *store\n',
        'stores/1501.yaml': `a: &a [x, x, x, x, x, x, x, x, x]\n${ENDLESS.join('\n')}\n`,
      }),
    ).toEqual([
      'stores/1001.yaml  this file refers to itself too often (YAML aliases)',
      'stores/1501.yaml  this file refers to itself too often (YAML aliases)',
    ])
    const [header = '', ...rows] = example('stores.csv').trimEnd().split('\n')
    const cell = `"{a: &a [x, x, x, x, x, x, x, x, x], ${ENDLESS.join(', ')}}"`
    const text = [`${header},coupons`, ...rows.map((row, index) => `${row},${index === 0 ? cell : ''}`)].join('\n')
    expect(await mistakesIn({ 'stores.csv': text })).toEqual([
      'stores.csv:2:134  anchors (&) and references (*) are not allowed in a cell (store 1001)',
    ])
  })

  it.skipIf(process.platform === 'win32')('are reported if a file is a pipe', async () => {
    for (const name of ['stores/1001.yaml', 'stores.csv', 'chain.yaml']) {
      const chain = chainWith({})
      rmSync(path.join(chain, name), { force: true })
      execFileSync('mkfifo', [path.join(chain, name)])
      const { errorOutput } = await profiles('check', chain)
      expect(errorOutput.replaceAll(`${chain}/`, ''), name).toContain(`${name}  this is a pipe or a device`)
    }
  })

  it('include store ids that Windows stores under one file name, and ids that Windows reserves', async () => {
    const lines = await mistakesIn({ 'stores/Ab1.yaml': '', 'stores/aB1.yaml': '', 'stores/nul.yaml': '' })
    expect(lines).toContain(
      'stores/Ab1.yaml:1:1  there is also a store “aB1”: Windows does not distinguish names by capitals',
    )
    expect(lines).toContain(
      'stores/aB1.yaml:1:1  there is also a store “Ab1”: Windows does not distinguish names by capitals',
    )
    expect(lines).toContain('stores/nul.yaml:1:1  Windows reserves the name “nul”; use another store id')
  })

  it('are reported where a setting names a logo file that is not a picture', async () => {
    expect(
      await mistakesIn({ 'stores/4417.yaml': 'receipt:\n  logo: { file: mark.png }\n', 'stores/mark.png': 'GIF89a' }),
    ).toEqual([
      'stores/4417.yaml:2:17  receipt.logo.file: stores/mark.png is not a picture for receipts: a PNG, black on ' +
        'white, at most 504 dots wide',
    ])
  })

  it.skipIf(process.platform !== 'linux')('are reported if the output folder cannot be used', async () => {
    const { code, errorOutput } = await profiles('render', EXAMPLE, '--out', '/proc/milepost')
    expect([code, errorOutput]).toEqual([2, '/proc/milepost cannot be used (ENOENT). Choose another location.\n'])
    expect(await profiles('render', EXAMPLE, '--out', '')).toMatchObject({
      code: 2,
      errorOutput: expect.stringContaining('--out needs a value.'),
    })
    expect((await profiles('check', '--frob', '--language', 'fr')).errorOutput).toContain(
      'L’option --frob n’existe pas.',
    )
  })

  it('are reported with the missing option and the remedy, if a CLI command is incomplete', async () => {
    const empty = folder()
    expect(await profiles('check', empty)).toMatchObject({
      code: 2,
      errorOutput: `${empty} has no chain.yaml. Name the folder of a chain (docs/profile.md).\n`,
    })
    writeFileSync(path.join(empty, 'chain.yaml'), '')
    expect((await profiles('check', empty)).errorOutput).toContain('has no store yet. Write stores/<store id>.yaml')
    expect((await profiles('render', EXAMPLE)).errorOutput).toContain('The command is incomplete: render')
    expect((await profiles('check', EXAMPLE, '--language', 'de')).errorOutput).toContain('There is no language de')
  })
})

describe('a CLI command on a chain', () => {
  it('removes files of deleted or broken stores, and no other files', async () => {
    const out = folder()
    const chain = chainWith({})
    await profiles('render', chain, '--out', out)
    writeFileSync(
      path.join(chain, 'stores.csv'),
      example('stores.csv')
        .replace('N101,', 'N1011,')
        .replace(/^1501.*\n/m, ''),
    )
    const { output } = await profiles('render', chain, '--out', out)
    expect([...made(out).keys()]).toEqual(['4417.yaml'])
    expect(output).toContain('removed 2 old profiles')
    const refused = await profiles('render', chain, '--out', chain)
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.errorOutput).toContain('chain.yaml was not rendered by this command')
    expect(readFileSync(path.join(chain, 'chain.yaml'), 'utf8')).toBe(example('chain.yaml'))
  })

  it('overwrites no file of the user and does not write through a link', async () => {
    const [out, elsewhere] = [folder(), path.join(folder(), 'elsewhere.csv')]
    writeFileSync(path.join(out, 'catalog.csv'), 'mine')
    const refused = await profiles('render', EXAMPLE, '--out', out)
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.errorOutput).toContain('catalog.csv was not made by this command')
    expect(readFileSync(path.join(out, 'catalog.csv'), 'utf8')).toBe('mine')
    expect(readdirSync(out)).toEqual(['catalog.csv'])
    rmSync(path.join(out, 'catalog.csv'))
    await profiles('render', EXAMPLE, '--out', out)
    writeFileSync(elsewhere, 'mine')
    rmSync(path.join(out, 'catalog.csv'))
    symlinkSync(elsewhere, path.join(out, 'catalog.csv'))
    expect(await profiles('render', EXAMPLE, '--out', out)).toMatchObject({ code: 0 })
    expect(readFileSync(elsewhere, 'utf8')).toBe('mine')
    expect(readFileSync(path.join(out, 'catalog.csv'), 'utf8')).toBe(example('catalog.csv'))
  })

  it('lists every store that shares a location code or device id with another store', async () => {
    const [header = '', first = '', second = '', third = ''] = example('stores.csv').trimEnd().split('\n')
    const rows = [header, first, second.replace(',T151,', ',N101,'), third.replace('Q417-01', 'N101-01'), '']
    const chain = chainWith({ 'stores.csv': rows.join('\n') })
    const { code, errorOutput } = await profiles('check', chain)
    expect(code).toBe(1)
    const lines = errorOutput.replaceAll(`${chain}/`, '').trimEnd().split('\n')
    expect(lines).toEqual([
      'stores.csv:2:121  program.locationCode: locationCode “N101” is used by stores 1001, 1501; each store has its ' +
        'own (store 1001)',
      'stores.csv:2:126  lanes[0].deviceId: deviceId “N101-01” is used by stores 1001, 4417; each lane has its own ' +
        '(store 1001)',
      expect.stringMatching(/^stores.csv:3:\d+ {2}program.locationCode: .* \(store 1501\)$/),
      expect.stringMatching(/^stores.csv:4:\d+ {2}lanes\[0\].deviceId: .* \(store 4417\)$/),
    ])
  })

  it('rejects a cell with an unclosed list or group', async () => {
    const [header = '', first = '', ...others] = example('stores.csv').trimEnd().split('\n')
    const rows = [`${header},receipt.header,lanes.02`, `${first},"[1,2",{id`, ...others.map((row) => `${row},,`)]
    const chain = chainWith({ 'stores.csv': `${rows.join('\n')}\n` })
    const { errorOutput } = await profiles('check', chain)
    const where = errorOutput.replaceAll(`${chain}/`, '')
    expect(where).toMatch(/^(stores\.csv:2:\d+ {2}this cell opens a list or group .*\(store 1001\)\n){2}$/)
  })

  it('copies the files that a profile names, relative to the file that names them', async () => {
    const out = folder()
    const chain = chainWith({
      'stores/4417.yaml': 'catalog: { file: small.csv }\nreceipt: { logo: { file: ../logos/mark.png } }\n',
      'stores/small.csv': example('catalog.csv'),
    })
    mkdirSync(path.join(chain, 'logos'))
    writeFileSync(path.join(chain, 'logos', 'mark.png'), PICTURE)
    await profiles('render', chain, '--out', out)
    const text = made(out).get('4417.yaml')
    expect(text).toContain('file: stores/small.csv')
    expect(text).toContain('file: logos/mark.png')
    expect(readFileSync(path.join(out, 'logos', 'mark.png'))).toEqual(PICTURE)
    expect(readFileSync(path.join(out, 'stores', 'small.csv'), 'utf8')).toBe(example('catalog.csv'))
  })
})

describe('the differences of profiles', () => {
  it('are reported between two stores, with the position of each value', async () => {
    const { code, output } = await profiles('diff', `${EXAMPLE}/1001`, `${EXAMPLE}/4417`)
    expect(code).toBe(0)
    const lines = output.split('\n')
    expect(lines).toContain(
      'program.locationCode: "N101" → "Q417"  (stores/chain/stores.csv:2:121 → stores/chain/stores.csv:4:138)',
    )
    expect(lines).toContain(
      'staff[sam].locale: "en-CA" → "fr-CA"  (stores/chain/chain.yaml:36:57 → stores/chain/regions/QC.yaml:5:39)',
    )
    expect(lines).toContain('lanes[02].deviceId: nothing → "Q417-02"  (– → stores/chain/stores/4417.yaml:5:15)')
    expect(lines.filter((line) => line.startsWith('mode'))).toEqual([])
    expect((await profiles('diff', `${EXAMPLE}/1001`, `${EXAMPLE}/1001`)).output).toBe('no difference\n')
  })

  it('are reported in French', async () => {
    const { output } = await profiles('diff', `${EXAMPLE}/1001`, `${EXAMPLE}/4417`, '--language', 'fr')
    expect(output).toContain('lanes[02].deviceId: rien → "Q417-02"')
    const chains = await profiles('diff', EXAMPLE, chainWith({ 'stores/1502.yaml': '' }), '--language', 'fr')
    expect(chains.output).toMatch(/^magasin 1502 : seulement dans .*\n3 magasins sur 4 sans différence\n$/)
    expect((await profiles('diff', EXAMPLE, `${EXAMPLE}/1001`, '--language', 'fr')).errorOutput).toContain(
      'Comparez une chaîne',
    )
  })

  it('are reported store by store between two chains', async () => {
    const after = chainWith({
      'stores/1501.yaml': 'store: { phone: 807-555-0000 }\n',
      'stores/1502.yaml': '',
      'stores.csv': example('stores.csv').replace('1001,ON', '1002,ON').replace('807-555-0121', ''),
    })
    const { output } = await profiles('diff', EXAMPLE, after)
    expect(output.replaceAll(`${after}/`, 'after/').replaceAll(after, 'after')).toBe(
      [
        'store 1001: only in stores/chain',
        'store 1501:',
        '  store.phone: "807-555-0121" → "807-555-0000"  (stores/chain/stores.csv:3:78 → after/stores/1501.yaml:1:17)',
        'store 1002: only in after',
        'store 1502: only in after',
        '1 of 5 stores without a difference',
        '',
      ].join('\n'),
    )
  })

  it('are empty between a chain’s store and its rendered profile', async () => {
    const out = folder()
    await profiles('render', EXAMPLE, '--out', out)
    expect((await profiles('diff', `${EXAMPLE}/4417`, path.join(out, '4417.yaml'))).output).toBe('no difference\n')
    const unknown = await profiles('diff', `${EXAMPLE}/9999`, `${EXAMPLE}/4417`)
    expect(unknown).toMatchObject({ code: 2 })
    expect(unknown.errorOutput).toContain('has no store “9999”. Its stores: 1001, 1501, 4417.')
  })
})
