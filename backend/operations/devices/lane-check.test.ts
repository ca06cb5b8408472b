import { expect, onTestFinished, test } from 'vitest'
import { openVirtualBench } from '../../../hardware/index.ts'
import { lockDataFolder } from '../../core/program/data-folder.ts'
import { temporaryFolder } from '../../core/http/testing.ts'
import { look, UNREACHABLE } from '../lane-check/checked-lane.fixture.ts'
import { profileWith } from './tool/tool.fixture.ts'

test.skipIf(process.platform !== 'linux')(
  'the lane check opens each device and asks the printer for its paper, unless a terminal is running',
  async () => {
    const far = await openVirtualBench({ paperFolder: temporaryFolder() })
    onTestFinished(() => far.close())
    const { scanner, printer } = far.connections
    const profileFile = profileWith(
      { scanner: { connection: scanner }, printer: { connection: printer, language: 'esc-pos', columns: 42 } },
      UNREACHABLE,
    )
    const dataFolder = temporaryFolder()
    const seen = () => look({ dataFolder, profileFile })
    const well = await seen()
    expect(well.codes).toMatchObject({ devices: ['device-ready', 'device-ready'], paper: ['paper-there'] })
    expect(well.text).toMatch(/OK +Devices +Scanner: ready\.\n\S+ +Printer: ready\./)
    await far.play('paper-out')
    const out = await seen()
    expect(out.codes.paper).toEqual(['paper-out'])
    expect(out.text).toContain('To do: Put in a new roll.')
    // While a terminal uses the folder, the lane check opens no device, because a receipt may be printing.
    const folder = lockDataFolder(dataFolder, null, null)
    onTestFinished(folder.release)
    const whileRunning = await seen()
    expect(whileRunning.codes).toMatchObject({
      devices: ['device-with-terminal', 'device-with-terminal'],
      paper: ['paper-unseen'],
    })
    expect(whileRunning.text).toMatch(/Not checked +Devices +Scanner: not checked, because the terminal is running\./)
  },
)
