/** Scenario of the Electron stand-in, and the messages between it and the test. */
export interface StandInScenario {
  /** False: `ready-to-show` is never emitted, as on Wayland (electron#48859). */
  readonly readyToShow?: boolean
  /** How many loads fail before one succeeds. */
  readonly failingLoads?: number
  /** Electron as root: utility processes live only where the sandbox is off. */
  readonly asRoot?: boolean
  readonly displays?: number
  /** False: this system has no key store that keeps a secret. */
  readonly keyStore?: boolean
  /** True: it was started as a package. */
  readonly packaged?: boolean
}
/** Results of a page's attempts under the restrictions of the shell. */
export interface Tried {
  readonly permissions: readonly string[]
  readonly requests: readonly string[]
  readonly navigations: readonly string[]
  readonly frames: readonly string[]
  readonly downloads: readonly string[]
  readonly opensWindow: boolean
  readonly attachesWebview: boolean
  /** Answer of each channel to a page of another origin, and to the terminal's own. */
  readonly calls: Readonly<Record<string, { readonly elsewhere: string; readonly own: string }>>
}
export type StandInEvent =
  | { readonly told: 'loading'; readonly text: string }
  | { readonly told: 'shown'; readonly text: string }
  | { readonly told: 'menu'; readonly text: string }
  | { readonly told: 'error-box'; readonly text: string }
  | { readonly told: 'page'; readonly staff: readonly string[]; readonly url: string; readonly policy: string | null }
  | { readonly told: 'window'; readonly options: Electron.BrowserWindowConstructorOptions }
  | { readonly told: 'closed'; readonly text: string }
  | { readonly told: 'focused'; readonly text: string }
  | { readonly told: 'schemes'; readonly schemes: readonly Electron.CustomScheme[] }
  | { readonly told: 'sandbox'; readonly text: string }
  | { readonly told: 'tried'; readonly tried: Tried }
  | { readonly told: 'fork'; readonly script: string; readonly pid: number }
export interface Order {
  readonly order: 'lose-page' | 'fail-page' | 'close' | 'displays' | 'try'
  readonly failingLoads?: number
  /** The number of displays from now on. */
  readonly displays?: number
  /** Permissions by name and addresses that a page tries. */
  readonly permissions?: readonly string[]
  readonly addresses?: readonly string[]
}
