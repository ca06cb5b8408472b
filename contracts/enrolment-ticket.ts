/** How the text of an enrolment sheet's QR code begins: no barcode of a store does. */
export const TICKET_SCHEME = 'milepost-enrol:'

/** Whether this is such a text; what it holds, and whether it is whole, says `parseTicket`. */
export const isTicket = (text: string): boolean => text.slice(0, TICKET_SCHEME.length).toLowerCase() === TICKET_SCHEME
