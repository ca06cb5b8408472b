import { EventEmitter } from 'node:events'
import os from 'node:os'
import type {
  App,
  BrowserWindow as ElectronWindow,
  Dialog,
  Display,
  IpcMain,
  Protocol,
  SafeStorage,
  Screen,
  Session,
  WebContents as ElectronContents,
} from 'electron'
import { forkModule } from './utility-stand-in.ts'

/**
 * The `electron` module without Electron, for the compiled shell in a real Node: what the shell uses of it, typed by
 * Electron's own declarations. A window here is a page that asks as the real one does, over the shell's own scheme.
 * What happens is told to the test, and the test tells what goes wrong, over Node's own channel between processes.
 */
export interface StandInScenario {
  /** False: `ready-to-show` never comes, as on Wayland (electron#48859). */
  readonly readyToShow?: boolean
  /** How many loads fail before one succeeds. */
  readonly failingLoads?: number
  /** Electron as root: utility processes live only where the sandbox is off. */
  readonly asRoot?: boolean
  readonly displays?: number
  /** False: this system has no key store that keeps a secret. */
  readonly keyStore?: boolean
}
export type Told =
  | { readonly told: 'loading'; readonly text: string }
  | { readonly told: 'shown'; readonly text: string }
  | { readonly told: 'menu'; readonly text: string }
  | { readonly told: 'error-box'; readonly text: string }
  | { readonly told: 'page'; readonly staff: readonly string[]; readonly url: string }
  | { readonly told: 'fork'; readonly script: string; readonly pid: number }
export interface Order {
  readonly order: 'lose-page' | 'fail-page' | 'close'
  readonly failingLoads?: number
}

const scenario = JSON.parse(process.env['STAND_IN_SCENARIO'] ?? '{}') as StandInScenario
const notify = (told: Told): void => {
  process.send?.(told)
}
let failingLoads = scenario.failingLoads ?? 0
let noSandbox = process.argv.includes('--no-sandbox')
let handler: ((request: Request) => Response | Promise<Response>) | null = null

/** As Electron hands it over: the Request's own signal never fires. */
async function ask(address: string, init?: RequestInit): Promise<Response> {
  if (handler === null) throw new Error('nobody handles the scheme')
  return handler(new Request(address, init))
}

class ContentsStandIn extends EventEmitter implements Pick<ElectronContents, 'setWindowOpenHandler' | 'isDestroyed'> {
  setWindowOpenHandler(): void {}
  isDestroyed(): boolean {
    return false
  }
}

const windows = new Set<WindowStandIn>()

