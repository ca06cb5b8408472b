import { setGlobalProxyFromEnv } from 'node:http'

/** Never asked, because it stands beside an exception for everything: naming one is how Node is told of exceptions. */
const NOBODY = 'http://127.0.0.1:9'
const DIRECT = ['localhost', '127.0.0.1', '::1']
const LOOPBACK = DIRECT.join(',')

/** Whether calls to this host go past the proxy, brackets of an address of IPv6 or not. */
export const goesDirectly = (hostname: string): boolean => DIRECT.includes(hostname.replace(/^\[(.*)\]$/, '$1'))

/**
 * Settles for this process what its HTTP calls go through: the proxy that the profile names, or none. Whatever
 * HTTP_PROXY, HTTPS_PROXY, NO_PROXY, NODE_USE_ENV_PROXY or `--use-env-proxy` were inherited no longer counts: the
 * miles and the client secret go where the installer wrote that they go. What is on this machine is called directly.
 */
export function settleProxy(proxy: string | null): void {
  const way = proxy ?? NOBODY
  setGlobalProxyFromEnv({ http_proxy: way, https_proxy: way, no_proxy: proxy === null ? '*' : LOOPBACK })
}
