import { QR_QUIET, isQrText, qr } from '../../../contracts/core/symbols/qr.ts'
import styles from './qr-code.module.css'

export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const modules = isQrText(text) ? qr(text) : null
  if (!modules) return null
  const size = modules.length + 2 * QR_QUIET
  const path = modules
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + QR_QUIET} ${y + QR_QUIET}h1v1h-1z` : '')))
    .join('')
  return (
    <svg className={`block full-width ${styles['qr']}`} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path className={styles['light']} d={`M0 0h${size}v${size}H0z`} />
      <path className={styles['dark']} d={path} shapeRendering="crispEdges" />
    </svg>
  )
}