class WindowStandIn
  extends EventEmitter
  implements
    Pick<ElectronWindow, 'loadURL' | 'show' | 'showInactive' | 'isVisible' | 'isDestroyed' | 'destroy' | 'setKiosk'>
{
  readonly webContents = new ContentsStandIn()
  #visible: boolean
  #destroyed = false
  #address = ''
  constructor(options: Electron.BrowserWindowConstructorOptions) {
    super()
    this.#visible = options.show !== false
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
    notify({ told: 'loading', text: address })
    this.webContents.emit('did-start-navigation', { isMainFrame: true, isSameDocument: false })
    if (failingLoads > 0) {
      failingLoads--
      return this.#fail()
    }
    // As Chromium's, the page is painted before its scripts have asked for anything.
    if (scenario.readyToShow !== false) setImmediate(() => this.emit('ready-to-show'))
    if ((await ask(new URL('/', address).href)).type === 'error') return this.#fail()
    this.webContents.emit('did-finish-load')
    void this.#page(address)
  }
  #fail(): never {
    this.webContents.emit('did-fail-load', {}, -2, 'ERR_FAILED', this.#address, true, 1, 1)
    throw Object.assign(new Error(`ERR_FAILED (-2) loading '${this.#address}'`), {
      code: 'ERR_FAILED',
      errno: -2,
      url: this.#address,
    })
  }
  /** What the terminal's page does first: the session from the address, where there is one, and who may sign in. */
  async #page(address: string): Promise<void> {
    const launchToken = new URLSearchParams(new URL(address).hash.slice(1)).get('launch')
    if (launchToken !== null)
      await ask(new URL('/api/session', address).href, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ launchToken }),
      })
    const answer = await ask(new URL('/api/staff', address).href)
    const { staff = [] } = answer.status === 200 ? ((await answer.json()) as { staff?: { name: string }[] }) : {}
    notify({ told: 'page', staff: staff.map(({ name }) => name), url: address })
  }
  obey({ order, failingLoads: more }: Order): void {
    failingLoads = more ?? 0
    if (order === 'lose-page')
      this.webContents.emit('render-process-gone', {}, {
        reason: 'crashed',
        exitCode: 11,
      } satisfies Electron.RenderProcessGoneDetails)
    if (order === 'fail-page') this.webContents.emit('did-fail-load', {}, -2, 'ERR_FAILED', this.#address, true, 1, 1)
    if (order === 'close') this.close()
  }
  show(): void {
    this.#show()
  }
  showInactive(): void {
    this.#show()
  }
  #show(): void {
    this.#visible = true
    notify({ told: 'shown', text: this.#address })
    // On Wayland it comes only now.
    setImmediate(() => this.emit('ready-to-show'))
  }
  isVisible(): boolean {
    return this.#visible
  }
  isDestroyed(): boolean {
    return this.#destroyed
  }
  setKiosk(): void {}
  close(): void {
    this.destroy()
  }
  destroy(): void {
    this.#destroyed = true
    windows.delete(this)
    this.emit('closed')
    if (windows.size === 0) app.emit('window-all-closed')
  }
}

const appEmitter = new EventEmitter()
export const app = Object.assign(appEmitter, {
  isPackaged: false,
  enableSandbox: () => {
    noSandbox = false
  },
  whenReady: () => Promise.resolve(),
  isReady: () => true,
  setPath: () => {},
  getVersion: () => '0.1.0',
  commandLine: { hasSwitch: (name: string) => name === 'no-sandbox' && noSandbox },
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
  registerSchemesAsPrivileged: () => {},
  handle: (_scheme, handle) => {
    handler = (request) => handle(request as GlobalRequest) as Promise<Response>
  },
} satisfies Pick<Protocol, 'registerSchemesAsPrivileged' | 'handle'>

export const session = {
  defaultSession: Object.assign(new EventEmitter(), {
    setPermissionRequestHandler: () => {},
    setPermissionCheckHandler: () => {},
    setDevicePermissionHandler: () => {},
  } satisfies Pick<
    Session,
    'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'
  >),
}

export const dialog = {
  showErrorBox: (_title, content) => notify({ told: 'error-box', text: content }),
} satisfies Pick<Dialog, 'showErrorBox'>

export const ipcMain = { handle: () => {} } satisfies Pick<IpcMain, 'handle'>

export const Menu = {
  setApplicationMenu: (menu) => notify({ told: 'menu', text: menu === null ? 'none' : 'some' }),
} satisfies Pick<typeof Electron.Menu, 'setApplicationMenu'>

const displayAt = (id: number): Pick<Display, 'id' | 'bounds' | 'workArea' | 'size' | 'internal'> => {
  const bounds = { x: id * 1024, y: 0, width: 1024, height: 768 }
  return { id, bounds, workArea: bounds, size: bounds, internal: id === 0 }
}
export const screen = {
  getPrimaryDisplay: () => displayAt(0) as Display,
  getAllDisplays: () => Array.from({ length: scenario.displays ?? 1 }, (_, id) => displayAt(id) as Display),
} satisfies Pick<Screen, 'getPrimaryDisplay' | 'getAllDisplays'>

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
    // As root Chromium's zygote aborts unless the sandbox is off.
    if (scenario.asRoot === true && !noSandbox) return failing()
    const child = forkModule(script, args, { ...options.env }, 'live')
    notify({ told: 'fork', script, pid: child.pid ?? 0 })
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

process.on('message', (order: Order) => {
  for (const window of [...windows].slice(0, 1)) window.obey(order)
})
