/** Scenario of the Electron stand-in, and the messages between it and the test. */
export interface StandInScenario {
  /** False: the window emits `ready-to-show` only after it is shown, as on Wayland (electron#48859). */
  readonly readyToShow?: boolean
  readonly failingLoads?: number
  /** True: Electron runs as root. Its utility processes then only live with the sandbox off. */
  readonly asRoot?: boolean
  readonly displays?: number
  /** False: the simulated system has no key store that stores a secret. */
  readonly keyStore?: boolean
  readonly packaged?: boolean
}
/** Actions that the shell must forbid and that a page succeeded in. */
export interface Tried {
  readonly permissions: readonly string[]
  readonly requests: readonly string[]
  readonly navigations: readonly string[]
  readonly frames: readonly string[]
  readonly downloads: readonly string[]
  readonly opensWindow: boolean
  readonly attachesWebview: boolean
  /** By channel: the shell's answer to a page of another origin, and to the terminal's own page. */
  readonly calls: Readonly<Record<string, { readonly elsewhere: string; readonly own: string }>>
}
export type StandInEvent =
  | { readonly type: 'loading'; readonly text: string }
  | { readonly type: 'shown'; readonly text: string }
  | { readonly type: 'menu'; readonly text: string }
  | { readonly type: 'error-box'; readonly text: string }
  | { readonly type: 'page'; readonly staff: readonly string[]; readonly url: string; readonly policy: string | null }
  | { readonly type: 'window'; readonly options: Electron.BrowserWindowConstructorOptions }
  | { readonly type: 'closed'; readonly text: string }
  | { readonly type: 'focused'; readonly text: string }
  | { readonly type: 'schemes'; readonly schemes: readonly Electron.CustomScheme[] }
  | { readonly type: 'sandbox'; readonly text: string }
  | { readonly type: 'tried'; readonly tried: Tried }
  | { readonly type: 'fork'; readonly script: string; readonly pid: number }
export interface StandInRequest {
  readonly request: 'lose-page' | 'fail-page' | 'close' | 'displays' | 'try'
  readonly failingLoads?: number
  readonly displays?: number
  readonly permissions?: readonly string[]
  readonly addresses?: readonly string[]
}
