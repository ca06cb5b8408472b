import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { PrinterConnection } from '../../../../contracts/core/profile.ts'
import { openVirtualBench } from '../../../../hardware/index.ts'
import { temporaryFolder } from '../../../core/http/testing.ts'
import { startCable } from '../../../core/devices/cable.fixture.ts'
import { plugPrinter, profileWith, startTool } from './tool.fixture.ts'

const serial = (path: string) => ({ connection: { kind: 'serial' as const, path } })
const network = (port: number) => ({ connection: { kind: 'tcp' as const, host: '127.0.0.1', port } })
const PAYMENT_CARD = '%B4929876543219876^TREMBLAY/ALEX^31021010000000000?;4929876543219876=31021010000000000?\r'

describe('the devices CLI command of an installer', () => {
  test('reports a pulled cable and its return, with the remedy', async () => {
    const cable = await startCable()
    const tool = startTool('--profile', profileWith({ scanner: serial(cable.path) }))
    await tool.until('Scanner – ready')
    await cable.unplug()
    await tool.until(/Scanner: disconnected – .*\. (Disconnected or switched off|Nothing at this path)/)
    await cable.plug()
    await tool.until(/Scanner: ready\n/)
    tool.interrupt()
    expect(await tool.ended).toBe(0)
  })

  test('shows the device and the last four characters of a read, and counts it', async () => {
    const [reader, scanner] = [await startCable(), await startCable()]
    const file = profileWith({ cardReader: serial(reader.path), scanner: serial(scanner.path) })
    const tool = startTool('--profile', file)
    await tool.until('Scanner – ready')
    reader.send(';80000000011=29121010000000000?\r')
    await tool.until('Card reader: SWIPE, member card, •••• ••• 0011')
    scanner.send(']C080000000029\r')
    await tool.until('Scanner: SCAN, member number, •••• ••• 0029')
    scanner.send(']E04006381333931\r')
    expect(await tool.until('Scanner: SCAN, item, …3931')).not.toMatch(/8000000|40063/)
    tool.interrupt()
    expect(await tool.ended).toBe(0)
  })

  test('shows no digit or name of a payment card, in text, raw bytes or JSON', async () => {
    const reader = await startCable()
    const file = profileWith({ cardReader: serial(reader.path) })
    for (const format of [[], ['--json']]) {
      const tool = startTool('--profile', file, '--raw', ...format)
      await tool.until(/ready/)
      reader.send(PAYMENT_CARD)
      await tool.until(format.length === 0 ? 'not a member card: refused, not stored' : '"foreign-card"')
      await tool.until('<CR>')
      tool.interrupt()
      expect(await tool.ended).toBe(0)
      // The path of the port and the times are removed: their letters and digits could be the searched ones by chance.
      const output = tool
        .output()
        .replaceAll(reader.path, 'the port')
        .replaceAll(/"(at|freeMb)":\d+/g, '')
      expect(output).toMatch(/%B#+\^a+/)
      expect(output).not.toMatch(/4929|9876|5432|3102|1010|TREMBLAY|ALEX|AL|EX\^/)
      expect(output).not.toContain(Buffer.from('4929').toString('hex').replace(/(..)/g, '$1 ').trim())
    }
  })

  test('writes its texts in French', async () => {
    const tool = startTool(
      '--profile',
      profileWith({ scanner: serial('/dev/milepost-no-such-port') }),
      '--once',
      '--language',
      'fr',
    )
    expect(await tool.ended).toBe(1)
    const [, reader = ''] = tool.output().split('Lecteur de codes-barres – déconnecté')
    expect(reader).toMatch(/raison +introuvable à ce chemin\n[^]*que faire +Rien à ce chemin\. Branchez le câble/)
  })

  test('shows a printer’s identity and counts, as text and as JSON', async () => {
    const far = await openVirtualBench({ paperFolder: temporaryFolder() })
    onTestFinished(() => far.close())
    const file = profileWith({
      printer: {
        connection: far.connections.printer as Extract<PrinterConnection, { kind: 'tcp' }>,
        drawer: { openWhen: 'high' },
      },
    })
    const json = startTool('--profile', file, '--once', '--json', '--test-page')
    expect(await json.ended).toBe(0)
    expect(JSON.parse(json.output().split('\n')[0] ?? '')).toMatchObject({
      devices: expect.arrayContaining([
        expect.objectContaining({
          role: 'printer',
          category: 'POSPrinter',
          says: {
            manufacturerName: 'MILEPOST',
            modelName: 'VIRTUAL-80',
            firmwareRevision: '1.2',
            serialNumber: 'V0000042',
          },
          statistics: expect.objectContaining({ paperCutCount: 0 }),
        }),
        expect.objectContaining({
          role: 'drawer',
          category: 'CashDrawer',
          statistics: { drawerGoodOpenCount: 0, drawerFailedOpenCount: 0 },
        }),
      ]),
    })
    await far.play('paper-out')
    const tool = startTool('--profile', file, '--language', 'fr', '--test-page')
    await tool.until('Page d’essai – Échec : rien n’est imprimé. (plus de papier)')
    await far.play('paper-ok')
    await tool.until(/Imprimante : prêt\n/)
    await far.play('cover-open')
    await tool.until('Imprimante : à vérifier – couvercle ouvert. Fermez le couvercle.')
    await far.play('printer-off')
    await tool.until('Imprimante : déconnecté – connexion refusée (ECONNREFUSED).')
    tool.interrupt()
    expect(await tool.ended).toBe(0)
    expect(tool.output()).toMatch(/Imprimante – à vérifier[^]*raison +plus de papier\n[^]*compteurs +rien encore\n/)
    expect(tool.output()).not.toMatch(/paper out|cover open|no connection|disconnected/)
  })
})

describe('the devices CLI command with --once, for a script', () => {
  test('ends with 0 when every device of the profile is ready, and prints the same data as JSON', async () => {
    const [scanner, printer] = [await startCable(), await plugPrinter(true)]
    const tool = startTool(
      '--profile',
      profileWith({ scanner: serial(scanner.path), printer: network(printer.port) }),
      '--once',
      '--json',
    )
    expect([await tool.ended, tool.output().trim().split('\n').length]).toEqual([0, 1])
    expect(JSON.parse(tool.output())).toMatchObject({
      kind: 'picture',
      devices: [
        { role: 'card-reader', connection: null, health: { state: 'not-configured' } },
        {
          role: 'scanner',
          connection: { path: scanner.path, baudRate: 9600 },
          health: { state: 'ready' },
          statistics: { connections: 1, disconnections: 0 },
        },
        {
          role: 'printer',
          connection: { port: printer.port },
          health: { state: 'ready' },
          printer: { language: 'esc-pos', columns: 42 },
        },
      ],
    })
  })

  test('ends with 1 when one device of the profile is not ready', async () => {
    const scanner = await startCable()
    const tool = startTool(
      '--profile',
      profileWith({ scanner: serial(scanner.path), cardReader: serial('/dev/milepost-no-such-port') }),
      '--once',
    )
    expect(await tool.ended).toBe(1)
    expect(tool.output()).toMatch(
      /Card reader – disconnected[^]*Nothing at this path\. Plug in the cable[^]*Scanner – ready/,
    )
  })
})

describe('the disk space that the devices CLI command shows', () => {
  test('is listed with its folder and a remedy, as text in both languages and as JSON', async () => {
    const data = temporaryFolder()
    writeFileSync(join(data, 'terminal.db'), '')
    truncateSync(join(data, 'terminal.db'), 10 ** 12)
    const look = async (...more: string[]): Promise<string> => {
      const tool = startTool('--profile', profileWith({}), '--data', data, '--once', ...more)
      expect(await tool.ended).toBe(0)
      return tool.output()
    }
    expect(await look()).toMatch(
      new RegExp(
        `Disk space – Low\\n +folder +${data}\\n +what to do +[\\d,]+ MB free; this lane needs 2,000,064 MB ` +
          `with a backup\\. Free disk space this week\\.`,
      ),
    )
    expect(await look('--language', 'fr')).toMatch(
      /Espace disque – Bientôt insuffisant\n[^]*Mo libres; 2.000.064 Mo requis \(avec sauvegarde\)/,
    )
    expect(JSON.parse(await look('--json'))).toMatchObject({
      kind: 'picture',
      room: { folder: data, neededMb: 2_000_064, state: 'low' },
    })
    expect(readdirSync(data), 'nothing is opened there').toEqual(['terminal.db'])
  })

  test('is that of the lane’s default data folder, even before the folder exists', async () => {
    const tool = startTool('--profile', profileWith({}), '--once', '--json')
    await tool.ended
    expect(JSON.parse(tool.output())).toMatchObject({
      room: { folder: expect.stringMatching(/milepost[\\/]4417-01$/), neededMb: expect.any(Number) },
    })
  })
})

describe('the test page of the devices CLI command', () => {
  test('is reported as printed when the printer confirms it, and does not open the drawer', async () => {
    const printer = await plugPrinter(true)
    const tool = startTool(
      '--profile',
      profileWith({ printer: { ...network(printer.port), columns: 48 } }),
      '--once',
      '--test-page',
    )
    expect(await tool.ended).toBe(0)
    expect(tool.output()).toMatch(/Test page – Queued[^]*Test page – Printed: confirmed by the printer/)
    expect(printer.paper()).toContain('TEST PAGE')
    expect(printer.paper()).toContain('·········1·········2·········3·········4········'.replaceAll('·', '\u00b7'))
    expect(printer.paper(), 'a drawer that opens by itself frightens people').not.toContain('\u001bp')
  })

  test('is reported as sent when the printer confirms nothing', async () => {
    const printer = await plugPrinter(false)
    const tool = startTool('--profile', profileWith({ printer: network(printer.port) }), '--once', '--test-page')
    expect(await tool.ended).toBe(0)
    expect(tool.output()).toMatch(/Test page – Sent; this printer cannot confirm\. Check the paper/)
  })

  test('fails with a message when no printer answers, and when the profile has no printer', async () => {
    const emptyPort = startTool('--profile', profileWith({ printer: network(1) }), '--once', '--test-page')
    const none = startTool('--profile', profileWith({}), '--test-page')
    expect([await emptyPort.ended, await none.ended]).toEqual([1, 1])
    expect(emptyPort.output()).toContain('Test page – Failed: nothing printed.')
    expect(none.output()).toContain('cannot print a test page')
  })
})

describe('the devices CLI command', () => {
  test('refuses an invalid profile with the terminal’s message, and an unknown lane', async () => {
    const bad = join(temporaryFolder(), 'bad.yaml')
    writeFileSync(bad, readFileSync(profileWith({}), 'utf8').replace('region: QC', 'region: QX'))
    const [profile, lane] = [
      startTool('--profile', bad, '--language', 'fr'),
      startTool('--profile', profileWith({}), '--lane', '7'),
    ]
    expect([await profile.ended, await lane.ended]).toEqual([2, 2])
    expect(profile.output()).toMatch(/bad\.yaml:\d+:\d+ {2}region: attendu l’un de BC/)
    expect(lane.output()).toContain('The profile has no lane 07; it has 01.')
  })

  test('refuses to run while the terminal has the devices’ ports open', async () => {
    const scanner = await startCable()
    const central = {
      url: 'http://127.0.0.1:9',
      tokenUrl: 'http://127.0.0.1:9/token',
      clientId: 'lane',
      clientSecret: 'made-up',
    }
    const file = profileWith(
      { scanner: serial(scanner.path) },
      {
        mode: 'training',
        endpoints: undefined,
      },
    )
    const catalog = join(import.meta.dirname, '../../../../stores/example-catalog.csv')
    copyFileSync(catalog, join(dirname(file), 'example-catalog.csv'))
    const terminal = spawn(
      process.execPath,
      [
        join(import.meta.dirname, '../../../main.ts'),
        '--profile',
        file,
        '--data',
        temporaryFolder(),
        '--central-json',
        JSON.stringify(central),
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    const gone = once(terminal, 'exit')
    onTestFinished(async () => {
      terminal.kill('SIGTERM')
      await gone
    })
    await once(createInterface({ input: terminal.stdout }), 'line')
    // /proc shows when the terminal has opened the port.
    const port = realpathSync(scanner.path)
    const fds = `/proc/${terminal.pid}/fd`
    while (
      !readdirSync(fds).some((fd) => {
        try {
          return readlinkSync(join(fds, fd)) === port
        } catch {
          return false
        }
      })
    )
      await new Promise(setImmediate)

    const tool = startTool('--profile', file)
    expect(await tool.ended).toBe(3)
    expect(tool.output()).toMatch(/^The terminal is using: Scanner\. Close the terminal/)
  })
})
