/** How the stand-in of Electron begins, what it tells the test, and what the test tells it. */
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
  /** True: it was started as a package. */
  readonly packaged?: boolean
}
/** What became of the things that a page could try, put to what the shell has set. */
export interface Tried {
  readonly permissions: readonly string[]
  readonly requests: readonly string[]
  readonly navigations: readonly string[]
  readonly frames: readonly string[]
  readonly downloads: readonly string[]
  readonly opensWindow: boolean
  readonly attachesWebview: boolean
  /** What each channel answers to a page from elsewhere, and to the terminal's own. */
  readonly calls: Readonly<Record<string, { readonly elsewhere: string; readonly own: string }>>
}
export type Told =
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
  /** How many displays there are from now on. */
  readonly displays?: number
  /** What a page tries: permissions by name, and addresses. */
  readonly permissions?: readonly string[]
  readonly addresses?: readonly string[]
}
