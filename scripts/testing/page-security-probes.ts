/**
 * Probes that a page of the terminal runs against its own restrictions, by the points of Electron’s security checklist.
 * They are a string, because they run in the page. `outside` is an address that responds to every request that reaches
 * it. The string evaluates to a promise of PageSecurityFindings.
 */
export const pageSecurityProbes = (outside: string): string => `(async () => {
  const resultOf = (promise) => promise.then(() => 'let through', () => 'refused')
  const inPage = (text) => {
    const script = document.createElement('script')
    script.textContent = text
    document.head.append(script)
    script.remove()
  }
  // Read before the probes, because blocked requests are listed as resources too.
  const foreignResources = performance.getEntriesByType('resource').map(({ name }) => name)
    .filter((name) => new URL(name, location.href).host !== location.host)
  inPage('globalThis.injected = true')
  const frame = document.createElement('iframe')
  frame.src = 'https://elsewhere.example/'
  document.body.append(frame)
  const embedded = frame.contentDocument === null ? 'unreachable' : frame.contentDocument.URL
  const webview = document.createElement('webview')
  const worker = (() => {
    try {
      return new Worker(URL.createObjectURL(new Blob(['postMessage(1)'])))
    } catch {
      return null
    }
  })()
  const worked = worker === null ? 'refused' : await new Promise((resolve) => {
    worker.onmessage = () => resolve('let through')
    worker.onerror = () => resolve('refused')
  })
  const findings = {
    foreignResources,
    fetched: await resultOf(fetch(${JSON.stringify(outside)}, { mode: 'no-cors' })),
    fetchedFile: await resultOf(fetch('file:///etc/hostname')),
    nodeNames: ['require', 'process', 'Buffer', 'global', 'module'].filter((name) => name in globalThis),
    electronNames: Object.keys(globalThis).filter((name) => /electron|ipc/i.test(name)),
    offered: Object.keys(globalThis.milepostShell ?? {}).sort(),
    geolocation: (await navigator.permissions.query({ name: 'geolocation' })).state,
    notifications: typeof Notification === 'undefined' ? 'denied' : Notification.permission,
    camera: await resultOf(navigator.mediaDevices?.getUserMedia({ video: true }) ?? Promise.reject()),
    policy: (await fetch('/', { headers: { accept: 'text/html' } })).headers.get('content-security-policy'),
    injected: 'injected' in globalThis,
    worked,
    webviewMethods: typeof webview.loadURL,
    embedded,
    opened: window.open('https://elsewhere.example/') === null ? 'refused' : 'let through',
  }
  frame.remove()
  return findings
})()`

export interface PageSecurityFindings {
  readonly foreignResources: readonly string[]
  readonly fetched: string
  readonly fetchedFile: string
  readonly nodeNames: readonly string[]
  readonly electronNames: readonly string[]
  readonly offered: readonly string[]
  readonly geolocation: string
  readonly notifications: string
  readonly camera: string
  readonly policy: string | null
  readonly injected: boolean
  readonly worked: string
  readonly webviewMethods: string
  readonly embedded: string
  readonly opened: string
}
