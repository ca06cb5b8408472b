import { type ByteConnection, type ScaleDevice, isSerial } from '../../contracts/core/profile.ts'
import type { DeviceListener, Health, Scale, ScaleReading } from '../device.ts'
import { createMask, createWireTrace } from '../serial/channel.ts'
import { Line } from '../serial/line.ts'
import { ReplyAssembler, SCALE_PROTOCOLS } from './protocols.ts'

/** Interval in ms between an answer and the next request. */
const POLL_MS = 200
/** Time in ms after which a request counts as not answered. */
const ANSWER_MS = 1_000
/** Number of replies in a row that are not understood, after which the scale needs attention. */
const MAX_UNREADABLE = 3

const sameReading = (one: ScaleReading | null, other: ScaleReading | null): boolean =>
  one === other ||
  (one !== null &&
    other !== null &&
    one.state === other.state &&
    one.weight?.thousandths === other.weight?.thousandths &&
    one.weight?.isNet === other.weight?.isNet)

/** Serial scales send seven bits with even parity unless the profile names other settings. */
const wireOf = (connection: ByteConnection): ByteConnection =>
  isSerial(connection) ? { dataBits: 7, parity: 'even', ...connection } : connection

/**
 * Driver of a scale. It requests the weight all the time, so that a weight that was there before a sale is known, and
 * notifies only about changes. Without an answer there is no reading: an old weight is never shown.
 */
class PolledScale implements Scale {
  private readonly config: ScaleDevice
  private readonly listener: DeviceListener<ScaleReading | null>
  private readonly line: Line
  private readonly replies: ReplyAssembler
  private readonly wireTrace = createWireTrace()
  private readonly mask: ReturnType<typeof createMask> | null
  private timer: NodeJS.Timeout | undefined
  private isClosed = false
  private trouble: Health | null = null
  private bytes = 0
  private frames = 0
  private reads = 0
  private unreadable = 0
  private unreadableInRow = 0
  reading: ScaleReading | null = null

  constructor(config: ScaleDevice, listener: DeviceListener<ScaleReading | null>) {
    this.config = config
    this.listener = listener
    this.mask = listener.onMaskedBytes ? createMask() : null
    this.replies = new ReplyAssembler(SCALE_PROTOCOLS[config.protocol], (content) => {
      this.answered(content)
    })
    this.line = new Line(wireOf(config.connection), {
      onData: (bytes) => {
        this.received(bytes)
      },
      onBreak: () => {
        this.stop()
      },
      onHealth: (health) => {
        this.wireChanged(health)
      },
    })
  }

  get health(): Health {
    const { health } = this.line
    return health.state === 'ready' ? (this.trouble ?? { state: 'connecting', detail: null }) : health
  }

  get statistics() {
    const { line, replies } = this
    return {
      connections: line.connections,
      disconnections: line.disconnections,
      bytes: this.bytes,
      frames: this.frames,
      noiseBytes: replies.noiseBytes,
      reads: this.reads,
      unreadable: this.unreadable,
    }
  }

  get trace() {
    return this.wireTrace.messages
  }

  async checkHealth(): Promise<Health> {
    await this.line.check()
    return this.health
  }

  async close(): Promise<void> {
    this.isClosed = true
    clearTimeout(this.timer)
    await this.line.close()
  }

  private received(bytes: Uint8Array): void {
    this.bytes += bytes.length
    if (this.mask) this.listener.onMaskedBytes?.(this.mask(bytes))
    this.wireTrace.push(bytes)
    this.replies.push(bytes)
  }

  private wireChanged(health: Health): void {
    if (health.state !== 'ready') return this.listener.onHealth(health)
    this.trouble = null
    this.listener.onHealth(this.health)
    this.request()
  }

  /** Forgets the reading of a lost wire. */
  private stop(): void {
    clearTimeout(this.timer)
    this.replies.reset()
    this.unreadableInRow = 0
    this.show(null)
  }

  private request(): void {
    clearTimeout(this.timer)
    if (this.isClosed || this.line.health.state !== 'ready') return
    this.replies.reset()
    this.timer = setTimeout(() => {
      this.show(null)
      this.note({ state: 'needs-attention', detail: `the scale sent no weight within ${ANSWER_MS} ms` })
      this.request()
    }, ANSWER_MS)
    // A failed write closes the channel; the line then opens another one.
    this.line.write(SCALE_PROTOCOLS[this.config.protocol].request, ANSWER_MS).catch(() => undefined)
  }

  private answered(content: string): void {
    const reply = SCALE_PROTOCOLS[this.config.protocol].parse(content)
    this.frames += 1
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      this.request()
    }, POLL_MS)
    if (reply === null) return this.notUnderstood('the scale sends data that is not a weight')
    if (reply.state === 'refused') return this.notUnderstood('the scale does not know the request for a weight')
    if (reply.state === 'unchanged' && this.reading === null) return this.show({ state: 'unstable', weight: null })
    this.reads += 1
    this.unreadableInRow = 0
    if ('weight' in reply) this.read(reply)
  }

  private read(reading: ScaleReading): void {
    const { state, weight } = reading
    if (weight !== null && weight.unit !== this.config.unit) {
      this.show(null)
      return this.note({ state: 'needs-attention', detail: `the scale weighs in ${weight.unit}` })
    }
    this.note(
      state === 'fault'
        ? { state: 'needs-attention', detail: 'the scale reports a fault' }
        : { state: 'ready', detail: null },
    )
    this.show(reading)
  }

  /** A damaged reply is requested again; while replies are damaged there is no reading. */
  private notUnderstood(detail: string): void {
    this.unreadable += 1
    this.unreadableInRow += 1
    this.show(null)
    if (this.unreadableInRow >= MAX_UNREADABLE) this.note({ state: 'needs-attention', detail })
  }

  private note(health: Health): void {
    if (this.isClosed || (this.trouble?.state === health.state && this.trouble.detail === health.detail)) return
    this.trouble = health
    this.listener.onHealth(health)
  }

  private show(reading: ScaleReading | null): void {
    if (this.isClosed || sameReading(this.reading, reading)) return
    this.reading = reading
    this.listener.onEvent(reading)
  }
}

export const openScale = (config: ScaleDevice, listener: DeviceListener<ScaleReading | null>): Scale =>
  new PolledScale(config, listener)
