import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ScaleFault } from '../../contracts/operations/training.ts'
import { ScaleDevice } from '../../contracts/core/profile.ts'
import type { Health, ScaleReading } from '../device.ts'
import { openPty } from '../serial/pty.fixture.ts'
import { openVirtualBench } from '../virtual/bench.ts'
import { openScale } from './scale.ts'

type Settings = Pick<ScaleDevice, 'protocol' | 'unit'>

function watched(config: ScaleDevice) {
  const healths: Health[] = []
  const readings: (ScaleReading | null)[] = []
  const waiting: (() => void)[] = []
  const wake = (): void => {
    for (const resolve of waiting.splice(0)) resolve()
  }
  const scale = openScale(config, {
    onHealth: (health) => {
      healths.push(health)
      wake()
    },
    onEvent: (reading) => {
      readings.push(reading)
      wake()
    },
  })
  onTestFinished(() => scale.close())
  const until = async (isMet: () => boolean): Promise<void> => {
    while (!isMet())
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
      })
  }
  return {
    scale,
    healths,
    readings,
    state: (wanted: ScaleReading['state'] | null) => until(() => (scale.reading?.state ?? null) === wanted),
    health: (wanted: string) => until(() => scale.health.state === wanted),
  }
}

async function open(settings: Settings) {
  const folder = await mkdtemp(join(tmpdir(), 'milepost-scale-'))
  const bench = await openVirtualBench({ paperFolder: folder, scale: settings })
  onTestFinished(async () => {
    await bench.close()
    await rm(folder, { recursive: true, force: true })
  })
  return { bench, ...watched(ScaleDevice.parse({ connection: bench.connections.scale, ...settings })) }
}

const SETTINGS: Settings[] = [
  { protocol: 'toledo-8217', unit: 'kg' },
  { protocol: 'nci', unit: 'kg' },
  { protocol: 'toledo-8217', unit: 'lb' },
  { protocol: 'nci', unit: 'lb' },
]

test.each(SETTINGS)(
  'a scale with $protocol in $unit reports zero, a load, motion, and the same load again',
  async (how) => {
    const { bench, scale, state, readings, health } = await open(how)
    await health('ready')
    await state('zero')
    bench.scale.load = 1_230
    await state('stable')
    expect(scale.reading?.weight).toEqual({
      thousandths: 1_230,
      unit: how.unit,
      decimals: how.protocol === 'toledo-8217' && how.unit === 'lb' ? 2 : 3,
      isNet: false,
    })
    bench.scale.fault = 'unstable'
    await state('unstable')
    bench.scale.fault = null
    await state('stable')
    expect(scale.reading?.weight?.thousandths).toBe(1_230)
    expect(readings.map((reading) => reading?.state)).toEqual(['zero', 'stable', 'unstable', 'stable'])
  },
)

test.each(SETTINGS.slice(0, 2))(
  'a scale with $protocol reports each fault, a net weight, and loads under and over its range',
  async (how) => {
    const { bench, scale, state, health } = await open(how)
    bench.scale.load = 500
    await state('stable')
    const STATES = { unstable: 'unstable', over: 'over', negative: 'under', 'not-zeroed': 'not-zeroed' } as const
    for (const [fault, expected] of Object.entries(STATES)) {
      bench.scale.fault = fault as ScaleFault
      await state(expected)
      expect(scale.reading?.weight).toBeNull()
    }
    bench.scale.fault = 'garbage'
    await health('needs-attention')
    expect(scale.reading).toBeNull()
    bench.scale.fault = 'split'
    await state('stable')
    expect(scale.health.state).toBe('ready')
    bench.scale.fault = null
    bench.scale.tare = 100
    while (scale.reading?.weight?.isNet !== true) await state('stable').then(() => new Promise(setImmediate))
    expect(scale.reading.weight).toMatchObject({ thousandths: 400, isNet: true })
    bench.scale.tare = 600
    await state('under')
    bench.scale.load = 99_000
    await state('over')
  },
)

test('an unplugged or silent scale has no reading until it is plugged in or sends weights again', async () => {
  const { bench, scale, state, health } = await open({ protocol: 'toledo-8217', unit: 'kg' })
  bench.scale.load = 750
  await state('stable')
  await bench.play('scale-unplugged')
  await health('unavailable')
  expect(scale.reading).toBeNull()
  await bench.play('scale-plugged')
  await state('stable')
  bench.scale.fault = 'silent'
  await health('needs-attention')
  expect(scale.health.detail).toBe('the scale sent no weight within 1000 ms')
  expect(scale.reading).toBeNull()
  bench.scale.fault = null
  await state('stable')
  expect(scale.health.state).toBe('ready')
  expect(scale.statistics).toMatchObject({ connections: 2, disconnections: 1, unreadable: 0 })
})

test('a scale that weighs in another unit than the profile names has no reading', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'milepost-scale-'))
  const bench = await openVirtualBench({ paperFolder: folder, scale: { protocol: 'nci', unit: 'lb' } })
  onTestFinished(() => bench.close())
  const { scale, health } = watched(
    ScaleDevice.parse({ connection: bench.connections.scale, protocol: 'nci', unit: 'kg' }),
  )
  await health('needs-attention')
  expect(scale.health.detail).toBe('the scale weighs in lb')
  expect(scale.reading).toBeNull()
})

test('a status without an error after a weight does not disturb later readings of a scale', async () => {
  const pty = await openPty()
  onTestFinished(() => pty.close())
  const { scale, state } = watched(
    ScaleDevice.parse({ connection: { kind: 'serial', path: pty.path, baudRate: 9600 } }),
  )
  pty.send('\x0201.235\r')
  await state('stable')
  pty.send('\x02?@\r')
  pty.send('\x02?A\r')
  await state('unstable')
  pty.send('\x0202.5')
  pty.send('00\r')
  await state('stable')
  expect(scale.reading?.weight?.thousandths).toBe(2_500)
  await pty.unplug()
  await state(null)
  await pty.plug()
})
