import { create } from 'zustand'

/** The sale whose receipt is sent by e-mail or whose invoice is made; null: the dialog is closed. */
export const useDelivery = create<{ readonly saleId: string | null }>()(() => ({ saleId: null }))

export const openDelivery = (saleId: string | null): void => useDelivery.setState({ saleId })
export const closeDelivery = (): void => useDelivery.setState({ saleId: null })
