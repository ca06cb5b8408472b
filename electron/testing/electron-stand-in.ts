import { EventEmitter } from 'node:events'
import os from 'node:os'
import type { App, BrowserWindow as ElectronWindow, Dialog, Display, Protocol, SafeStorage } from 'electron'
import { type Answer, PageStandIn, SessionStandIn, tryAll } from '../../packages/supervisor/testing/session-stand-in.ts'
import type { StandInRequest, StandInScenario, StandInEvent } from './stand-in-messages.ts'
import { forkModule } from '../../packages/supervisor/testing/utility-stand-in.ts'

/**
 * The `electron` module without Electron, for the compiled shell under Node: only what the shell uses, typed by
 * Electron's declarations. A window is a page that makes requests like a real one, over the shell's own scheme. Events
 * and faults are exchanged with the test over Node's channel between processes.
 */
const scenario = JSON.parse(process.env['STAND_IN_SCENARIO'] ?? '{}') as StandInScenario
const notify = (event: StandInEvent): void => {
  process.send?.(event)
}
let failingLoads = scenario.failingLoads ?? 0
let noSandbox = process.argv.includes('--no-sandbox')
let handler: ((request: Request) => Response | Promise<Response>) | null = null

/** Calls the scheme's handler as Electron does, with a Request whose own signal never fires. */
async function ask(address: string, init?: RequestInit): Promise<Response> {
  if (handler === null) throw new Error('no handler is registered for the scheme')
  return handler(new Request(address, init))
}

class ContentsStandIn extends PageStandIn {
  isDestroyed(): boolean {
    return false
  }
}

const windows = new Set<WindowStandIn>()

