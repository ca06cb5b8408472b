import type { Socket } from 'node:net'
import type { ScaleDevice } from '../../contracts/core/profile.ts'
import type { ScaleFault } from '../../contracts/operations/training.ts'
import { type SimulatedPort, openSimulatedPort } from './simulated-port.ts'

export interface VirtualScale {
  readonly port: SimulatedPort
  /** Gross weight on the plate, in thousandths of the unit. */
  load: number
  /** Tare that was set at the scale: the weight that it subtracts. */
  tare: number
  fault: ScaleFault | null
}

type Settings = Pick<ScaleDevice, 'protocol' | 'unit'>

const CAPACITY = 15_000
const MOTION = 0x01
const OVER = 0x02
const UNDER = 0x04
const NOT_ZEROED = 0x08
const NET = 0x20
const ALWAYS = 0x40
const GARBAGE = Uint8Array.of(0x02, 0x31, 0x00, 0x7f, 0x2e, 0x2e, 0x39, 0x0d, 0x0a, 0x55, 0x03)

const decimal = (value: number, decimals: number, width: number): string =>
  (value / 1_000).toFixed(decimals).padStart(width, '0')

function toledo(scale: VirtualScale, unit: 'kg' | 'lb'): Buffer {
  const { load, tare, fault } = scale
  const net = load - tare
  const flags =
    (fault === 'unstable' ? MOTION : 0) |
    (fault === 'over' || load > CAPACITY ? OVER : 0) |
    (fault === 'negative' || net < 0 ? UNDER : 0) |
    (fault === 'not-zeroed' ? NOT_ZEROED : 0)
  if (flags !== 0) return Buffer.from([0x02, 0x3f, flags | ALWAYS | (tare > 0 ? NET : 0), 0x0d])
  const digits = unit === 'kg' ? decimal(net, 3, 6) : decimal(net, 2, 6)
  return Buffer.from(`\x02${digits}${tare > 0 ? 'N' : ''}\r`, 'latin1')
}

function nci(scale: VirtualScale, unit: 'kg' | 'lb'): Buffer {
  const { load, tare, fault } = scale
  const net = load - tare
  const over = fault === 'over' || load > CAPACITY
  const under = fault === 'negative' || net < 0
  const first = 0x30 | (fault === 'unstable' ? 1 : 0) | (net === 0 ? 2 : 0)
  const second = 0x30 | (under ? 1 : 0) | (over ? 2 : 0) | (fault === 'not-zeroed' || tare > 0 ? 0x40 : 0)
  const third = second & 0x40 ? [0x30 | (tare > 0 ? 4 : 0) | (fault === 'not-zeroed' ? 8 : 0)] : []
  const status = Buffer.from([0x53, first, second, ...third])
  const field = over ? '^^^^^^' : under ? '______' : fault === 'not-zeroed' ? '------' : decimal(net, 3, 6)
  return Buffer.concat([Buffer.from(`\n${field}${unit.toUpperCase()}\r\n`, 'latin1'), status, Buffer.from('\r\x03')])
}

/**
 * A virtual scale on loopback TCP that answers requests for its weight, as in the manuals of its protocols. Written
 * independently of the driver. In the Toledo protocol, weights in lb have steps of 0.01.
 */
export async function openVirtualScale({ protocol, unit }: Settings, onChange: () => void): Promise<VirtualScale> {
  const answer = protocol === 'nci' ? nci : toledo
  const state = { load: 0, tare: 0, fault: null as ScaleFault | null }
  function respond(socket: Socket): void {
    if (state.fault === 'silent') return
    const bytes = state.fault === 'garbage' ? GARBAGE : answer(scale, unit)
    if (state.fault !== 'split') {
      socket.write(bytes)
      return
    }
    const send = (at: number): void => {
      if (at >= bytes.length || socket.destroyed) return
      socket.write(bytes.subarray(at, at + 1), () => setImmediate(send, at + 1))
    }
    send(0)
  }
  const port = await openSimulatedPort({
    onConnect(socket) {
      socket.on('data', (bytes) => {
        for (const byte of bytes) if ((byte & 0x7f) === 0x57) respond(socket)
      })
    },
  })
  const scale: VirtualScale = {
    port,
    get load() {
      return state.load
    },
    set load(thousandths) {
      state.load = thousandths
      onChange()
    },
    get tare() {
      return state.tare
    },
    set tare(thousandths) {
      state.tare = thousandths
      onChange()
    },
    get fault() {
      return state.fault
    },
    set fault(fault) {
      state.fault = fault
      onChange()
    },
  }
  return scale
}
