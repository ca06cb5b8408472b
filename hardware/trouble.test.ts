import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ByteConnection } from '../contracts/core/profile.ts'
import { type Health, troubleOf } from './device.ts'
import { Line } from './serial/line.ts'
import { openPty } from './serial/pty.fixture.ts'

function healthOf(connection: ByteConnection, fits: (health: Health) => boolean = () => true): Promise<Health> {
  return new Promise((resolve) => {
    const line = new Line(connection, {
      onData: () => undefined,
      onBreak: () => undefined,
      onHealth: (health) => {
        if (fits(health)) resolve(health)
      },
    })
    onTestFinished(() => line.close())
  })
}
const serial = (path: string): ByteConnection => ({ kind: 'serial', path, baudRate: 9600 })

test('the health of a device distinguishes a missing port, an unknown host and a host without a listener', async () => {
  expect(troubleOf((await healthOf(serial('/dev/milepost-no-such-port'))).detail)?.kind).toBe('not-there')
  expect(troubleOf((await healthOf({ kind: 'tcp', host: 'milepost.invalid', port: 9100 })).detail)?.kind).toBe(
    'unknown-name',
  )
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  expect(troubleOf((await healthOf({ kind: 'tcp', host: '127.0.0.1', port })).detail)?.kind).toBe('refused')
})

test('an unplugged cable is classified as unplugged or as a missing port', async () => {
  const pty = await openPty()
  onTestFinished(() => pty.close())
  const lost = healthOf(serial(pty.path), (health) => {
    if (health.state === 'ready') void pty.unplug()
    return health.state === 'unavailable'
  })
  const { detail } = await lost
  expect(['unplugged', 'not-there'], `${detail}`).toContain(troubleOf(detail)?.kind)
})

test('a port in use is classified as such, with the name of the program that uses it', async () => {
  const pty = await openPty()
  onTestFinished(() => pty.close())
  const holding = `import { SerialPort } from 'serialport'
    const port = await SerialPort.binding.open({ path: process.argv[1], baudRate: 9600 })
    process.title = 'a-till'
    process.stdin.resume().once('end', () => port.close())
    console.log('open')`
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', holding, '--', pty.path], {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(holder, 'exit')
  onTestFinished(async () => {
    holder.stdin.end()
    await exited
  })
  await once(holder.stdout, 'data')
  // Two programs have this port open: also socat, which simulates the cable.
  const trouble = troubleOf((await healthOf(serial(pty.path))).detail)
  expect(trouble?.kind).toBe('in-use')
  expect(trouble?.holder?.split(', ')).toContain(`a-till (pid ${holder.pid})`)
})

test('printer faults are classified by kind, and a health without a detail has no kind', () => {
  expect(
    [
      'paper out',
      'paper out during the job',
      'paper is low',
      'cover open',
      'printer error',
      'printer offline',
      'the printer does not report its status',
      'the printer cannot be asked',
      'the device accepted no data for 300 ms',
      'no connection to 192.0.2.1:9100 within 3000 ms',
      'closed by the device',
      'cutter error',
      'print head too hot',
      'the printer stopped answering',
      'the printer is ready and did not confirm the job',
      'the wire was lost',
      'the port is not open yet',
      'a virtual connection without a virtual bench',
      'a new kind of trouble',
    ].map((detail) => troubleOf(detail)?.kind),
  ).toEqual([
    'paper-out',
    'paper-out',
    'paper-low',
    'cover-open',
    'printer-error',
    'printer-offline',
    'printer-silent',
    'printer-silent',
    'stalled',
    'no-answer',
    'closed',
    'cutter-error',
    'too-hot',
    'printer-silent',
    'not-confirmed',
    'unplugged',
    'not-open',
    'no-bench',
    'other',
  ])
  expect(troubleOf('no connection to 192.0.2.1:9100: ECONNREFUSED')).toEqual({
    kind: 'refused',
    holder: null,
    code: 'ECONNREFUSED',
  })
  expect(troubleOf('paper out')?.code).toBeNull()
  expect(troubleOf(null)).toBeNull()
})