class WindowStandIn
  extends EventEmitter
  implements
    Pick<
      ElectronWindow,
      | 'loadURL'
      | 'show'
      | 'showInactive'
      | 'isVisible'
      | 'isDestroyed'
      | 'destroy'
      | 'setKiosk'
      | 'isKiosk'
      | 'isMinimized'
      | 'restore'
      | 'focus'
      | 'getBounds'
      | 'setBounds'
    >
{
  readonly webContents = new ContentsStandIn()
  #visible: boolean
  #destroyed = false
  #address = ''
  #bounds: Electron.Rectangle
  constructor(options: Electron.BrowserWindowConstructorOptions) {
    super()
    this.#visible = options.show !== false
    this.#bounds = { x: options.x ?? 0, y: options.y ?? 0, width: options.width ?? 0, height: options.height ?? 0 }
    notify({ type: 'window', options })
    windows.add(this)
    app.emit('web-contents-created', {}, this.webContents)
  }
  static fromWebContents(contents: unknown): WindowStandIn | null {
    return [...windows].find((window) => window.webContents === contents) ?? null
  }
  static getAllWindows(): WindowStandIn[] {
    return [...windows]
  }
  async loadURL(address: string): Promise<void> {
    this.#address = address
    notify({ type: 'loading', text: address })
    this.webContents.emit('did-start-navigation', { isMainFrame: true, isSameDocument: false })
    if (failingLoads > 0) {
      failingLoads--
      return this.#fail()
    }
    // As in Chromium, the page is painted before its scripts make requests.
    if (scenario.readyToShow !== false) setImmediate(() => this.emit('ready-to-show'))
    const document = await ask(new URL('/', address).href, { headers: { accept: 'text/html' } })
    if (document.type === 'error') return this.#fail()
    this.webContents.emit('did-finish-load')
    void this.#page(address, document.headers.get('content-security-policy'))
  }
  #fail(): never {
    this.webContents.emit('did-fail-load', {}, -2, 'ERR_FAILED', this.#address, true, 1, 1)
    throw Object.assign(new Error(`ERR_FAILED (-2) loading '${this.#address}'`), {
      code: 'ERR_FAILED',
      errno: -2,
      url: this.#address,
    })
  }
  async #page(address: string, policy: string | null): Promise<void> {
    const answer = await ask(new URL('/api/staff', address).href)
    const { staff = [] } = answer.status === 200 ? ((await answer.json()) as { staff?: { name: string }[] }) : {}
    notify({ type: 'page', staff: staff.map(({ name }) => name), url: address, policy })
  }
  obey({ request, failingLoads: more }: StandInRequest): void {
    failingLoads = more ?? 0
    if (request === 'lose-page')
      this.webContents.emit('render-process-gone', {}, {
        reason: 'crashed',
        exitCode: 11,
      } satisfies Electron.RenderProcessGoneDetails)
    if (request === 'fail-page') this.webContents.emit('did-fail-load', {}, -2, 'ERR_FAILED', this.#address, true, 1, 1)
    if (request === 'close') this.close()
  }
  show(): void {
    this.#show()
  }
  showInactive(): void {
    this.#show()
  }
  #show(): void {
    this.#visible = true
    notify({ type: 'shown', text: this.#address })
    // On Wayland, `ready-to-show` is emitted only when the window is shown.
    setImmediate(() => this.emit('ready-to-show'))
  }
  isVisible(): boolean {
    return this.#visible
  }
  isDestroyed(): boolean {
    return this.#destroyed
  }
  setKiosk(): void {}
  isKiosk(): boolean {
    return false
  }
  isMinimized(): boolean {
    return false
  }
  restore(): void {}
  focus(): void {
    notify({ type: 'focused', text: this.#address })
  }
  getBounds(): Electron.Rectangle {
    return this.#bounds
  }
  setBounds(bounds: Partial<Electron.Rectangle>): void {
    this.#bounds = { ...this.#bounds, ...bounds }
  }
  close(): void {
    this.destroy()
  }
  destroy(): void {
    this.#destroyed = true
    windows.delete(this)
    notify({ type: 'closed', text: this.#address })
    this.emit('closed')
    if (windows.size === 0) app.emit('window-all-closed')
  }
}

const appEmitter = new EventEmitter()
export const app = Object.assign(appEmitter, {
  isPackaged: scenario.packaged === true,
  enableSandbox: () => {
    noSandbox = false
    notify({ type: 'sandbox', text: 'every process' })
  },
  whenReady: () => Promise.resolve(),
  isReady: () => true,
  setPath: () => {},
  getVersion: () => '0.1.0',
  commandLine: {
    hasSwitch: (name: string) =>
      name === 'no-sandbox'
        ? noSandbox
        : process.argv.some((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`)),
  },
  quit: () => {
    for (const window of windows) window.destroy()
    let prevented = false
    appEmitter.emit('will-quit', {
      preventDefault: () => {
        prevented = true
      },
    })
    if (!prevented) process.exit(0)
  },
  exit: (code?: number) => {
    process.exit(code ?? 0)
  },
} satisfies {
  [
    Name in 'isPackaged' | 'enableSandbox' | 'whenReady' | 'isReady' | 'setPath' | 'getVersion' | 'quit' | 'exit'
  ]: App[Name]
} & { commandLine: Pick<App['commandLine'], 'hasSwitch'> })

export const BrowserWindow = WindowStandIn satisfies { fromWebContents: unknown; getAllWindows: unknown }

export const protocol = {
  registerSchemesAsPrivileged: (schemes) => notify({ type: 'schemes', schemes }),
  handle: (_scheme, handle) => {
    handler = (request) => handle(request as GlobalRequest) as Promise<Response>
  },
} satisfies Pick<Protocol, 'registerSchemesAsPrivileged' | 'handle'>

export const session = { defaultSession: new SessionStandIn() }

export const dialog = {
  showErrorBox: (_title, content) => notify({ type: 'error-box', text: content }),
} satisfies Pick<Dialog, 'showErrorBox'>

const channels = new Map<string, Answer>()
export const ipcMain = {
  handle: (channel: string, listener: Answer) => {
    channels.set(channel, listener)
  },
}

export const Menu = {
  setApplicationMenu: (menu) => notify({ type: 'menu', text: menu === null ? 'none' : 'some' }),
} satisfies Pick<typeof Electron.Menu, 'setApplicationMenu'>

export const screen = makeScreen(scenario.displays ?? 1)

const sealed = (text: string): Buffer => Buffer.from(`sealed:${Buffer.from(text).toString('base64')}`)
const opened = (bytes: Buffer): string => Buffer.from(bytes.toString().slice('sealed:'.length), 'base64').toString()
const deprecated = (): never => {
  throw new Error('deprecated')
}
export const safeStorage = {
  isAsyncEncryptionAvailable: () => Promise.resolve(true),
  getSelectedStorageBackend: () => (scenario.keyStore === false ? 'basic_text' : 'gnome_libsecret'),
  encryptStringAsync: (text) => Promise.resolve(sealed(text)),
  decryptStringAsync: (bytes) => Promise.resolve({ result: opened(bytes), shouldReEncrypt: false }),
  isEncryptionAvailable: deprecated,
  encryptString: deprecated,
  decryptString: deprecated,
} satisfies Partial<SafeStorage>

export const utilityProcess = {
  fork: (script: string, args: string[] = [], options: Electron.ForkOptions = {}) => {
    // As root, Chromium's zygote process aborts unless the sandbox is off.
    if (scenario.asRoot === true && !noSandbox) return failing()
    const child = forkModule(script, args, { ...options.env }, 'live')
    notify({ type: 'fork', script, pid: child.pid ?? 0 })
    return child
  },
}

function failing(): ReturnType<typeof forkModule> {
  const child = Object.assign(new EventEmitter(), {
    pid: undefined,
    stdout: null,
    stderr: null,
    kill: () => true,
    postMessage: () => {},
  })
  setImmediate(() => child.emit('exit', os.constants.signals.SIGTRAP))
  return child
}

process.on('message', (request: StandInRequest) => {
  if (request.request === 'displays') return screen.change(request.displays ?? 1)
  if (request.request === 'try') {
    const page = [...windows][0]?.webContents ?? new PageStandIn()
    return notify({ type: 'tried', tried: tryAll(request, { session: session.defaultSession, page, channels }) })
  }
  for (const window of [...windows].slice(0, 1)) window.obey(request)
})

type Shown = Pick<Display, 'id' | 'bounds' | 'workArea' | 'size' | 'internal'>

function displayAt(id: number): Shown {
  const bounds = { x: id * 1024, y: 0, width: 1024, height: 768 }
  return { id, bounds, workArea: bounds, size: bounds, internal: id === 0 }
}

function makeScreen(displays: number) {
  let count = displays
  const emitter = new EventEmitter()
  return Object.assign(emitter, {
    getPrimaryDisplay: () => displayAt(0),
    getAllDisplays: () => Array.from({ length: count }, (_, id) => displayAt(id)),
    getDisplayMatching: ({ x }: { x: number }) => displayAt(Math.min(count - 1, Math.floor(x / 1024))),
    change: (now: number) => {
      const event = now > count ? 'display-added' : 'display-removed'
      count = now
      emitter.emit(event, {}, displayAt(now))
    },
  })
}
