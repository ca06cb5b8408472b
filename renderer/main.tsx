import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { Crash } from './operations/status-bar/stopped.tsx'
import { windowRole } from './core/state/terminal.ts'
import { sendTypedScan } from './core/state/typed-scans.ts'
import { listenForTypedScans } from './core/ui/typed-scans.ts'
import './core/ui/tokens.css'
import './core/ui/base.css'

// The libraries of the screens are explained in docs/decisions/0008-screens-react-zustand-react-aria-use-intl.md
const root = document.getElementById('root')
if (!root) throw new Error('the page has no root element')

// Runs before the screens register their key listeners, so that these never receive the keys of a typed scan.
if (windowRole === 'cashier') listenForTypedScans((text) => void sendTypedScan(text))

const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: false, refetchOnWindowFocus: false, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
})

createRoot(root, {
  onCaughtError: (error, { componentStack }) => console.error('A screen failed:', error, componentStack),
}).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Crash>
        <App />
      </Crash>
    </QueryClientProvider>
  </StrictMode>,
)
